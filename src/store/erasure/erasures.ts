import { randomBytes } from 'node:crypto';
import type { AuditEntry } from '../../domain/core/audit';
import { keepErasure, type HoldingBackup } from '../backup/kept-backups';
import { statement } from '../statement';
import type { Store } from '../store';
import { byKind, type ErasedObject } from './draft';
import type { ErasurePlan, ErasureTarget } from './plan';

/** One run of a workflow of a job. */
export interface WorkflowRun {
  workflowId: string;
  runId: string;
}

/** What the engine knows of a job: runs that have ended, and ids of workflows that have not. */
export interface JobRuns {
  closed: WorkflowRun[];
  running: string[];
}

/** The record of an erasure: who, when, why and what, without what was erased. */
export interface ErasureRecord {
  id: string;
  target: ErasureTarget;
  by: string;
  reason: string;
  startedAt: string;
  /** Null while something is left to do: the same command again finishes it. */
  finishedAt: string | null;
  jobs: string[];
  /** Lines of inputs that became tombstones, or went with their job. */
  rows: number;
  /** Ids of the workflows that are deleted from the engine. */
  workflows: string[];
  /** By kind. */
  objects: ErasedObject[];
  /** That hold it, until they are removed. A restore erases it again; from one that is away it cannot. */
  backups: HoldingBackup[];
}

/** An erasure that is under way, or was cut short, with what is left to do. */
export interface OpenErasure {
  record: ErasureRecord;
  /** Bytes that no row names any more. */
  blobs: readonly string[];
  runs: readonly WorkflowRun[];
}

/** Done twice, it finds less to do. */
export type DeleteRuns = (runs: readonly WorkflowRun[]) => Promise<void>;

export interface ErasureOrder {
  by: string;
  /** Without what is erased. */
  reason: string;
  runs: readonly WorkflowRun[];
  deleteRuns: DeleteRuns;
}

const openFolder = 'erasures/open/';

/**
 * Carries a plan out. Its statements, its record and the line of the audit trail are one transaction: before
 * it nothing has changed. What is no row goes after it, and is named by the record until it is gone.
 *
 * @returns the record, and its key
 */
export async function erase(
  store: Store,
  { asked, target, jobs, rows, draft }: ErasurePlan,
  { by, reason, runs, deleteRuns }: ErasureOrder,
): Promise<{ record: ErasureRecord; key: string }> {
  const startedAt = new Date().toISOString();
  const id = `${startedAt.replace(/[-:.]/g, '')}-${randomBytes(4).toString('hex')}`;
  const record: ErasureRecord = {
    id,
    target,
    by,
    reason,
    startedAt,
    finishedAt: null,
    jobs: jobs.map((job) => job.id),
    rows,
    workflows: [...new Set(runs.map(({ workflowId }) => workflowId))],
    objects: byKind(draft.objects.values()),
    backups: await keepErasure(store, { id, asked, by, reason }),
  };
  const open: OpenErasure = { record, blobs: draft.blobs, runs };
  const head = await store.records.replacement(headKey(id), JSON.stringify(open));
  await store.commit([...(await draft.statements()), head], [entryOf(record)]);
  return finishErasure(store, open, deleteRuns);
}

/** Does what is left of an erasure: once it returns, nothing is. */
export async function finishErasure(
  store: Store,
  { record, blobs, runs }: OpenErasure,
  deleteRuns: DeleteRuns,
): Promise<{ record: ErasureRecord; key: string }> {
  await store.removeBlobs(blobs);
  await deleteRuns(runs);
  // What was overwritten is on the disk no more before the record says that it is done.
  await store.forget();
  const finished = { ...record, finishedAt: new Date().toISOString() };
  const key = `erasures/${record.id}.json`;
  await store.commit([
    await store.records.replacement(key, JSON.stringify(finished, null, 2)),
    statement('DELETE FROM record WHERE key = ?', [headKey(record.id)]),
  ]);
  return { record: finished, key };
}

/** Erasures that are under way or were cut short. */
export async function openErasures(store: Store): Promise<OpenErasure[]> {
  const heads = (await store.records.list(openFolder)).filter((key) => key.endsWith('.json'));
  const found = await Promise.all(heads.map((key) => store.records.getJson<OpenErasure>(key)));
  return found.filter((open) => open !== null);
}

/** By age, the instant moves on between one try and the next. */
export function isSameTarget(a: ErasureTarget, b: ErasureTarget): boolean {
  const text = (one: ErasureTarget): string => JSON.stringify({ ...one, endedBefore: null });
  return text(a) === text(b);
}

function headKey(id: string): string {
  return `${openFolder}${id}.json`;
}

/** Whom it is about stands in the record that it names: what was erased has no number any more. */
function entryOf({ id, target, by, startedAt, ...record }: ErasureRecord): AuditEntry {
  const { kind, ...about } = target;
  const { rows, objects, workflows } = record;
  return {
    kind: 'erasure',
    id: `erasure/${id}`,
    result: 'erased',
    by,
    happenedAt: startedAt,
    details: {
      ...(kind !== 'job' && !('name' in about) && about),
      target: kind,
      rows,
      objects: objectsOf(objects),
      workflows: workflows.length,
    },
  };
}

/** How many rows and records it has removed or emptied. */
export function objectsOf(objects: readonly ErasedObject[]): number {
  return objects.reduce((sum, { removed, emptied }) => sum + removed + emptied, 0);
}
