import { attentionOf } from '../../../domain/attention';
import type { ChildJob, JobBatchEnd, JobBatchRecord } from '../../../domain/core/job-batch';
import { BillingTotals } from '../../../domain/core/service/billing-totals';
import { ownFields } from '../../../sheets/write/result-cells';
import { subjectState } from '../../../domain/core/service/attempts';
import type { Store } from '../../../store/store';
import type { StoredRow } from '../../../store/core/row-writer';
import { batchKindOf, cellsOf, type BatchRules, type EndedChild, type EndOfChild } from './rules';
import type { CommandContext } from '../context';
import { CommandError } from '../errors';
import { outcomeOf } from '../envelope';
import type { EndedJob, Job } from '../job-kind';
import type { LineProblem } from '../begin/start-job';

export type EndedBatch = EndedJob<JobBatchRecord, JobBatchEnd>;

/** Above this, problems are in `results.csv` only. */
const mostProblems = 1_000;

export interface ResultRow {
  line: number;
  requested: string;
  status: string;
  error: EndOfChild['error'];
  reference: string;
  duplicateOf: number | null;
  note: string;
  child: ChildJob | null;
  /** Null: it has not ended. A duplicate has the job of the line that it repeats. */
  job: EndedChild | null;
  isDoubted: boolean;
  own?: readonly string[];
}

export interface BatchSurvey {
  counts: Record<string, number>;
  problems: LineProblem[];
  billing: BillingTotals;
}

/** @param use is given the job with the first of the lines that show it: each is charged once */
export async function surveyRows(
  ctx: CommandContext,
  rules: BatchRules,
  batch: EndedBatch,
  use?: (row: ResultRow, own: EndedChild | null) => Promise<void>,
): Promise<BatchSurvey> {
  const counts: Record<string, number> = {};
  const problems: LineProblem[] = [];
  const billing = new BillingTotals();
  for await (const row of rowsOf(ctx, rules, batch)) {
    const { error, isDoubted, line, reference, status } = row;
    counts[status] = (counts[status] ?? 0) + 1;
    if (isDoubted || attentionOf(batchKindOf(rules), status).needsAttention) {
      const { code = null, message = '' } = error ?? {};
      if (problems.length < mostProblems)
        problems.push({ line, status, code, message, ...(reference !== '' && { reference }) });
    }
    const own = ownJob(row);
    for (const one of (own && rules.child.charges?.(own)) ?? []) billing.add(one.billing);
    await use?.(row, own);
  }
  return { counts, problems, billing };
}

export function ownJob({ status, job }: ResultRow): EndedChild | null {
  return status === 'duplicate' ? null : job;
}

/** The kind's columns; a duplicate has no charges. */
export function reportedOf(
  rules: BatchRules,
  { job, status }: ResultRow,
): Record<string, string | number | null> {
  const reported = Object.entries(cellsOf(rules, job)).map(([column, value]) => {
    const isCharged = status !== 'duplicate' || rules.chargeColumns?.includes(column) !== true;
    const cell = typeof value === 'boolean' ? String(value) : value;
    return [column, isCharged ? cell : null] as const;
  });
  return Object.fromEntries(reported);
}

export async function* printedRows(
  ctx: CommandContext,
  rules: BatchRules,
  batch: EndedBatch,
): AsyncGenerator<object> {
  const { columns = [] } = batch.input;
  for await (const row of rowsOf(ctx, rules, batch)) {
    const { child: _, isDoubted: __, job, own, ...told } = row;
    const reported = reportedOf(rules, row);
    const outcome = job && (await outcomeOf(ctx, rules.child, job, null));
    yield { ...told, reported, outcome, ...whenOf(row), input: ownFields(own, columns) };
  }
}

export function whenOf({ child, job }: ResultRow) {
  return { jobId: job?.id ?? child?.jobId ?? null, settledAt: job?.outcome.settledAt ?? null };
}

export async function answerOf(
  { store }: CommandContext,
  rules: BatchRules,
  job: EndedChild | null,
): Promise<Buffer | null> {
  if (rules.hasFolders || job === null) return null;
  return (await rules.child.answer?.(store, job)) ?? null;
}

export async function* rowsOf(
  ctx: CommandContext,
  rules: BatchRules,
  { folder, outcome: end }: EndedBatch,
): AsyncGenerator<ResultRow> {
  const { store } = ctx;
  for await (const row of store.rows.all(folder)) {
    const { document: requested, line, reference } = row;
    const told = { line, requested, reference, ...(row.own && { own: row.own }) };
    if ('code' in row) {
      const { code, message } = row;
      const status = row.erased ? 'erased' : row.kind;
      const nothing = { child: null, job: null, isDoubted: false, duplicateOf: null, note: '' };
      yield { ...told, ...nothing, status, error: { code, message } };
      continue;
    }
    const child = await childOf(store, folder, row);
    const newest = (!row.erased && (await rules.newest?.(store, child.jobId))) || child.jobId;
    const found = row.erased
      ? null
      : ((await store.jobs.find(newest)) as Job<unknown, EndOfChild> | null);
    const job = found?.outcome == null ? null : { ...found, outcome: found.outcome };
    const { outcome } = job ?? {};
    const isDuplicate = row.kind === 'duplicate';
    const notes = [
      row.note,
      child.before ? 'had ended before' : '',
      outcome?.erased === true ? 'results erased' : '',
    ];
    const ended = outcome?.status ?? (await unended(store, rules, found, end.cancelled));
    yield {
      ...told,
      status: row.erased ? 'erased' : isDuplicate ? 'duplicate' : ended,
      error: outcome === undefined ? null : (rules.error?.(outcome) ?? outcome.error),
      duplicateOf: isDuplicate ? row.duplicateOf : null,
      note: notes.filter((note) => note !== '').join('; '),
      child: row.erased ? null : child,
      job,
      isDoubted: outcome !== undefined && rules.isDoubted?.(outcome) === true,
    };
  }
}

async function childOf(
  { rows }: Store,
  folder: string,
  row: Exclude<StoredRow, { code: string }>,
): Promise<ChildJob> {
  const { child } = row.kind === 'item' ? row : ((await rows.item(folder, row.item)) ?? {});
  if (child !== undefined) return child;
  throw new CommandError([`${folder} is not complete`, `${folder} está incompleto`]);
}

/** A started child job continues at the service after its batch has ended. */
async function unended(
  store: Store,
  rules: BatchRules,
  job: Job<unknown, EndOfChild> | null,
  isCancelled: boolean,
): Promise<string> {
  if (job !== null && (await hasStarted(store, rules, job))) return 'lost';
  return isCancelled ? 'cancelled' : (rules.unstarted ?? 'lost');
}

async function hasStarted(
  store: Store,
  rules: BatchRules,
  job: Job<unknown, EndOfChild>,
): Promise<boolean> {
  if (rules.hasStarted !== undefined) return rules.hasStarted(store, job);
  const subject = (await rules.child.subject?.(store, job)) ?? null;
  if (subject === null) return false;
  return subjectState(await store.attempts.of(subject), Date.now()).kind !== 'free';
}
