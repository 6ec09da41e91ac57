import { join } from 'node:path';
import { type JobBatchEnd, type JobBatchRecord } from '../../../domain/core/job-batch';
import { kindFacts, workflowIdOf } from '../../../domain/job';
import { stateWord } from '../../../report/words';
import { JobBatchRepository } from '../../../store/core/jobs/job-batches';
import type { EngineClient } from '../../../temporal/connection';
import { jobBatchProgressQuery } from '../../../workflows/messages';
import type { CommandContext } from '../context';
import type { Job, JobKind } from '../job-kind';
import { progressOfStage, queried, type Progress } from '../progress';
import { leftLines, problemLines } from '../text';
import { writeWhole } from '../written-file';
import { printedRows, surveyRows, type BatchSurvey, type EndedBatch } from './rows';
import { batchKindOf, type BatchRules, type EndOfChild } from './rules';

export function jobBatchKind<Input, Outcome extends EndOfChild>(
  own: BatchRules<Input, Outcome>,
): JobKind<JobBatchRecord, JobBatchEnd> {
  const rules = own as unknown as BatchRules;
  const kind = batchKindOf(rules);
  // Set by `export`, so that the lines printed after it do not read the rows again.
  const surveys = new WeakMap<JobBatchEnd, BatchSurvey>();
  const surveyOf = async (ctx: CommandContext, job: EndedBatch): Promise<BatchSurvey> => {
    const survey = surveys.get(job.outcome) ?? (await surveyRows(ctx, rules, job));
    surveys.set(job.outcome, survey);
    return survey;
  };
  return {
    kind,
    noun: [`${rules.noun[0]} of`, `${rules.noun[1]} de`],
    service: kindFacts[kind].service,
    workflowId: (_, id) => workflowIdOf(id),
    describe: ({ inputName }) => inputName,
    terms: ({ budget, concurrency, deadlineMs, label, rerun }) => ({
      budget,
      concurrency,
      deadline: deadlineMs,
      label,
      rerun,
    }),
    readProgress,
    storedProgress,
    lines: async (job, ctx) => {
      const { counts, problems } = await surveyOf(ctx, job);
      const { left, lines } = job.input;
      const { reader } = ctx;
      return [
        reader.count(lines, ['line', 'lines'], ['linha', 'linhas']),
        ...Object.entries(counts).map(
          ([status, count]) =>
            `  ${String(count).padStart(8)}  ${stateWord(status, reader.language)}`,
        ),
        ...problemLines(problems, reader),
        ...leftLines(left, reader).map((line) => `  ${line}`),
      ];
    },
    report: async (ctx, job, folder) => {
      const summary = summaryOf(job, await surveyOf(ctx, job));
      return { ...summary, results: folder && join(folder, 'results.csv') };
    },
    cost: async (job, ctx) => (await surveyOf(ctx, job)).billing.all(),
    requests: ({ input: { children, items } }) => {
      return { requested: children, reused: items - children, possibleDoubleCharges: 0 };
    },
    heeds: ['excel', 'lang', ...(rules.hasPages === true ? (['html'] as const) : [])],
    export: async (ctx, job, folder, options) => {
      const { writeRows } = require('./sheet') as typeof import('./sheet');
      const survey = await writeRows(ctx, rules, job, { ...options, folder });
      surveys.set(job.outcome, survey);
      const summary = `${JSON.stringify(summaryOf(job, survey), null, 2)}\n`;
      await writeWhole(folder, 'summary.json', summary);
      return ['results.csv', 'summary.json', 'report.html'];
    },
    rows: (ctx, job) => printedRows(ctx, rules, job),
    orders: ['cancel', 'cancel_now', 'pause', 'resume'],
    claimsNothing: true,
  };
}

function summaryOf(
  { input, outcome, createdAt }: EndedBatch,
  { billing, counts, problems }: BatchSurvey,
): Record<string, unknown> {
  const { batchId, blankLines, children, inputName, items, kind, label, left, lines } = input;
  const about = { batchId, kind, label, inputName, total: lines, blankLines, items, left };
  const when = { startedAt: createdAt, finishedAt: outcome.endedAt };
  const charged = { billing: billing.all(), billingUntold: billing.untold };
  return { ...about, requested: children, counts, problems, ...charged, ...when };
}

async function readProgress(engine: EngineClient, workflowId: string): Promise<Progress | null> {
  const progress = await queried(engine, workflowId, jobBatchProgressQuery);
  if (progress === null) return null;
  const { counts, kind: _, underWay: outstanding, ...known } = progress;
  return { ...progressOfStage('under way'), ...known, outstanding, counts: whole(counts) };
}

/** Counts include rows that settled before the batch started. */
async function storedProgress({ store }: CommandContext, { folder, input }: Job) {
  const { open: _, ...counts } = await new JobBatchRepository(store).counts(folder);
  const { items: total } = input as JobBatchRecord;
  return { ...progressOfStage('under way'), counts: whole(counts), total };
}

function whole(counts: Readonly<Partial<Record<string, number>>>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).map(([word, count]) => [word, count ?? 0]));
}
