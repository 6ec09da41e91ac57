import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseJson } from '../../apis/http/problem';
import { attentionOf, exitCodeOf } from '../../domain/attention';
import type { BillingTotal } from '../../domain/core/billing-totals';
import type { ChildCounts, ChildJob } from '../../domain/core/job-batch';
import type { JobEnd } from '../../domain/job';
import { batchEnd } from '../../domain/job-ends';
import { AnalysisSheet } from '../../sheets/analysis-sheet';
import type { StoredRow } from '../../store/core/row-writer';
import type { LineProblem, StoredBatch } from '../jobs/batch';
import type { BatchCharges, BatchKind, BatchSheets, ChildEnd, ShownRow } from '../jobs/batch-kind';
import type { CommandContext } from '../jobs/context';
import { CommandError } from '../jobs/errors';
import { defaultFolder } from './print-job';
import type { JobEnvelope } from './envelope';
import { print, printJson } from './terminal';
import { removeOthers, writeWhole } from '../jobs/written-file';

export interface BatchOutput {
  out?: string;
  /** Pages for people too, where the kind has any. */
  html?: true;
  excel?: true;
  json?: true;
}

/** What all kinds have, before and behind their own columns. */
const firstColumns = ['line', 'asked', 'status'] as const;
const lastColumns = [
  'error_code',
  'error_message',
  'reference',
  'duplicate_of',
  'note',
  'id',
  'settled_at',
] as const;

/** More of them stand in `results.csv` alone. */
const mostProblems = 1_000;
const mostPrinted = 20;

/** One input line, as it stands. */
interface ResultRow extends ShownRow {
  child: ChildJob | null;
  error: { code: string | null; message: string } | null;
  reference: string;
  duplicateOf: number | null;
  note: string;
}

/** Lines by how they stand, what needs a person, and what was charged. */
interface WrittenRows {
  counts: Record<string, number>;
  problems: LineProblem[];
  end: JobEnd;
  charges: BatchCharges;
}

/** One line an input line, in order; the answers beside it. Returns the exit code. */
export async function showBatch(
  ctx: CommandContext,
  kind: BatchKind,
  batch: StoredBatch,
  { out, html, excel, json }: BatchOutput,
): Promise<number> {
  const { record, end } = batch;
  const { batchId } = record;
  if (end === null)
    throw new CommandError(`${batchId} has not ended: \`diligence show ${batchId}\``);
  const folder = resolve(out ?? defaultFolder(batchId));
  await mkdir(folder, { recursive: true });
  const how = { excel: excel === true, html: html === true };
  const written = await writeRows(ctx, kind, batch, { folder, how, endedAt: end.endedAt });
  const { counts, charges, problems } = written;
  const { needsAttention, status } = written.end;
  const exitCode = exitCodeOf(record.kind, written.end);
  const summary = summaryOf(batch, written);
  await writeWhole(folder, 'summary.json', `${JSON.stringify(summary, null, 2)}\n`);
  if (json === true) {
    const envelope: JobEnvelope = {
      id: batchId,
      kind: record.kind,
      status,
      needsAttention,
      exitCode,
      outcome: { ...summary, results: join(folder, 'results.csv') },
      artifacts: [],
      cost: (summary['billing'] as BillingTotal[] | undefined) ?? [],
      folder,
      progress: null,
    };
    printJson(envelope);
    return exitCode;
  }
  print(`${record.lines} lines`);
  for (const line of countLines(counts)) print(line);
  printProblems(problems);
  for (const line of [...charges.lines(), ...leftLines(record.left)]) print(`  ${line}`);
  print(`results: ${folder} (an export, in the clear)`);
  return exitCode;
}

export function countLines(counts: ChildCounts): string[] {
  return Object.entries(counts).map(
    ([status, count]) => `  ${String(count).padStart(8)}  ${status}`,
  );
}

export function leftLines(left: Readonly<Record<string, number>>): string[] {
  return Object.entries(left).map(([why, count]) => `left: ${count} ${why}`);
}

export function printProblems(problems: readonly LineProblem[]): void {
  for (const { line, status, code, message } of problems.slice(0, mostPrinted)) {
    print(`  line ${line}: ${status}${code === null ? '' : ` (${code})`}: ${message}`);
  }
  if (problems.length > mostPrinted) print(`  and ${problems.length - mostPrinted} more`);
}

async function writeRows(
  ctx: CommandContext,
  kind: BatchKind,
  batch: StoredBatch,
  target: { folder: string; how: { excel: boolean; html: boolean }; endedAt: string },
): Promise<WrittenRows> {
  const { folder, how, endedAt } = target;
  const columns = [...firstColumns, ...kind.columns, ...lastColumns];
  const options = { excel: how.excel, decimalComma: true };
  const results = new AnalysisSheet(join(folder, 'results.csv'), columns, options);
  const sheets = kind.sheets?.(folder, how) ?? null;
  const counts: Record<string, number> = {};
  const problems: LineProblem[] = [];
  const charges = kind.charges();
  const answers = new Set<string>();
  let isDoubted = false;
  try {
    for await (const row of rowsOf(ctx, kind, batch)) {
      const { child, end, line, status } = row;
      counts[status] = (counts[status] ?? 0) + 1;
      if (end?.isDoubted === true || attentionOf(kind.kind, status).needsAttention) {
        isDoubted ||= end?.isDoubted === true;
        const { code = null, message = '' } = row.error ?? {};
        if (problems.length < mostProblems) problems.push({ line, status, code, message });
      }
      if (!results.write(cellsOf(kind, row))) await results.drained();
      const own = ownEnd(row);
      if (own !== null) charges.add(own, child?.before === true);
      const answer = (await own?.answer()) ?? null;
      if (answer !== null) answers.add(await writeAnswer(folder, line, answer));
      await own?.exportTo?.(join(folder, folderName(row)));
      await sheets?.learn(row, answer);
    }
    if (sheets !== null) await writeSheets(rowsOf(ctx, kind, batch), sheets);
    await sheets?.close({ record: batch.record, counts, endedAt });
    await results.close();
    // Of an earlier result that stood here: they may be about other people.
    await removeOthers(join(folder, 'answers'), /^\d+\.json$/, answers);
  } catch (error) {
    await results.abandon();
    await sheets?.abandon();
    throw error;
  }
  return { counts, problems, end: batchEnd(kind.kind, counts, 0, isDoubted), charges };
}

