import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { startEntry } from '../../domain/audit-entries';
import { documentsIn } from '../../domain/core/held-documents';
import {
  jobBatchFolder,
  workflowIdOf,
  type ChildJob,
  type JobBatchEnd,
  type JobBatchKind,
  type JobBatchRecord,
} from '../../domain/core/job-batch';
import { queueName } from '../../domain/core/queues';
import type { SheetPlan } from '../../sheets/plan-rows';
import { JobBatchRepository } from '../../store/core/job-batches';
import { indexDocuments } from '../../store/core/subject-index';
import type { EngineClient } from '../../temporal/connection';
import { refuseMissingSearchAttributes } from '../../temporal/search-attributes';
import { attributesAtStart } from '../../workflows/core/search-attributes';
import type { jobBatch } from '../../workflows/job-batch';
import { isRunning, type CommandContext } from './context';
import { CommandError } from './errors';
import { storeFile } from './stored-file';

/** Lines with content; `left`: what was found and is not asked for, by the reason. */
export type BatchRows = SheetPlan<string> & { left?: Readonly<Record<string, number>> };

/** A job that does what is asked for already, or did. */
export type StandingJob = Omit<ChildJob, 'before'> & { ended: boolean };

/** What is asked for: an input, and what one row of it comes to. */
export interface BatchRequest {
  kind: JobBatchKind;
  label: string | null;
  /** On purpose: nothing that has ended is taken for it. */
  rerun: boolean;
  /** The same rows with others are another batch. */
  terms: readonly unknown[];
  inputName: string;
  /** Stored with the batch; null: there is no file. */
  inputPath: string | null;
  /** The rows are found when it is asked for, and are no part of what makes it the same batch. */
  isListed?: true;
  /** Read anew each time. @throws SheetError */
  rows(): BatchRows;
  /** Null: a new job is needed. */
  standing(document: string): Promise<StandingJob | null>;
  /**
   * A job that can be started.
   *
   * @param rerun names the batch that asks once more; null: it is not asked for once more
   */
  put(document: string, rerun: string | null): Promise<Omit<ChildJob, 'before'>>;
}

export interface StoredBatch {
  folder: string;
  record: JobBatchRecord;
  /** Null before the end. */
  end: JobBatchEnd | null;
}

/** What child jobs would be asked for, and what stands. */
export interface Foreseen {
  request: number;
  reuse: number;
  underWay: number;
  left: Readonly<Record<string, number>>;
}

export interface LineProblem {
  line: number;
  status: string;
  code: string | null;
  message: string;
}

/** The input read to its end: nothing is written or sent before this has succeeded. */
async function nameOf({ idKey }: CommandContext, request: BatchRequest): Promise<string> {
  const { kind, terms } = request;
  const hash = createHash('sha256');
  if (request.isListed !== true)
    for await (const row of request.rows()) hash.update(`${JSON.stringify(row)}\n`);
  return idKey.nameOf('manifest', JSON.stringify([kind, hash.digest('hex'), ...terms]));
}

/** The batch of the same rows that has not ended, or that leaves nothing to ask; else a new one. */
export async function openBatch(ctx: CommandContext, request: BatchRequest): Promise<StoredBatch> {
  const name = await nameOf(ctx, request);
  const batches = new JobBatchRepository(ctx.store);
  const newest = await batches.newest(`${request.kind}/${name}`);
  const end = newest === null ? null : await batches.end(newest.folder);
  if (newest !== null && end === null) return { ...newest, end };
  const isSpent = newest !== null && request.isListed !== true && !request.rerun;
  if (isSpent && !(await isAnyOpen(request))) {
    ctx.log(`this batch ended ${end?.endedAt}: its results are shown (\`--rerun\` asks again)`);
    return { ...newest, end };
  }
  return storeBatch(ctx, request, name);
}

async function isAnyOpen(request: BatchRequest): Promise<boolean> {
  for await (const row of request.rows()) {
    if (row.kind !== 'item') continue;
    if ((await request.standing(row.document))?.ended !== true) return true;
  }
  return false;
}

