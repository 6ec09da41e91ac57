import { billed } from '../../domain/core/service/billing-totals';
import {
  type AttemptSeen,
  type DossierOutcome,
  type DossierRecord,
} from '../../domain/dossiers/follow';
import type { DossierStatus } from '../../domain/dossiers/kinds';
import type { Charge, JobKind, EndedJob } from '../jobs/job-kind';
import { progressOfOne } from '../jobs/progress';
import { errorWords } from '../jobs/text';
import type { Words, Say } from '../../domain/job';
import type { Reader } from '../../report/reader';
import { stateWord } from '../../report/words';
import { dossierFindings } from './findings';
import { dossierEnd } from '../../domain/job-ends';
import { jobBatchKind } from '../jobs/batches/batch-kind';
import { billedCharges } from '../jobs/batches/rules';
import { mkdir } from 'node:fs/promises';
import { DossierRepository } from '../../store/dossiers/dossiers';
import type { StoredArtifact } from '../../domain/core/artifact';
import type { CommandContext } from '../jobs/context';
import { writeArtifact, writeWhole } from '../jobs/written-file';
import type { DossierCoverage } from '../../domain/dossiers/dossier';
import type { EngineClient } from '../../temporal/connection';

export const dossierKind: JobKind<DossierRecord, DossierOutcome> = {
  kind: 'dossier',
  prefix: 'dossier/',
  noun: ['dossier', 'dossiê'],
  service: 'investigation',
  workflowId: ({ dossierId }) => `dossier/${dossierId}`,
  describe: ({ dossierId }) => dossierId,
  terms: ({ deadlineMs, label, maxAttempts, onReview, rerun }) => ({
    rerun,
    deadline: deadlineMs,
    label,
    maxAttempts,
    onReview,
  }),
  readProgress: async (engine, workflowId, reader) => {
    const progress = await progressOfOne(engine, workflowId, reader);
    if (progress === null) return null;
    const { details, stage } = progress;
    if (stage === 'review') {
      const { say } = reader;
      const waits = say(
        'waits for a review (`diligence inbox`)',
        'aguarda uma revisão (`diligence inbox`)',
      );
      return { ...progress, stage: waits };
    }
    const phases = await phasesLine(engine, workflowId, reader);
    return { ...progress, details: phases === null ? details : [...details, phases] };
  },
  lines: ({ outcome }, { reader }) => dossierLines(outcome, reader),
  findings: dossierFindings,
  artifacts: ({ outcome: { stored } }) =>
    stored.map((artifact, index) => {
      const { bytes, mediaType, sha256 } = artifact;
      return { name: artifactName(artifact, index), bytes, sha256, mediaType };
    }),
  cost: ({ outcome }) => billed(chargesOf(outcome).map(({ billing }) => billing)),
  charges: ({ outcome }) => chargesOf(outcome),
  requests: ({ outcome: { caused, possibleAttempt } }) => {
    const possible = possibleAttempt ? 1 : 0;
    return { requested: caused + possible, reused: 0, possibleDoubleCharges: possible };
  },
  heeds: ['lang'],
  export: writeDossierFolder,
  workflow: 'followDossier',
  args: (_, { input: { maxAttempts, onReview, toCancel } }, atOnce) => {
    return { maxAttempts, onReview, toCancel, atOnce, interactive: true };
  },
  async changed({ store }, { folder, input }, action) {
    const outcome = await store.jobs.outcome<DossierOutcome>(folder);
    const number = outcome?.attempts.at(-1)?.number ?? 1;
    // The resolution allows exactly one more attempt.
    return { onReview: 'wait', maxAttempts: action === 'retry' ? number + 1 : input.maxAttempts };
  },
  resolver: () => (require('./resolve') as typeof import('./resolve')).dossierResolver(dossierKind),
  orders: ['cancel', 'cancel_now'],
  cancelsRemotely: true,
};

/** The job has read the dossier's attempts: each is charged once. */
function chargesOf({ attempts, dossierId }: DossierOutcome): Charge[] {
  return attempts.map(({ billing, number }) => ({ of: `dossier/${dossierId}/${number}`, billing }));
}

