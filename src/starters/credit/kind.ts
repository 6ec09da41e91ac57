import { analysisSubject } from '../../domain/core/service/attempts';
import type { AnalysisOutcome, AnalysisRecord } from '../../domain/credit/job';
import { jobFolder } from '../../domain/job';
import type { Reader } from '../../report/reader';
import { AnalysisRepository } from '../../store/credit/analyses';
import { jobBatchKind } from '../jobs/batches/batch-kind';
import type { CommandContext } from '../jobs/context';
import type { EndedJob, ExportOptions, RequestCounts } from '../jobs/job-kind';
import { singleKind, writeFolder, type Fact } from '../jobs/single-kind';
import { analysisFindings } from './findings';
import { checkResolution, engineTerms, subjectOf } from './resolve';

export const analysisKind = singleKind<AnalysisRecord, AnalysisOutcome>({
  kind: 'credit-analysis',
  noun: ['analysis of', 'análise de'],
  describe: ({ cnab }) => cnab.name,
  terms: ({ filter, forced: force }) => ({ filter, force }),
  facts: analysisFacts,
  findings: analysisFindings,
  artifacts: ({ outcome: { result } }) =>
    result === null
      ? []
      : [{ name: 'result.json', bytes: null, sha256: null, mediaType: 'application/json' }],
  requests: askedForAnalysis,
  export: writeOutcome,
  args: (_, { input }) => engineTerms(input),
  subject: subjectOf,
  // The resolution keeps the rule engine that the person saw.
  changed: async ({ store }, { folder }) => {
    const record = await new AnalysisRepository(store).record(folder);
    return record === null ? {} : { engineId: record.engineId, fence: record.fence };
  },
  checkResolution,
  orders: ['cancel', 'cancel_now', 'resume'],
});

/** Jobs of the same file share a workflow id in turn: the time tells which of them sent a request. */
async function askedForAnalysis(
  { createdAt: from, endedAt: to, input }: EndedJob<AnalysisRecord, AnalysisOutcome>,
  { store }: CommandContext,
): Promise<RequestCounts> {
  if (input.fence === null) return { requested: 0, reused: 0, possibleDoubleCharges: 0 };
  const sender = `credit/${input.name}`;
  const { spending } = store;
  const counts = await spending.sentBy(analysisSubject(input.fence), sender, { from, to });
  const { sent, doubtful } = counts;
  return { requested: sent, reused: 0, possibleDoubleCharges: doubtful };
}

async function writeOutcome(
  { store }: CommandContext,
  { folder: from, id, input, outcome }: EndedJob<AnalysisRecord, AnalysisOutcome>,
  folder: string,
  { lang }: ExportOptions,
): Promise<string[]> {
  if (outcome.result === null) {
    // A response to an upload in which no id was found: a person may find the id, and adopt it.
    const answer = await new AnalysisRepository(store).unreadable(from);
    return writeFolder(
      { store, id, folder },
      answer === null ? [] : [['upload-answer.txt', answer]],
    );
  }
  const { writeAnalysisFolder } =
    require('./analysis-folder') as typeof import('./analysis-folder');
  return writeAnalysisFolder(store, input, outcome, outcome.result, { folder, lang });
}

function analysisFacts(
  { operationId, possibleDoubleCharge, result }: AnalysisOutcome,
  { formats, say, stored }: Reader,
): Fact[] {
  const sum = (count: number | null, value: number | null): string => {
    const money = value === null ? 'BRL -' : say(`BRL ${value.toFixed(2)}`, formats.money(value));
    return `${count === null ? '-' : say(String(count), formats.number(count))}, ${money}`;
  };
  const facts: Fact[] = [
    [['operation', 'operação'], operationId],
    [
      ['doubt', 'dúvida'],
      possibleDoubleCharge
        ? say('it may have been charged twice', 'pode ter sido cobrada duas vezes')
        : null,
    ],
  ];
  if (result === null) return facts;
  const { contradictions, summary } = result;
  return [
    ...facts,
    [['titulos', 'títulos'], sum(summary.receivables, summary.totalValue)],
    [['approved', 'aprovados'], sum(summary.approved, summary.approvedValue)],
    [['blocked', 'bloqueados'], sum(summary.blocked, summary.blockedValue)],
    [['alerted', 'com alerta'], sum(summary.alerted, summary.alertedValue)],
    ...contradictions.map((told): Fact => [['contradiction', 'contradição'], stored(told)]),
  ];
}

export const analysisBatchKind = jobBatchKind({
  kind: 'credit-batch',
  child: analysisKind,
  noun: ['analyses', 'análises'],
  columns: {
    operation_id: ({ operationId }) => operationId,
    titulos: ({ result }) => result?.summary.receivables ?? null,
    blocked: ({ result }) => result?.summary.blocked ?? null,
    alerted: ({ result }) => result?.summary.alerted ?? null,
    possible_double_charge: ({ possibleDoubleCharge }) => possibleDoubleCharge,
  },
  // Contradictions of a result are shown in the error column.
  error: ({ error, result }) => {
    const message = result?.contradictions.join('; ') ?? '';
    return error ?? (message === '' ? null : { code: 'contradiction', message });
  },
  hasFolders: true,
  newest: async (store, jobId) => {
    const [, name = ''] = jobId.split('/');
    const found = await new AnalysisRepository(store).lastEnded(name, jobFolder(jobId));
    return found?.record.jobId ?? jobId;
  },
});
