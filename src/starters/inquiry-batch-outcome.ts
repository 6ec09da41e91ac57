import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { parseJson } from '../apis/http/problem';
import { LookupBatchRepository } from '../store/inquiry-batches';
import { exitCodeOf } from '../domain/attention';
import { batchEnd } from '../domain/job-ends';
import { orderEntry } from '../domain/audit-entries';
import type { ManifestItem, RefusedLine, RepeatedLine } from '../domain/certificates/certificates';
import {
  inquiryBatchFolder,
  inquiryBatchKinds,
  inquiryBatchWorkflowId,
  type InquiryBatchEnd,
  type InquiryBatchKind,
  type InquiryBatchRecord,
  type InquiryWork,
} from '../domain/core/inquiry-batch';
import { AnalysisSheet } from '../sheets/analysis-sheet';
import type { EngineClient } from '../temporal/connection';
import {
  cancelUpdate,
  inquiryBatchProgressQuery,
  pauseUpdate,
  resumeUpdate,
} from '../workflows/messages';
import { defaultFolder } from './cli/flags';
import type { InquiryCharges } from './jobs/inquiry-charges';
import { inquiryKinds, type InquiryKind } from './inquiry-kinds';
import type { InquiryEnding, InquirySheets } from './jobs/inquiry-rows';
import { CommandError } from './jobs/errors';
import { counted } from './jobs/text';
import { print, printJson } from './cli/terminal';
import type { OrderName, WorkFamily } from './cli/work-family';
import { isNotFound, isRunning, withEngine, type CommandContext } from './jobs/context';
import { removeOthers, writeWhole } from './cli/written-file';

export interface InquiryOnFile {
  folder: string;
  record: InquiryBatchRecord;
  /** Null before the end. */
  end: InquiryBatchEnd | null;
}

