import { createHash, randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import { startEntry } from '../../../domain/audit-entries';
import { documentsIn } from '../../../domain/core/documents/held-documents';
import {
  jobBatchFolder,
  type ChildJob,
  type JobBatchEnd,
  type JobBatchRecord,
} from '../../../domain/core/job-batch';
import { type JobBatchKind } from '../../../domain/job';
import {
  manifestLine,
  onlyCell,
  planItems,
  type FilledRow,
  type RowReading,
  type SheetPlan,
} from '../../../sheets/read/plan-rows';
import type { InputChoice } from '../../../sheets/read/read-rows';
import { JobBatchRepository } from '../../../store/core/jobs/job-batches';
import { indexDocuments } from '../../../store/core/subject-index';
import type { JobBatchInput } from '../../../workflows/inputs';
import type { CommandContext } from '../context';
import type { Job } from '../job-kind';
import type { SheetTerms, StartTerms } from '../begin/request';
import { foreseeRows, type StartPlan, type Foreseen } from '../begin/start-job';
import { storeFile } from '../written-file';

/** Non-empty lines; `left`: rows found and not requested, by reason. */
export type BatchRows = SheetPlan<string> & { left?: Readonly<Record<string, number>> };

/** A job that makes the same request, open or ended. */
export type ExistingJob = Omit<ChildJob, 'before'> & { ended: boolean };

export interface Foresight {
  add(item: string): Promise<void>;
  lines(): string[];
}

export interface BatchRequest {
  kind: JobBatchKind;
  label: string | null;
  /** Explicit rerun: jobs that have ended are not reused. */
  rerun: boolean;
  /** Other terms make another batch of the same rows. */
  terms: readonly unknown[];
  inputName: string;
  /** Stored with the batch; null: the batch has no file. */
  inputPath: string | null;
  /** Requests of a row that may be charged, when nothing fails; left out: no budget counts them. */
  requestsPerRow?: number;
  /** The rows are listed when the batch starts and do not identify it. */
  isListed?: true;
  /** Reads the input again on every call. @param notices warnings about the file */
  rows(notices?: Pick<InputChoice, 'onHeader' | 'onNotice'>): BatchRows;
  /** Null: the row needs a new job. @param item the request of the row */
  existing(item: string): Promise<ExistingJob | null>;
  /** Stores a job, ready to start. @param rerun id of the batch that requests it again; null: this is no rerun */
  put(item: string, rerun: string | null): Promise<Omit<ChildJob, 'before'>>;
  foresight?(): Foresight;
}

/** Reads the whole input: nothing is written or sent before this succeeds. */
async function nameOf(
  { idKey, log, reader }: CommandContext,
  request: BatchRequest,
): Promise<string> {
  const { kind, terms } = request;
  const hash = createHash('sha256');
  if (request.isListed !== true)
    for await (const row of request.rows({ onNotice: ([en, pt]) => log(reader.say(en, pt)) }))
      hash.update(manifestLine(row));
  return idKey.nameOf('manifest', JSON.stringify([kind, hash.digest('hex'), ...terms]));
}

async function isAnyOpen(request: BatchRequest): Promise<boolean> {
  for await (const row of request.rows()) {
    if (row.kind !== 'item') continue;
    if ((await request.existing(itemOf(row)))?.ended !== true) return true;
  }
  return false;
}

/** Stores rows and child jobs first, the batch record last: after that the batch can start. */
async function storeBatch(
  ctx: CommandContext,
  request: BatchRequest,
  name: string,
  { budget, concurrency, deadline: deadlineMs }: BatchTerms,
): Promise<string> {
  const { store, environment, idKey } = ctx;
  const { kind, label, inputName, inputPath } = request;
  const createdAt = new Date().toISOString();
  // Two commands may store the same batch within a millisecond: each stores its own rows.
  const instant = `${createdAt.replace(/[-:.]/g, '')}${randomBytes(3).toString('hex')}`;
  const batchId = `${kind}/${name}/${instant}`;
  const folder = jobBatchFolder(batchId);
  const keyed = (text: string): string => idKey.nameOf('document', text);
  await indexDocuments(store, folder, keyed, [inputName, label ?? ''].flatMap(documentsIn));
  const writer = store.rows.writer(folder, keyed);
  let columns: readonly string[] | undefined;
  const rows = request.rows({ onHeader: (own) => (columns = own) });
  let children = 0;
  for await (const row of rows) {
    if (row.kind !== 'item') await writer.add(row);
    else {
      const child = await childOf(request, itemOf(row), instant);
      if (!child.before) children += 1;
      const { requested: _, ...stored } = row;
      await writer.add({ ...stored, child });
    }
  }
  await writer.end();
  const { blank, invalid, items, lines, unsupported } = rows.counts;
  const stored = inputPath === null ? null : await storeFile(store, inputPath);
  const createdBy = environment.actor;
  const record: JobBatchRecord = {
    kind,
    batchId,
    name,
    label,
    inputName,
    inputSha256: stored?.inputSha256 ?? null,
    inputKey: stored?.inputKey ?? null,
    ...(columns !== undefined && { columns }),
    lines,
    blankLines: blank,
    items,
    linesAtFault: invalid + unsupported,
    left: rows.left ?? {},
    children,
    concurrency,
    deadlineMs,
    ...(budget !== undefined && { budget }),
    rerun: request.rerun,
    createdAt,
    createdBy,
  };
  const terms = { items, onUnknown: 'report', rerun: request.rerun };
  const entry = startEntry({ jobId: batchId, by: createdBy }, terms, Date.parse(createdAt));
  const batches = new JobBatchRepository(store);
  await batches.put(record, label && keyed(label), [entry]);
  await ctx.audit.anchor();
  const repeated = lines - items - invalid - unsupported;
  const { count, say } = ctx.reader;
  const faults = invalid + unsupported;
  const all = count(lines, ['line', 'lines'], ['linha', 'linhas']);
  ctx.log(
    say(
      `${all}: ${items} different, ${repeated} repeated, ${faults} at fault, ${blank} blank`,
      `${all}; diferentes: ${items}, repetidas: ${repeated}, com problema: ${faults}, em branco: ${blank}`,
    ),
  );
  const before = items - children;
  if (before > 0) ctx.log(say(`${before} had ended before`, `já tinham terminado: ${before}`));
  if (children === 0) {
    const endedAt = new Date().toISOString();
    await batches.finalize(folder, { endedAt, cancelled: false, counts: {} });
  }
  return batchId;
}

function itemOf({ requested, document }: { requested?: string; document: string }): string {
  return requested ?? document;
}

async function childOf(request: BatchRequest, item: string, instant: string): Promise<ChildJob> {
  const { rerun } = request;
  const existing = await request.existing(item);
  if (existing === null || (rerun && existing.ended)) {
    return { ...(await request.put(item, rerun ? instant : null)), before: false };
  }
  const { ended: before, jobId, terms } = existing;
  return { jobId, terms, before };
}

export interface BatchTerms {
  budget?: number | undefined;
  concurrency: number;
  /** Milliseconds from the start of a child job to its outcome. */
  deadline: number;
}

/** An existing batch of the same rows is reused while it is open, or when it left nothing to request. */
export async function planBatchStart(
  ctx: CommandContext,
  request: BatchRequest,
  terms: BatchTerms,
): Promise<StartPlan<JobBatchRecord, JobBatchEnd>> {
  const name = await nameOf(ctx, request);
  const found = await ctx.store.jobs.find(`${request.kind}/${name}`);
  const existing = found as Job<JobBatchRecord, JobBatchEnd> | null;
  const isSpent = existing?.outcome != null && request.isListed !== true && !request.rerun;
  const batches = new JobBatchRepository(ctx.store);
  return {
    existing,
    isAnswer: isSpent && !(await isAnyOpen(request)),
    foresee: () => foresee(request),
    record: () => storeBatch(ctx, request, name, terms),
    release: ({ folder }) => batches.releaseChildren(folder),
    withdraw: ({ folder }) => batches.withdrawChildren(folder),
    run: {
      workflow: 'jobBatch',
      input: ({ folder, input }): JobBatchInput => ({
        kind: input.kind,
        batchId: input.batchId,
        folder,
        children: input.children,
        carryover: { after: -1, underWay: [], counts: {}, paused: false },
        concurrency: input.concurrency,
        deadlineMs: terms.deadline,
        ...budgetOf(input, request),
        queueSuffix: ctx.queueSuffix,
      }),
    },
    mayEndAtOnce: true,
    isBatch: true,
  };
}

function budgetOf(
  { budget: requests }: JobBatchRecord,
  { requestsPerRow: perRow }: BatchRequest,
): Pick<JobBatchInput, 'budget'> {
  return requests === undefined || perRow === undefined ? {} : { budget: { requests, perRow } };
}

async function foresee(request: BatchRequest): Promise<Foreseen> {
  const foresight = request.foresight?.();
  const rows = request.rows();
  const found = await foreseeRows(rows, async (row) => {
    if (row.kind !== 'item') return null;
    const item = itemOf(row);
    const existing = await request.existing(item);
    if (existing !== null && !(existing.ended && request.rerun))
      return existing.ended ? 'reuse' : 'underWay';
    await foresight?.add(item);
    return 'request';
  });
  const lines = foresight?.lines() ?? [];
  return { ...found, left: rows.left ?? {}, ...(lines.length > 0 && { lines }) };
}

type FileRequest = SheetTerms & Pick<StartTerms, 'label' | 'rerun'>;

type CellReading =
  | { kind?: 'invalid' | 'unsupported'; code: string; message: string }
  | { document: string; note: string };

/** Reads rows that have one cell with their subject. @param what content of the cell, in a message */
export function oneCell(
  type: string,
  what: string,
  read: (text: string) => CellReading,
): (row: FilledRow) => RowReading<string> {
  return ({ documents }) => {
    const cell = onlyCell(documents, what);
    const isFault = cell !== null && 'code' in cell;
    const reading = isFault ? cell : read(cell?.text ?? '');
    return 'code' in reading
      ? { kind: 'invalid', type, ...reading }
      : { kind: 'item', type, document: reading.document, note: reading.note };
  };
}

/** The part of a request that comes from its file. @param readRow reads a line of it */
export function ofFile(
  { input, label, rerun = false, column, reference, sheet }: FileRequest,
  holds: NonNullable<InputChoice['holds']>,
  readRow: (row: FilledRow) => RowReading<string>,
) {
  return {
    label: label ?? null,
    rerun,
    inputName: basename(input),
    inputPath: input,
    rows: (notices?: Parameters<BatchRequest['rows']>[0]): BatchRows => {
      // Spreadsheet readers are loaded by commands that read one.
      const { readSheet } =
        require('../../../sheets/read/read-rows') as typeof import('../../../sheets/read/read-rows');
      return planItems(readSheet(input, { holds, column, reference, sheet, ...notices }), readRow);
    },
  };
}
