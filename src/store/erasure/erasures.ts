import { randomBytes } from 'node:crypto';
import { deserialize, serialize } from 'node:v8';
import type { AuditEntry } from '../../domain/core/audit';
import { keepErasure, type HoldingBackup } from '../backup/stored-backups';
import { partKey } from '../core/large-objects';
import { nameBytes } from '../records';
import { partsOf, sql, type Statement } from '../statement';
import type { Store } from '../store';
import { byKind, type ErasedObject } from './draft';
import type { ErasurePlan, ErasureTarget } from './plan';

export interface WorkflowRun {
  workflowId: string;
  runId: string;
}

export interface JobRuns {
  closed: WorkflowRun[];
  running: string[];
}

export interface ErasureRecord {
  id: string;
  target: ErasureTarget;
  by: string;
  reason: string;
  startedAt: string;
  /** Null while incomplete: the same command finishes it. */
  finishedAt: string | null;
  jobs: string[];
  /** Input rows that were emptied, or removed with their job. */
  rows: number;
  workflows: string[];
  objects: ErasedObject[];
  /** Backups that hold the data until they are removed. A restore repeats the erasure; a missing backup cannot. */
  backups: HoldingBackup[];
}

export interface OpenErasure {
  record: ErasureRecord;
  /** Keys of the uncommitted statements; empty: one transaction had all of them. */
  parts: readonly string[];
  /** Bytes that no row names once the statements are committed. */
  blobs: readonly string[];
  runs: readonly WorkflowRun[];
}

export type DeleteRuns = (runs: readonly WorkflowRun[]) => Promise<void>;

/** Larger transactions delay other commits. */
const mostStatements = 800;
const openFolder = 'erasures/open/';

/**
 * Carries a plan out. Its statements, its record and the audit event are one transaction. Other data is erased after
 * it, and the record names it until then. A plan too large for one transaction is stored first, and then applied in
 * parts (decision record 011).
 * @param order `reason`: without the erased data
 */
export async function erase(
  store: Store,
  { request, target, jobs, rows, draft }: ErasurePlan,
  order: { by: string; reason: string; runs: readonly WorkflowRun[]; deleteRuns: DeleteRuns },
  most: number = mostStatements,
): Promise<{ record: ErasureRecord; key: string }> {
  const { by, reason, runs } = order;
  const startedAt = new Date().toISOString();
  const id = `${startedAt.replace(/[-:.]/g, '')}-${randomBytes(4).toString('hex')}`;
  const record: ErasureRecord = {
    id,
    target,
    by,
    reason,
    startedAt,
    finishedAt: null,
    rows,
    jobs: jobs.map((job) => job.id),
    workflows: [...new Set(runs.map(({ workflowId }) => workflowId))],
    objects: byKind(draft.objects.values()),
    backups: await keepErasure(store, { id, request, by, reason }),
  };
  const all = partsOf(await draft.statements(), most);
  const isWhole = all.length <= 1;
  const stored = await Promise.all(
    (isWhole ? [] : all).map((part, n) =>
      store.records.storeBytes(partKey(openFolder + id, n), serialize(part)),
    ),
  );
  const parts = stored.filter((one) => one !== null);
  const blobs = [...draft.blobs, ...parts.map(({ blob }) => blob)];
  const open: OpenErasure = { record, parts: parts.map(({ key }) => key), blobs, runs };
  const head = await store.records.replacement(headKey(id), JSON.stringify(open));
  const statements = isWhole ? all.flat() : parts.map(nameBytes);
  await store.commit([...statements, head], isWhole ? [entryOf(record)] : []);
  return finishErasure(store, open, order.deleteRuns);
}

export async function finishErasure(
  store: Store,
  { record, parts, blobs, runs }: OpenErasure,
  deleteRuns: DeleteRuns,
): Promise<{ record: ErasureRecord; key: string }> {
  for (const part of parts) {
    const body = await store.records.get(part);
    if (body === null) continue;
    const statements = deserialize(body) as Statement[];
    const done = sql`DELETE FROM record WHERE key = ${part}`;
    await store.commit([...statements, done], part === parts.at(-1) ? [entryOf(record)] : []);
  }
  await store.removeBlobs(blobs);
  await deleteRuns(runs);
  // Overwritten data must be gone from the disk before the record says so.
  await store.forget();
  const finished = { ...record, finishedAt: new Date().toISOString() };
  const key = `erasures/${record.id}.json`;
  await store.commit([
    await store.records.replacement(key, JSON.stringify(finished, null, 2)),
    sql`DELETE FROM record WHERE key = ${headKey(record.id)}`,
  ]);
  return { record: finished, key };
}

export async function openErasures({ records }: Store): Promise<OpenErasure[]> {
  const heads = (await records.list(openFolder)).filter((key) => key.endsWith('.json'));
  const found = await Promise.all(heads.map((key) => records.getJson<OpenErasure>(key)));
  return found.filter((open) => open !== null);
}

/** By age: the instant differs between tries. */
export function isSameTarget(a: ErasureTarget, b: ErasureTarget): boolean {
  const text = (one: ErasureTarget): string => JSON.stringify({ ...one, endedBefore: null });
  return text(a) === text(b);
}

function headKey(id: string): string {
  return `${openFolder}${id}.json`;
}

/** The subject is in the record that it names: an erased subject has no number any more. */
function entryOf({ id, target, by, startedAt, ...record }: ErasureRecord): AuditEntry {
  const { kind, ...about } = target;
  const { rows, objects, workflows } = record;
  const shown = kind === 'job' || 'name' in about ? {} : about;
  return {
    kind: 'erasure',
    id: `erasure/${id}`,
    result: 'erased',
    by,
    happenedAt: startedAt,
    details: {
      ...shown,
      target: kind,
      rows,
      objects: objectsOf(objects),
      workflows: workflows.length,
    },
  };
}

export function objectsOf(objects: readonly ErasedObject[]): number {
  return objects.reduce((sum, { removed, emptied }) => sum + removed + emptied, 0);
}
