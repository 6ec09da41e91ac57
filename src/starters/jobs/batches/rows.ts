import { attentionOf } from '../../../domain/attention';
import type { ChildJob, JobBatchEnd, JobBatchRecord } from '../../../domain/core/job-batch';
import { ownFields } from '../../../sheets/write/result-cells';
import type { StoredRow } from '../../../store/core/row-writer';
import type { BatchCharges, BatchRules, ChildEnd, ShownRow } from './rules';
import type { CommandContext } from '../context';
import { CommandError } from '../errors';
import { outcomeOf } from '../envelope';
import { endedJob } from '../find-job';
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
  const charges = rules.charges();
  for await (const row of rowsOf(ctx, rules, job)) {
    const { child, end, line, reference, status } = row;
    counts[status] = (counts[status] ?? 0) + 1;
    const isDoubted = end?.isDoubted === true;
    if (isDoubted || attentionOf(rules.kind, status).needsAttention) {
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
  const reported = rules.columns.map((column) => {
    const isCharged = status !== 'duplicate' || !rules.chargeColumns.includes(column);
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
    const { child, end, own, ...told } = row;
    const when = { jobId: end?.jobId ?? child?.jobId ?? null, settledAt: end?.settledAt ?? null };
    const reported = reportedOf(rules, row);
    const outcome = end && (await childOutcome(ctx, rules, end));
    yield { ...told, reported, outcome, ...when, input: ownFields(own, columns) };
  }
}

/** The outcome of the row's job, in the form of `--json`. */
async function childOutcome(
  ctx: CommandContext,
  { child }: BatchRules,
  { jobId }: ChildEnd,
): Promise<object | null> {
  const job = await ctx.store.jobs.find(jobId);
  return job && outcomeOf(ctx, child, endedJob(job as Job), null);
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
    const end = row.erased ? null : await rules.ending(ctx, child.jobId);
    const hasStarted = end !== null || (await rules.hasStarted(ctx, child.jobId));
    // A started child job continues at the service after its batch has ended.
    const unended = hasStarted ? 'lost' : outcome.cancelled ? 'cancelled' : rules.unstarted;
    yield { ...resultRow(row, child, end, unended), ...(row.own && { own: row.own }) };
  }
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
): ResultRow {
  const { document: requested, line, reference } = row;
  const duplicateOf = row.kind === 'duplicate' ? row.duplicateOf : null;
  const first = duplicateOf === null ? (end?.status ?? unended) : 'duplicate';
  const notes = [
    row.note,
    child.before ? 'had ended before' : '',
    end?.isErased === true ? 'results erased' : '',
  ];
  return {
    line,
    requested,
    status: row.erased ? 'erased' : first,
    child: row.erased ? null : child,
    end,
    error: end?.error ?? null,
    reference,
    duplicateOf,
    note: notes.filter((note) => note !== '').join('; '),
  };
}