async function writeSheets(rows: AsyncIterable<ResultRow>, sheets: BatchSheets): Promise<void> {
  for await (const row of rows) {
    const answer = (await ownEnd(row)?.answer()) ?? null;
    if (answer !== null) await sheets.write(row, answer);
  }
}

/** That of a duplicate stands by the line that it repeats. */
function ownEnd({ status, end }: ResultRow): ChildEnd | null {
  return status === 'duplicate' ? null : end;
}

/** Of a file, its name without the ending that all of them have. */
function folderName({ asked }: ResultRow): string {
  return asked.replace(/\.rem$/, '');
}

function summaryOf(
  { record, end }: StoredBatch,
  { counts, problems, charges }: WrittenRows,
): Record<string, unknown> {
  const { batchId, blankLines, children, createdAt, inputName, items, kind, label, left, lines } =
    record;
  const about = { batchId, kind, label, inputName, total: lines, blankLines, items, left };
  const when = { startedAt: createdAt, finishedAt: end?.endedAt ?? null };
  return { ...about, asked: children, counts, problems, ...charges.summary(), ...when };
}

async function* rowsOf(
  ctx: CommandContext,
  kind: BatchKind,
  { folder, end }: StoredBatch,
): AsyncGenerator<ResultRow> {
  for await (const row of ctx.store.rows.all(folder)) {
    if ('code' in row) {
      yield notAsked(row);
      continue;
    }
    const item = row.kind === 'item' ? row : await ctx.store.rows.item(folder, row.item);
    const child = item?.child ?? null;
    if (child === null) throw new CommandError(`${folder} is not whole`);
    const childEnd = row.erased ? null : await kind.ending(ctx, child.jobId);
    const hasStarted = childEnd !== null || (await kind.hasStarted(ctx, child.jobId));
    const isOver = end !== null;
    const unended = !isOver
      ? 'not ended'
      : hasStarted
        ? 'lost'
        : end.cancelled
          ? 'cancelled'
          : kind.unstarted;
    yield resultRow(row, child, childEnd, unended);
  }
}

function notAsked(row: Extract<StoredRow, { code: string }>): ResultRow {
  const { line, document: asked, code, message, reference } = row;
  const status = row.erased ? 'erased' : row.kind;
  const nothing = { child: null, end: null, duplicateOf: null, note: '' };
  return { line, asked, status, error: { code, message }, reference, ...nothing };
}

/** What has started goes on at the service, whatever became of the batch. */
function resultRow(
  row: Exclude<StoredRow, { code: string }>,
  child: ChildJob,
  end: ChildEnd | null,
  unended: string,
): ResultRow {
  const { document: asked, line, reference } = row;
  const duplicateOf = row.kind === 'duplicate' ? row.duplicateOf : null;
  const stands = duplicateOf === null ? (end?.status ?? unended) : 'duplicate';
  const notes = [
    row.note,
    child.before ? 'had ended before' : '',
    end?.isErased === true ? 'results erased' : '',
  ];
  return {
    line,
    asked,
    status: row.erased ? 'erased' : stands,
    child: row.erased ? null : child,
    end,
    error: end?.error ?? null,
    reference,
    duplicateOf,
    note: notes.filter((note) => note !== '').join('; '),
  };
}

function cellsOf(kind: BatchKind, row: ResultRow): (string | number | null)[] {
  const { line, asked, status, child, end, error, reference, duplicateOf, note } = row;
  const reported = kind.columns.map((column) => {
    const isCharged = status !== 'duplicate' || !kind.chargeColumns.includes(column);
    const value = isCharged ? (end?.cells[column] ?? null) : null;
    return typeof value === 'boolean' ? String(value) : value;
  });
  return [
    line,
    asked,
    status,
    ...reported,
    error?.code ?? null,
    error?.message ?? null,
    reference,
    duplicateOf,
    note,
    end?.jobId ?? child?.jobId ?? null,
    end?.settledAt ?? null,
  ];
}

/** `answers/<line>.json`: what the service answered, as it came. */
async function writeAnswer(folder: string, line: number, answer: Buffer): Promise<string> {
  const name = `${line}.json`;
  const text = `${JSON.stringify(parseJson(answer), null, 2)}\n`;
  await mkdir(join(folder, 'answers'), { recursive: true });
  await writeWhole(join(folder, 'answers'), name, text);
  return name;
}
