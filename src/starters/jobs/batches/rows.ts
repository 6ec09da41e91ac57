import { attentionOf } from '../../../domain/attention';
import type { ChildJob, JobBatchEnd, JobBatchRecord } from '../../../domain/core/job-batch';
import { ownFields } from '../../../sheets/write/result-cells';
import { subjectState } from '../../../domain/core/service/attempts';
import type { Store } from '../../../store/store';
import type { StoredRow } from '../../../store/core/row-writer';
import {
  batchKindOf,
  chargesOf,
  type BatchCharges,
  type BatchRules,
  type ChildEnd,
  type EndOfChild,
  type ShownRow,
} from './rules';
import type { CommandContext } from '../context';
import { CommandError } from '../errors';
import { outcomeOf } from '../envelope';
import type { EndedJob, Job } from '../job-kind';
import type { LineProblem } from '../begin/start-job';

export type EndedBatch = EndedJob<JobBatchRecord, JobBatchEnd>;

/** Above this, problems are in `results.csv` only. */
const mostProblems = 1_000;

/** One input line with its status. */
export interface ResultRow extends ShownRow {
  child: ChildJob | null;
  error: { code: string | null; message: string } | null;
  reference: string;
  duplicateOf: number | null;
  note: string;
  /** Cells of the user's other columns. */
  own?: readonly string[];
}

/** Lines by status, lines that need attention, and charges. */
export interface BatchSurvey {
  counts: Record<string, number>;
  problems: LineProblem[];
  charges: BatchCharges;
}

export async function surveyRows(
  ctx: CommandContext,
  rules: BatchRules,
  job: EndedBatch,
  use?: (row: ResultRow, own: ChildEnd | null) => Promise<void>,
): Promise<BatchSurvey> {
  const counts: Record<string, number> = {};
  const problems: LineProblem[] = [];
  const charges = chargesOf(rules);
  for await (const row of rowsOf(ctx, rules, job)) {
    const { child, end, line, reference, status } = row;
    counts[status] = (counts[status] ?? 0) + 1;
    const isDoubted = end?.isDoubted === true;
    if (isDoubted || attentionOf(batchKindOf(rules), status).needsAttention) {
      const { code = null, message = '' } = row.error ?? {};
      if (problems.length < mostProblems)
        problems.push({ line, status, code, message, ...(reference !== '' && { reference }) });
    }
    const own = ownEnd(row);
    if (own !== null) charges.add(own, child?.before === true);
    await use?.(row, own);
  }
  return { counts, problems, charges };
}

/** A duplicate shows the end of the line that it repeats. */
export function ownEnd({ status, end }: ResultRow): ChildEnd | null {
  return status === 'duplicate' ? null : end;
}

/** The kind's columns; a duplicate has no charges. */
export function reportedOf(
  rules: BatchRules,
  { end, status }: ResultRow,
): Record<string, string | number | null> {
  const reported = Object.keys(rules.columns).map((column) => {
    const isCharged = status !== 'duplicate' || rules.chargeColumns?.includes(column) !== true;
    const value = isCharged ? (end?.cells[column] ?? null) : null;
    return [column, typeof value === 'boolean' ? String(value) : value] as const;
  });
  return Object.fromEntries(reported);
}

/** Rows in the form of `result --rows`. */
export async function* printedRows(
  ctx: CommandContext,
  rules: BatchRules,
  job: EndedBatch,
): AsyncGenerator<object> {
  const { columns = [] } = job.input;
  for await (const row of rowsOf(ctx, rules, job)) {
    const { child: _, end, own, ...told } = row;
    const when = whenOf(row);
    const reported = reportedOf(rules, row);
    const outcome = end && (await outcomeOf(ctx, rules.child, end.job, null));
    yield { ...told, reported, outcome, ...when, input: ownFields(own, columns) };
  }
}

/** The row's job, and when it ended. */
export function whenOf({ child, end }: ResultRow) {
  const jobId = end?.job.id ?? child?.jobId ?? null;
  return { jobId, settledAt: end?.job.outcome.settledAt ?? null };
}