const words: Record<DossierStatus, Words> = {
  completed: ['completed', 'concluído'],
  needs_review: ['needs a review: nobody has decided', 'precisa de revisão: ninguém decidiu'],
  failed: ['failed', 'falhou'],
  cancelled: ['cancelled', 'cancelado'],
  expired: ['expired: it had not settled in time', 'prazo esgotado: não terminou a tempo'],
  refused: ['refused by the service', 'recusado pelo serviço'],
};

export function dossierLines(outcome: DossierOutcome, reader: Reader): string[] {
  const { language, say } = reader;
  const add = (en: string, pt: string, value: string): void => {
    lines.push(`  ${say(en, pt).padEnd(10)} ${value}`);
  };
  const { attempts, caused, coverage, error, note, possibleAttempt, remote, risk } = outcome;
  const lines: string[] = [say(...words[outcome.status])];
  if (remote !== null && remote !== outcome.status) {
    lines.push(`  ${say('the service says', 'o serviço informa')} ${stateWord(remote, language)}`);
  }
  for (const attempt of attempts) lines.push(`  ${attemptLine(attempt, reader)}`);
  if (caused > 0) {
    const made = say('attempts caused by this job', 'tentativas causadas por este trabalho');
    lines.push(`  ${made}: ${caused}`);
  }
  if (possibleAttempt) {
    lines.push(
      say(
        '  one more attempt may have been begun: its answer was lost, and it may be charged',
        '  mais uma tentativa pode ter começado: a resposta se perdeu, e ela pode ser cobrada',
      ),
    );
  }
  if (coverage !== null) {
    const { completed, eligible, status } = coverage;
    const of = say('of', 'de');
    const state = stateOf(status, reader);
    add('coverage', 'cobertura', `${completed ?? '?'} ${of} ${eligible ?? '?'} (${state})`);
  }
  if (outcome.stale === true) {
    add(
      'stale',
      'defasado',
      say(
        'the service holds data newer than the report',
        'o serviço tem dados mais novos que o relatório',
      ),
    );
  }
  if (risk !== null) add('risk', 'risco', riskLine(risk, reader));
  if (outcome.review !== null) {
    const { action, by, note: why } = outcome.review;
    add('review', 'revisão', `${stateWord(action, language)}, ${say('by', 'por')} ${by}: ${why}`);
  }
  for (const { bytes, sha256, type } of outcome.stored) {
    add(
      'stored',
      'guardado',
      `${type ?? say('file', 'arquivo')}, ${bytes} bytes, sha256 ${sha256}`,
    );
  }
  for (const { type, why } of outcome.notStored) {
    add('missing', 'falta', `${type ?? say('file', 'arquivo')}: ${reader.stored(why)}`);
  }
  if (note !== null) add('note', 'nota', reader.stored(note));
  if (error !== null) add('error', 'erro', errorWords(error, reader) ?? '');
  return lines;
}

function riskLine(risk: NonNullable<DossierOutcome['risk']>, reader: Reader): string {
  const { form, level, matchedRules, missingFields, score, status } = risk;
  const { say } = reader;
  if (form === 'omitted') {
    return say(
      'none: no matrix was supplied, or it was not evaluated',
      'nenhum: nenhuma matriz foi fornecida, ou ela não foi avaliada',
    );
  }
  if (form === 'insufficient_data') {
    return say(
      `insufficient data (${missingFields} fields missing)`,
      `dados insuficientes (faltam ${missingFields} campos)`,
    );
  }
  const known = level ?? say('no level', 'sem nível');
  if (form === 'classified') {
    return say(
      `${known}, score ${score ?? '-'}, ${matchedRules} rules matched`,
      `${known}, pontuação ${score ?? '-'}, ${matchedRules} regras acionadas`,
    );
  }
  return `${stateOf(status, reader)}: ${known}`;
}