export interface InquiryOutput {
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

/** One input line, as it stands. */
interface InquiryRow {
  line: number;
  asked: string;
  status: string;
  work: InquiryWork | null;
  ending: InquiryEnding | null;
  error: { code: string | null; message: string } | null;
  reference: string;
  duplicateOf: number | null;
  note: string;
}

/** One line an input line, in order; the answers beside it. Returns the exit code. */
export async function showInquiryBatch(
  place: CommandContext,
  batch: InquiryOnFile,
  { out, html, excel, json }: InquiryOutput,
): Promise<number> {
  const { batchId } = batch.record;
  const { end } = batch;
  if (end === null)
    throw new CommandError(`${batchId} has not ended: \`diligence status ${batchId}\``);
  const kind = kindOfBatch(batch.record.kind);
  const folder = resolve(out ?? defaultFolder(batchId));
  await mkdir(join(folder, 'answers'), { recursive: true });
  const how = { excel: excel === true, html: html === true };
  const written = await writeRows(place, kind, batch, { folder, how, endedAt: end.endedAt });
  const { counts, charges } = written;
  const batchKind = batch.record.kind;
  const exitCode = exitCodeOf(batchKind, batchEnd(batchKind, counts));
  const summary = summaryOf(batch, written);
  await writeWhole(folder, 'summary.json', `${JSON.stringify(summary, null, 2)}\n`);
  if (json === true) {
    printJson({ id: batchId, exitCode, folder, summary });
    return exitCode;
  }
  print(`${batch.record.lines} lines`);
  for (const [status, count] of Object.entries(counts)) {
    print(`  ${String(count).padStart(6)}  ${status}`);
  }
  for (const line of charges.lines()) print(`  ${line}`);
  print(`results: ${folder} (an export, in the clear)`);
  return exitCode;
}

/** Lines by how they stand, and what their works were charged. */
interface WrittenRows {
  counts: Record<string, number>;
  charges: InquiryCharges;
}

async function writeRows(
  place: CommandContext,
  kind: InquiryKind,
  batch: InquiryOnFile,
  {
    folder,
    how,
    endedAt,
  }: { folder: string; how: { excel: boolean; html: boolean }; endedAt: string },
): Promise<WrittenRows> {
  const columns = [...firstColumns, ...kind.columns, ...lastColumns];
  const options = { excel: how.excel, decimalComma: true };
  const results = new AnalysisSheet(join(folder, 'results.csv'), columns, options);
  const sheets = kind.sheets?.(folder, how) ?? null;
  const counts: Record<string, number> = {};
  const charges = kind.charges();
  const answers = new Set<string>();
  try {
    for await (const row of rowsOf(place, kind, batch)) {
      counts[row.status] = (counts[row.status] ?? 0) + 1;
      if (!results.write(cellsOf(kind, row))) await results.drained();
      const { ending, work } = row;
      const isOwn = hasOwnAnswer(row);
      if (isOwn && ending !== null) charges.add(ending, work?.before === true);
      const answer = isOwn ? ((await ending?.answer()) ?? null) : null;
      if (answer !== null) answers.add(await writeAnswer(folder, row.line, answer));
      await sheets?.learn(row, answer);
    }
    if (sheets !== null) await writeSheets(rowsOf(place, kind, batch), sheets);
    await sheets?.close({ record: batch.record, counts, endedAt });
    await results.close();
    // Of an earlier result that stood here: they may be about other people.
    await removeOthers(join(folder, 'answers'), /^\d+\.json$/, answers);
  } catch (error) {
    await results.abandon();
    await sheets?.abandon();
    throw error;
  }
  return { counts, charges };
}

async function writeSheets(rows: AsyncIterable<InquiryRow>, sheets: InquirySheets): Promise<void> {
  for await (const row of rows) {
    const answer = hasOwnAnswer(row) ? ((await row.ending?.answer()) ?? null) : null;
    if (answer !== null) await sheets.write(row, answer);
  }
}

/** That of a duplicate stands by the line that it repeats. */
function hasOwnAnswer({ status, ending }: InquiryRow): boolean {
  return ending !== null && status !== 'duplicate';
}

function summaryOf(
  { record, end }: InquiryOnFile,
  { counts, charges }: WrittenRows,
): Record<string, unknown> {
  const { batchId, kind, lines, blankLines, items, works, inputName, createdAt } = record;
  const about = { batchId, kind, total: lines, blankLines, items, asked: works, inputName };
  const when = { startedAt: createdAt, finishedAt: end?.endedAt ?? null };
  return { ...about, counts, ...charges.summary(), ...when };
}

async function* rowsOf(
  place: CommandContext,
  kind: InquiryKind,
  { folder, end }: InquiryOnFile,
): AsyncGenerator<InquiryRow> {
  const works = await new LookupBatchRepository(place.store).members(folder);
  for await (const row of place.store.rows.all(folder)) {
    if ('code' in row) yield notAsked(row);
    else {
      const work = works?.[row.item];
      if (work === undefined) throw new CommandError(`${folder} is not whole`);
      const ending = row.erased ? null : await kind.ending(place, work.workId);
      const hasBegun = ending === null && (await kind.hasBegun(place, work.workId));
      yield rowOf({ row, work, ending, hasBegun }, end);
    }
  }
}

function notAsked(row: RefusedLine<string>): InquiryRow {
  const { line, document: asked, code, message, reference } = row;
  const status = row.erased ? 'erased' : row.kind;
  const nothing = { work: null, ending: null, duplicateOf: null, note: '' };
  return { line, asked, status, error: { code, message }, reference, ...nothing };
}

function rowOf(
  found: {
    row: ManifestItem<string> | RepeatedLine<string>;
    work: InquiryWork;
    ending: InquiryEnding | null;
    hasBegun: boolean;
  },
  end: InquiryBatchEnd | null,
): InquiryRow {
  const { row, work, ending } = found;
  const duplicateOf = row.kind === 'duplicate' ? row.duplicateOf : null;
  const isErased = ending?.erased === true;
  const notes = [row.note, work.before ? 'had ended before' : '', isErased ? 'results erased' : ''];
  return {
    line: row.line,
    asked: row.document,
    status: row.erased ? 'erased' : duplicateOf === null ? standing(found, end) : 'duplicate',
    work: row.erased ? null : work,
    ending,
    error: ending?.error ?? null,
    reference: row.reference,
    duplicateOf,
    note: notes.filter((note) => note !== '').join('; '),
  };
}

/** What has begun goes on at the service, whatever became of the batch. */
function standing(
  { ending, hasBegun }: { ending: InquiryEnding | null; hasBegun: boolean },
  end: InquiryBatchEnd | null,
): string {
  if (ending !== null) return ending.status;
  if (end === null) return 'not ended';
  return end.cancelled && !hasBegun ? 'cancelled' : 'lost';
}

function cellsOf(kind: InquiryKind, row: InquiryRow): (string | number | null)[] {
  const { line, asked, status, work, ending, error, reference, duplicateOf, note } = row;
  const told = kind.columns.map((column) => {
    const isCharged = status !== 'duplicate' || !kind.chargeColumns.includes(column);
    const value = isCharged ? (ending?.cells[column] ?? null) : null;
    return typeof value === 'boolean' ? String(value) : value;
  });
  return [
    line,
    asked,
    status,
    ...told,
    error?.code ?? null,
    error?.message ?? null,
    reference,
    duplicateOf,
    note,
    work?.workId ?? null,
    ending?.settledAt ?? null,
  ];
}

/** `answers/<line>.json`: what the service told, as it came. */
async function writeAnswer(folder: string, line: number, answer: Buffer): Promise<string> {
  const name = `${line}.json`;
  const text = `${JSON.stringify(parseJson(answer), null, 2)}\n`;
  await writeWhole(join(folder, 'answers'), name, text);
  return name;
}

/** How a batch stands, in a line; null when nobody can tell. */
export async function inquiryBatchLine(
  engine: EngineClient,
  workflowId: string,
): Promise<string | null> {
  const handle = engine.client.workflow.getHandle(workflowId);
  const progress = await handle.query(inquiryBatchProgressQuery).catch(() => null);
  if (progress === null) return null;
  const { total, counts, underWay, paused, cancelling } = progress;
  const ended = Object.entries(counts);
  const sum = ended.reduce((all, [, count]) => all + (count ?? 0), 0);
  const how = ended.map(([status, count]) => `${count} ${status}`).join(', ');
  const held = cancelling ? ', cancelling' : paused ? ', paused' : '';
  return `${sum} of ${total} ended${how === '' ? '' : ` (${how})`}, ${underWay} under way${held}`;
}

/** @throws CommandError when there is none */
async function batchOf({ store }: CommandContext, id: string): Promise<InquiryOnFile> {
  const parts = /^(trace-batch|profile-batch)\/[0-9a-f]{32}(\/\d{8}T\d+Z)?$/.exec(id);
  const shelf = new LookupBatchRepository(store);
  const folder = inquiryBatchFolder(id);
  const record = parts?.[2] === undefined ? null : await shelf.record(folder);
  const found =
    parts !== null && parts[2] === undefined
      ? await shelf.newest(id)
      : record && { folder, record };
  if (found === null) throw new CommandError(`no batch ${id} in this store`);
  return { ...found, end: await shelf.outcome(found.folder) };
}

async function showStatus(
  place: CommandContext,
  batch: InquiryOnFile,
  json: boolean,
): Promise<void> {
  const { record, end } = batch;
  const { batchId: id, kind, name, inputName: input, createdAt, createdBy } = record;
  const { lines, items, linesAtFault, works } = record;
  const workflowId = inquiryBatchWorkflowId(kind, name);
  const running =
    end !== null
      ? null
      : await withEngine(place, async (engine) =>
          (await isRunning(engine, workflowId))
            ? ((await inquiryBatchLine(engine, workflowId)) ?? 'runs; no worker tells how far')
            : null,
        );
  const state = end !== null ? 'ended' : running === null ? 'broken off' : 'running';
  if (json) {
    const about = { kind, input, lines, items, linesAtFault, works, createdAt, createdBy };
    printJson({ id, ...about, state, progress: running, counts: end?.counts ?? null });
    return;
  }
  print(`${id}: ${state}${end === null ? '' : ` ${end.endedAt}`}`);
  if (running !== null) print(`  ${running}`);
  for (const [status, count] of Object.entries(end?.counts ?? {})) {
    print(`  ${String(count).padStart(8)}  ${status}`);
  }
  const asked = counted(works, ...kindOfBatch(kind).noun);
  const fault = `${counted(linesAtFault, 'line')} at fault`;
  print(
    `  of ${counted(lines, 'line')}: ${asked}, ${items - works} that had ended before, ${fault}`,
  );
  if (state === 'broken off') print('  the same command goes on with it');
}

async function orderBatch(
  place: CommandContext,
  { record, end }: InquiryOnFile,
  order: OrderName,
): Promise<void> {
  const { batchId, kind, name } = record;
  if (end !== null) throw new CommandError(`${batchId} has ended: \`diligence result ${batchId}\``);
  const entry = orderEntry(order, { workId: batchId, by: place.environment.actor }, Date.now());
  await withEngine(place, async (engine) => {
    const handle = engine.client.workflow.getHandle(inquiryBatchWorkflowId(kind, name));
    await place.audit.appendAndAnchor([entry]);
    try {
      if (order === 'pause') print(await handle.executeUpdate(pauseUpdate));
      else if (order === 'resume') print(await handle.executeUpdate(resumeUpdate));
      else {
        const now = order === 'cancel_now';
        print(await handle.executeUpdate(cancelUpdate, { args: [{ now }] }));
      }
    } catch (error) {
      const isRefused = error instanceof WorkflowUpdateFailedError;
      if (!isRefused && !isNotFound(error)) throw error;
      await place.audit.appendAndAnchor([{ ...entry, result: 'refused' }]);
      throw new CommandError(
        isRefused
          ? `${batchId}: ${error.cause?.message ?? 'refused'}`
          : `${batchId} does not run: the same command goes on with it`,
      );
    }
  });
}

function kindOfBatch(wanted: InquiryBatchKind): InquiryKind {
  const found = inquiryKinds.find(({ kind }) => kind === wanted);
  if (found === undefined) throw new CommandError(`${wanted}: of no known kind`);
  return found;
}

export const inquiryBatchWorks: WorkFamily = {
  takesExcel: true,
  owns: (id) => inquiryBatchKinds.some((kind) => id.startsWith(`${kind}/`)),
  status: async (place, id, json) => showStatus(place, await batchOf(place, id), json),
  result: async (place, id, { out, excel, json }) =>
    showInquiryBatch(place, await batchOf(place, id), {
      html: true,
      ...(out !== undefined && { out }),
      ...(excel === true && { excel }),
      ...(json === true && { json }),
    }),
  order: async (place, id, name) => orderBatch(place, await batchOf(place, id), name),
};