/** Rows and child jobs first, the record last: the batch can be started then. */
async function storeBatch(
  ctx: CommandContext,
  request: BatchRequest,
  name: string,
): Promise<StoredBatch> {
  const { store, environment, idKey } = ctx;
  const { kind, label, inputName, inputPath } = request;
  const createdAt = new Date().toISOString();
  const instant = createdAt.replace(/[-:.]/g, '');
  const batchId = `${kind}/${name}/${instant}`;
  const folder = jobBatchFolder(batchId);
  const keyed = (text: string): string => idKey.nameOf('document', text);
  await indexDocuments(store, folder, keyed, [inputName, label ?? ''].flatMap(documentsIn));
  const writer = store.rows.writer(folder, keyed);
  const rows = request.rows();
  let children = 0;
  for await (const row of rows) {
    if (row.kind !== 'item') await writer.add(row);
    else {
      const child = await childOf(request, row.document, instant);
      if (!child.before) children += 1;
      await writer.add({ ...row, child });
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
    lines,
    blankLines: blank,
    items,
    linesAtFault: invalid + unsupported,
    left: rows.left ?? {},
    children,
    createdAt,
    createdBy,
  };
  const terms = { items, onUnknown: 'report', rerun: request.rerun };
  const entry = startEntry({ workId: batchId, by: createdBy }, terms, Date.parse(createdAt));
  const batches = new JobBatchRepository(store);
  await batches.put(record, label && keyed(label), [entry]);
  await ctx.audit.anchor();
  if (children === 0) {
    const endedAt = new Date().toISOString();
    await batches.finalize(folder, { endedAt, cancelled: false, counts: {} });
  }
  return { folder, record, end: await batches.end(folder) };
}

async function childOf(
  request: BatchRequest,
  document: string,
  instant: string,
): Promise<ChildJob> {
  const { rerun } = request;
  const standing = await request.standing(document);
  if (standing === null || (rerun && standing.ended)) {
    return { ...(await request.put(document, rerun ? instant : null)), before: false };
  }
  const { ended: before, jobId, terms } = standing;
  return { jobId, terms, before };
}

/** Starts it unless it runs. */
export async function startBatch(
  ctx: CommandContext,
  engine: EngineClient,
  { folder, record }: StoredBatch,
  { concurrency, deadline }: { concurrency: number; deadline: number },
): Promise<{ workflowId: string; ranAlready: boolean }> {
  await refuseMissingSearchAttributes(engine);
  const { batchId, children, kind } = record;
  const { queueSuffix } = ctx;
  const workflowId = workflowIdOf(batchId);
  const ranAlready = await isRunning(engine, workflowId);
  if (!ranAlready) await new JobBatchRepository(ctx.store).releaseChildren(folder);
  await engine.client.workflow.start<typeof jobBatch>('jobBatch', {
    workflowId,
    taskQueue: queueName('workflows', queueSuffix),
    args: [
      {
        kind,
        batchId,
        folder,
        children,
        carryover: { after: -1, underWay: [], counts: {}, paused: false },
        concurrency,
        deadlineMs: deadline,
        queueSuffix,
      },
    ],
    typedSearchAttributes: attributesAtStart(kind, batchId),
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
  });
  return { workflowId, ranAlready };
}

/** What a batch would do, without doing it. */
export async function foresee(
  request: BatchRequest,
): Promise<{ foreseen: Foreseen; problems: LineProblem[] }> {
  const foreseen = { request: 0, reuse: 0, underWay: 0 };
  const problems: LineProblem[] = [];
  const rows = request.rows();
  for await (const row of rows) {
    if ('code' in row) {
      const { line, code, message, kind: status } = row;
      problems.push({ line, status, code, message });
    }
    if (row.kind !== 'item') continue;
    const standing = await request.standing(row.document);
    foreseen[foreseenOf(standing?.ended === true && request.rerun ? null : standing)] += 1;
  }
  return { foreseen: { ...foreseen, left: rows.left ?? {} }, problems };
}

export function foreseenOf(
  standing: Pick<StandingJob, 'ended'> | null,
): 'request' | 'reuse' | 'underWay' {
  if (standing === null) return 'request';
  return standing.ended ? 'reuse' : 'underWay';
}

/**
 * By the id that its command printed, or, without its instant, the last one of that input.
 *
 * @throws CommandError when there is none
 */
export async function batchOf({ store }: CommandContext, id: string): Promise<StoredBatch> {
  const batches = new JobBatchRepository(store);
  const parts = /^[a-z]+-batch\/[0-9a-f]{32}(\/\d{8}T\d+Z)?$/.exec(id);
  const folder = jobBatchFolder(id);
  const record = parts?.[1] === undefined ? null : await batches.record(folder);
  const isNewest = parts !== null && parts[1] === undefined;
  const found = isNewest ? await batches.newest(id) : record && { folder, record };
  if (found === null) throw new CommandError(`no batch ${id} in this store`);
  return { ...found, end: await batches.end(found.folder) };
}

/** File name of an input, without its folders. */
export function inputNameOf(path: string): string {
  return path === '-' ? 'standard input' : basename(path);
}