function attemptLine({ billing, number, status }: AttemptSeen, reader: Reader): string {
  const { say } = reader;
  const shown = [stateOf(billing?.status ?? null, reader), billing?.amount ?? '-', billing?.unit];
  const cost =
    billing === null
      ? say('billing not told', 'cobrança não informada')
      : shown.join(' ').trimEnd();
  return `${say('attempt', 'tentativa')} ${number}  ${stateOf(status, reader).padEnd(12)} ${cost}`;
}

function stateOf(status: string | null, { language, say }: Reader): string {
  return status === null ? say('not told', 'não informado') : stateWord(status, language);
}

export const dossierBatchKind = jobBatchKind({
  kind: 'dossier-batch',
  service: 'investigation',
  noun: ['dossiers', 'dossiês'],
  unstarted: 'followed',
  columns: ['remote', 'attempts', 'caused', 'possible_attempt', 'risk', 'files'],
  chargeColumns: ['caused', 'possible_attempt'],
  charges: billedCharges,
  child: dossierKind,
  hasFolders: true,
  shown: (outcome) => {
    const { attempts, caused, possibleAttempt, remote, risk, stored } = outcome;
    return {
      isDoubted: dossierEnd(outcome).needsAttention,
      cells: {
        remote,
        attempts: attempts.at(-1)?.number ?? null,
        caused,
        possible_attempt: possibleAttempt,
        risk: risk?.level ?? null,
        files: stored.length,
      },
      billing: attempts.map(({ billing }) => billing),
    };
  },
  hasStarted: () => true,
});

/**
 * Writes `dossier.json` (responses as received, and the outcome) and the files of a dossier whose report
 * is stored: an unencrypted export.
 *
 * @returns names of the files
 * @throws CommandError when a file was erased
 */
async function writeDossierFolder(
  { store }: CommandContext,
  {
    folder: from,
    id,
    outcome,
  }: Pick<EndedJob<DossierRecord, DossierOutcome>, 'folder' | 'id' | 'outcome'>,
  folder: string,
): Promise<string[]> {
  const file = new DossierRepository(store);
  const answers = await file.answers(from);
  if (answers === null) return [];
  await mkdir(folder, { recursive: true });
  const names = ['dossier.json'];
  await writeWhole(folder, 'dossier.json', `${JSON.stringify({ outcome, answers }, null, 2)}\n`);
  for (const [index, artifact] of outcome.stored.entries()) {
    const name = artifactName(artifact, index);
    await writeArtifact(store, id, artifact, folder, name);
    names.push(name);
  }
  return names;
}

/** The report has a fixed name; other files are numbered. */
function artifactName({ mediaType, type }: StoredArtifact, index: number): string {
  const isPdf = type === 'dossie_pdf' || mediaType === 'application/pdf';
  return `${index === 0 ? 'dossier' : `dossier-${index + 1}`}${isPdf ? '.pdf' : '.bin'}`;
}

/** Phases from the worker's last heartbeat; null when there is none. */
async function phasesLine(
  { client }: EngineClient,
  workflowId: string,
  { say }: Reader,
): Promise<string | null> {
  try {
    const { raw } = await client.workflow.getHandle(workflowId).describe();
    const payloads = raw.pendingActivities?.[0]?.heartbeatDetails?.payloads ?? null;
    if (payloads === null) return null;
    const { decodeArrayFromPayloads } =
      require('@temporalio/common/lib/internal-non-workflow') as typeof import('@temporalio/common/lib/internal-non-workflow');
    const [details] = await decodeArrayFromPayloads(client.options.loadedDataConverter, payloads);
    return wordsOf(details as DossierCoverage | undefined, say);
  } catch {
    // Progress is optional: an error here does not fail the command.
    return null;
  }
}

function wordsOf(coverage: DossierCoverage | undefined, say: Say): string | null {
  if (coverage === undefined || !Array.isArray(coverage.phases)) return null;
  const { completed, eligible, phases } = coverage;
  const [done, all] = [completed ?? '?', eligible ?? phases.length];
  const sum = say(`${done} of ${all} phases`, `${done} de ${all} etapas`);
  const at = phases.find(({ status }) => status === 'running')?.phase;
  return at == null ? sum : `${sum}, ${say('at', 'em')} ${at}`;
}