/** What the service answered about the row, as it came. */
export async function answerOf(
  { store }: CommandContext,
  rules: BatchRules,
  end: ChildEnd | null,
): Promise<Buffer | null> {
  if (rules.hasFolders || end === null) return null;
  return (await rules.child.answer?.(store, end.job)) ?? null;
}

export async function* rowsOf(
  ctx: CommandContext,
  rules: BatchRules,
  { folder, outcome }: EndedBatch,
): AsyncGenerator<ResultRow> {
  for await (const row of ctx.store.rows.all(folder)) {
    if ('code' in row) {
      yield { ...notRequested(row), ...(row.own && { own: row.own }) };
      continue;
    }
    const item = row.kind === 'item' ? row : await ctx.store.rows.item(folder, row.item);
    const child = item?.child ?? null;
    if (child === null)
      throw new CommandError([`${folder} is not complete`, `${folder} está incompleto`]);
    const { jobId } = child;
    const newest = row.erased ? null : ((await rules.newest?.(ctx.store, jobId)) ?? jobId);
    const job = newest === null ? null : ((await ctx.store.jobs.find(newest)) as ChildOf);
    const end = job && endOf(rules, job);
    const isStarted = job !== null && (end !== null || (await hasStarted(ctx.store, rules, job)));
    // A started child job continues at the service after its batch has ended.
    const unended = isStarted
      ? 'lost'
      : outcome.cancelled
        ? 'cancelled'
        : (rules.unstarted ?? 'lost');
    const error = end && (rules.error?.(end.job.outcome) ?? end.job.outcome.error);
    yield { ...resultRow(row, child, end, unended), error, ...(row.own && { own: row.own }) };
  }
}

type ChildOf = Job<unknown, EndOfChild> | null;

function endOf(rules: BatchRules, job: NonNullable<ChildOf>): ChildEnd | null {
  const { outcome } = job;
  if (outcome === null) return null;
  const cells = Object.entries(rules.columns).map(([name, cellOf]) => [name, cellOf(outcome)]);
  const ended = { ...job, outcome };
  return {
    cells: Object.fromEntries(cells) as ChildEnd['cells'],
    isDoubted: rules.isDoubted?.(outcome) === true,
    billing: (rules.child.charges?.(ended) ?? []).map(({ billing }) => billing),
    job: ended,
  };
}

async function hasStarted(
  store: Store,
  rules: BatchRules,
  job: NonNullable<ChildOf>,
): Promise<boolean> {
  if (rules.hasStarted !== undefined) return rules.hasStarted(store, job);
  const subject = (await rules.child.subject?.(store, job)) ?? null;
  if (subject === null) return false;
  return subjectState(await store.attempts.of(subject), Date.now()).kind !== 'free';
}

function notRequested(row: Extract<StoredRow, { code: string }>): ResultRow {
  const { line, document: requested, code, message, reference } = row;
  const status = row.erased ? 'erased' : row.kind;
  const nothing = { child: null, end: null, duplicateOf: null, note: '' };
  return { line, requested, status, error: { code, message }, reference, ...nothing };
}

function resultRow(
  row: Exclude<StoredRow, { code: string }>,
  child: ChildJob,
  end: ChildEnd | null,
  unended: string,
): Omit<ResultRow, 'error'> {
  const { document: requested, line, reference } = row;
  const duplicateOf = row.kind === 'duplicate' ? row.duplicateOf : null;
  const first = duplicateOf === null ? (end?.job.outcome.status ?? unended) : 'duplicate';
  const notes = [
    row.note,
    child.before ? 'had ended before' : '',
    end?.job.outcome.erased === true ? 'results erased' : '',
  ];
  return {
    line,
    requested,
    status: row.erased ? 'erased' : first,
    child: row.erased ? null : child,
    end,
    reference,
    duplicateOf,
    note: notes.filter((note) => note !== '').join('; '),
  };
}
