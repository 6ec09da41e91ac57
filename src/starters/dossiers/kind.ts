import type { StoredArtifact } from '../../domain/core/artifact';
import type { DossierCoverage } from '../../domain/dossiers/dossier';
import type { DossierOutcome, DossierRecord } from '../../domain/dossiers/follow';
import { dossierEnd } from '../../domain/job-ends';
import type { Reader } from '../../report/reader';
import { stateWord } from '../../report/words';
import { DossierRepository } from '../../store/dossiers/dossiers';
import type { EngineClient } from '../../temporal/connection';
import { jobBatchKind } from '../jobs/batches/batch-kind';
import type { JobKind } from '../jobs/job-kind';
import { progressOfOne, type Progress } from '../jobs/progress';
import { fileFacts, singleKind, writeFolder, type Fact } from '../jobs/single-kind';
import { billingWords } from '../jobs/text';
import { fieldsOf, noFindings, readFindings, type Findings } from '../../domain/core/findings';
import type { Store } from '../../store/store';

export const dossierKind: JobKind<DossierRecord, DossierOutcome> = singleKind({
  kind: 'dossier',
  noun: ['dossier', 'dossiê'],
  describe: ({ dossierId }) => dossierId,
  terms: ({ maxAttempts, onReview }) => ({ maxAttempts, onReview }),
  readProgress,
  facts: dossierFacts,
  findings: dossierFindings,
  files: ({ stored }) => filesByName(stored),
  charges: ({ outcome: { attempts, dossierId } }) =>
    attempts.map(({ billing, number }) => ({ of: `dossier/${dossierId}/${number}`, billing })),
  requests: ({ outcome: { caused, possibleAttempt } }) => {
    const possible = possibleAttempt ? 1 : 0;
    return { requested: caused + possible, reused: 0, possibleDoubleCharges: possible };
  },
  /** The responses as received, the outcome, and the files of a dossier whose report is stored. */
  async export({ store }, { folder: from, id, outcome }, folder) {
    const answers = await new DossierRepository(store).answers(from);
    if (answers === null) return [];
    const text = `${JSON.stringify({ outcome, answers }, null, 2)}\n`;
    const files = filesByName(outcome.stored);
    return writeFolder({ store, id, folder }, [['dossier.json', text]], files);
  },
  args: (_, { input: { maxAttempts, onReview, toCancel } }, atOnce) => {
    return { maxAttempts, onReview, toCancel, atOnce };
  },
  async changed({ store }, { folder, input }, action) {
    const outcome = await store.jobs.outcome<DossierOutcome>(folder);
    const number = outcome?.attempts.at(-1)?.number ?? 1;
    // The resolution allows exactly one more attempt.
    return { onReview: 'wait', maxAttempts: action === 'retry' ? number + 1 : input.maxAttempts };
  },
  resolver: () => (require('./resolve') as typeof import('./resolve')).dossierResolver(dossierKind),
  cancelsRemotely: true,
});

function dossierFacts(outcome: DossierOutcome, reader: Reader): Fact[] {
  const { attempts, caused, coverage, note, possibleAttempt, remote, review, risk } = outcome;
  const { say } = reader;
  const told = (word: string | null): string =>
    word === null ? say('not told', 'não informado') : stateWord(word, reader.language);
  return [
    [['service', 'serviço'], remote !== null && remote !== outcome.status ? told(remote) : null],
    ...attempts.map(({ billing, number, status }): Fact => [
      ['attempt', 'tentativa'],
      `${number}: ${told(status)}, ${billingWords(billing, reader) ?? say('billing not told', 'cobrança não informada')}`,
    ]),
    [['caused', 'causadas'], caused > 0 ? caused : null],
    [
      ['doubt', 'dúvida'],
      possibleAttempt
        ? say(
            'one more attempt may have been begun: its answer was lost, and it may be charged',
            'mais uma tentativa pode ter começado: a resposta se perdeu, e ela pode ser cobrada',
          )
        : null,
    ],
    [
      ['coverage', 'cobertura'],
      coverage &&
        `${coverage.completed ?? '?'} ${say('of', 'de')} ${coverage.eligible ?? '?'} (${told(coverage.status)})`,
    ],
    [
      ['stale', 'defasado'],
      outcome.stale === true
        ? say(
            'the service holds data newer than the report',
            'o serviço tem dados mais novos que o relatório',
          )
        : null,
    ],
    [['risk', 'risco'], risk && riskWords(risk, reader)],
    [
      ['review', 'revisão'],
      review &&
        `${stateWord(review.action, reader.language)}, ${say('by', 'por')} ${review.by}: ${review.note}`,
    ],
    ...fileFacts(outcome, reader),
    [['note', 'nota'], note && reader.stored(note)],
  ];
}

