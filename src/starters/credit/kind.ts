import { jobFolder } from '../../domain/job';
import { mkdir } from 'node:fs/promises';
import { AnalysisRepository } from '../../store/credit/analyses';
import { type AnalysisOutcome, type AnalysisRecord } from '../../domain/credit/job';
import type { ReportLanguage } from '../../report/formats';
import { analysisSubject } from '../../domain/core/service/attempts';
import type { CommandContext } from '../jobs/context';
import type { RequestCounts, EndedJob, JobKind } from '../jobs/job-kind';
import { progressOfOne } from '../jobs/progress';
import { errorWords } from '../jobs/text';
import type { Reader } from '../../report/reader';
import { stateWord } from '../../report/words';
import { writeWhole } from '../jobs/written-file';
import { analysisFindings } from './findings';
import { checkResolution, engineTerms, subjectOf } from './resolve';
import { jobBatchKind } from '../jobs/batches/batch-kind';

export const analysisKind: JobKind<AnalysisRecord, AnalysisOutcome> = {
  kind: 'credit-analysis',
  prefix: 'credit/',
  noun: ['analysis of', 'análise de'],
  service: 'credit',
  workflowId: ({ name }) => `credit/${name}`,
  describe: ({ cnab }) => cnab.name,
  terms: ({ deadlineMs, filter, forced, label, rerun }) => ({
    rerun,
    deadline: deadlineMs,
    filter,
    force: forced,
    label,
  }),
  readProgress: progressOfOne,
  lines: ({ outcome }, { reader }) => analysisLines(outcome, reader),
  findings: analysisFindings,
  artifacts: ({ outcome: { result } }) =>
    result === null
      ? []
      : [{ name: 'result.json', bytes: null, sha256: null, mediaType: 'application/json' }],
  cost: () => [],
  requests: askedForAnalysis,
  heeds: ['lang'],
  export: (ctx, { input, outcome }, folder, { lang }) =>
    writeOutcome(ctx, input, outcome, { folder, lang }),
  workflow: 'analyzeCredit',
  args: (_, { input }) => engineTerms(input),
  subject: subjectOf,
  // The resolution keeps the rule engine that the person saw.
  changed: async ({ store }, { folder }) => {
    const record = await new AnalysisRepository(store).record(folder);
    return record === null ? {} : { engineId: record.engineId, fence: record.fence };
  },
  checkResolution,
  orders: ['cancel', 'cancel_now', 'resume'],
};

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

/** @returns file names; empty: there is nothing to write */
export async function writeOutcome(
  ctx: CommandContext,
  { jobId, cnab, xmls, filter, createdAt, createdBy }: AnalysisRecord,
  { result, operationId, settledAt: endedAt }: AnalysisOutcome,
  { folder, lang }: { folder: string; lang: ReportLanguage },
): Promise<string[]> {
  if (result === null) {
    // A response to an upload in which no id was found: a person may find the id, and adopt it.
    const answer = await new AnalysisRepository(ctx.store).unreadable(jobFolder(jobId));
    if (answer === null) return [];
    await mkdir(folder, { recursive: true });
    await writeWhole(folder, 'upload-answer.txt', answer);
    return ['upload-answer.txt'];
  }
  const files = xmls === null ? [cnab] : [cnab, xmls];
  const job = { jobId, operationId, createdAt, createdBy, endedAt, files };
  const { writeAnalysisFolder } =
    require('./analysis-folder') as typeof import('./analysis-folder');
  await writeAnalysisFolder(ctx, result, { folder, filter, fileName: cnab.name, job, lang });
  return ['result.json', 'titulos.csv', 'issues.csv', 'report.html'];
}

function analysisLines(outcome: AnalysisOutcome, reader: Reader) {
  const { jobId, status, operationId, error, result } = outcome;
  const { formats, language, say } = reader;
  const lines: string[] = [stateWord(status, language)];
  if (operationId !== null)
    lines.push(`  ${say('operation', 'operação').padEnd(10)} ${operationId}`);
  if (error !== null) {
    lines.push(`  ${say('error', 'erro').padEnd(10)} ${errorWords(error, reader)}`);
  }
  if (outcome.possibleDoubleCharge) {
    lines.push(say('  it may have been charged twice', '  pode ter sido cobrada duas vezes'));
  }
  if (result !== null) {
    const { summary, contradictions } = result;
    const sum = (value: number): string => say(`BRL ${value.toFixed(2)}`, formats.money(value));
    const line = (word: string, count: number | null, value: number | null): string => {
      const amount = count === null ? '-' : say(String(count), formats.number(count));
      return `  ${amount.padStart(8)}  ${word.padEnd(10)} ${value === null ? say('BRL -', '-') : sum(value)}`;
    };
    lines.push(
      line(say('titulos', 'títulos'), summary.receivables, summary.totalValue),
      line(say('approved', 'aprovados'), summary.approved, summary.approvedValue),
      line(say('blocked', 'bloqueados'), summary.blocked, summary.blockedValue),
      line(say('alerted', 'com alerta'), summary.alerted, summary.alertedValue),
    );
    for (const sentence of contradictions)
      lines.push(`  ${say('contradiction', 'contradição')}: ${reader.stored(sentence)}`);
  }
  if (['unknown_outcome', 'expired', 'failed'].includes(status)) {
    const show = `\`diligence inbox show ${jobId}\``;
    lines.push(
      say(
        `  next       ${show} says what can be decided`,
        `  pendência  ${show} mostra as ações possíveis`,
      ),
    );
  }
  return lines;
}

export const analysisBatchKind = jobBatchKind({
  kind: 'credit-batch',
  service: 'credit',
  noun: ['analyses', 'análises'],
  unstarted: 'lost',
  columns: ['operation_id', 'titulos', 'blocked', 'alerted', 'possible_double_charge'],
  child: analysisKind,
  hasFolders: true,
  newest: async (store, jobId) => {
    const [, name = ''] = jobId.split('/');
    const found = await new AnalysisRepository(store).lastEnded(name, jobFolder(jobId));
    return found?.record.jobId ?? jobId;
  },
  shown: ({ error, operationId, possibleDoubleCharge, result }) => {
    // Contradictions of a result are shown in the error column.
    const message = result?.contradictions.join('; ') ?? '';
    const contradiction = message === '' ? null : { code: 'contradiction', message };
    return {
      cells: {
        operation_id: operationId,
        titulos: result?.summary.receivables ?? null,
        blocked: result?.summary.blocked ?? null,
        alerted: result?.summary.alerted ?? null,
        possible_double_charge: possibleDoubleCharge,
      },
      error: error ?? contradiction,
    };
  },
});