function riskWords(
  { form, level, matchedRules, missingFields, score, status }: NonNullable<DossierOutcome['risk']>,
  { language, say }: Reader,
): string {
  if (form === 'omitted')
    return say(
      'none: no matrix was supplied, or it was not evaluated',
      'nenhum: nenhuma matriz foi fornecida, ou ela não foi avaliada',
    );
  const about =
    form === 'insufficient_data'
      ? say(`${missingFields} fields missing`, `faltam ${missingFields} campos`)
      : `${level ?? say('no level', 'sem nível')}, ${say('score', 'pontuação')} ${score ?? '-'}, ${say(`${matchedRules} rules matched`, `${matchedRules} regras acionadas`)}`;
  return `${stateWord(status ?? '-', language)}: ${about}`;
}

/** The report has a fixed name; other files are numbered. */
function filesByName(stored: readonly StoredArtifact[]): Map<string, StoredArtifact> {
  const name = (index: number, { mediaType, type }: StoredArtifact): string => {
    const isPdf = type === 'dossie_pdf' || mediaType === 'application/pdf';
    return `${index === 0 ? 'dossier' : `dossier-${index + 1}`}${isPdf ? '.pdf' : '.bin'}`;
  };
  return new Map(stored.map((one, index) => [name(index, one), one]));
}

export const dossierBatchKind = jobBatchKind({
  child: dossierKind,
  noun: ['dossiers', 'dossiês'],
  unstarted: 'followed',
  columns: {
    remote: ({ remote }) => remote,
    attempts: ({ attempts }) => attempts.at(-1)?.number ?? null,
    caused: ({ caused }) => caused,
    possible_attempt: ({ possibleAttempt }) => possibleAttempt,
    risk: ({ risk }) => risk?.level ?? null,
    files: ({ stored }) => stored.length,
  },
  chargeColumns: ['caused', 'possible_attempt'],
  isDoubted: (outcome) => dossierEnd(outcome).needsAttention,
  hasFolders: true,
  hasStarted: () => true,
});

async function readProgress(
  engine: EngineClient,
  workflowId: string,
  reader: Reader,
): Promise<Progress | null> {
  const progress = await progressOfOne(engine, workflowId, reader);
  if (progress === null || progress.stage === 'review') return progress;
  // Progress is optional: an error here does not fail the command.
  const phases = await phasesOf(engine, workflowId, reader).catch(() => []);
  return { ...progress, details: [...progress.details, ...phases] };
}

/** Phases from the worker's last heartbeat. */
async function phasesOf(
  { client }: EngineClient,
  workflowId: string,
  { say }: Reader,
): Promise<string[]> {
  const { raw } = await client.workflow.getHandle(workflowId).describe();
  const payloads = raw.pendingActivities?.[0]?.heartbeatDetails?.payloads ?? null;
  const { decodeArrayFromPayloads } =
    require('@temporalio/common/lib/internal-non-workflow') as typeof import('@temporalio/common/lib/internal-non-workflow');
  const [details] = await decodeArrayFromPayloads(client.options.loadedDataConverter, payloads);
  const { completed, eligible, phases } = details as DossierCoverage;
  const [done, all] = [completed ?? '?', eligible ?? phases.length];
  const at = phases.find(({ status }) => status === 'running')?.phase;
  const sum = say(`${done} of ${all} phases`, `${done} de ${all} etapas`);
  return [at == null ? sum : `${sum}, ${say('at', 'em')} ${at}`];
}

const file = 'dossier.json';

/** The risk with the rules that matched, the report's sections, and the progress of each phase. */
async function dossierFindings({ folder }: { folder: string }, store: Store): Promise<Findings> {
  const answers = await new DossierRepository(store).answers(folder);
  if (answers === null) return noFindings;
  const status = fieldsOf(answers.status);
  const whole = fieldsOf(answers.whole);
  // Fields missing in the status response are in the report response.
  const { risk_classification: within, ...report } = {
    ...fieldsOf(whole['result']),
    ...fieldsOf(status['result']),
  };
  const read = (value: unknown, name: string) => readFindings(value, { file, name });
  const parts = [
    read(status['risk_classification'] ?? within ?? whole['risk_classification'] ?? {}, 'risk'),
    read(report, ''),
    read(status['coverage'] ?? whole['coverage'] ?? {}, 'coverage'),
  ];
  const { subject_type, mode, kind, stale } = { ...whole, ...status };
  return {
    result: answers,
    facts: Object.assign(
      read({ subject_type, mode, kind, stale }, '').facts,
      ...parts.map(({ facts }) => facts),
    ) as Findings['facts'],
    sections: parts.flatMap(({ sections }) => sections),
  };
}
