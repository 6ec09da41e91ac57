import { randomBytes } from 'node:crypto';
import type { AuditEntry } from '../../domain/core/audit';
import { keepErasure, type HoldingBackup } from '../backup/kept-backups';
import { nameBytes } from '../core/stored-bytes';
import { statement, type Statement } from '../statement';
import type { Store } from '../store';
import type { ErasureTarget } from './catalog';
import type { ErasedObject } from './draft';
import type { ErasurePlan } from './plan';

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
  objects: ErasedObject[];
  /** That hold it, until they are removed. A restore erases it again; from one that is away it cannot. */
  backups: HoldingBackup[];
}

/** An erasure that is under way, or was cut short, with what is left to do. */
export interface OpenErasure {
  record: ErasureRecord;
  /** Keys of the statements that are not committed yet: all of them came into one transaction, or these. */
  parts: string[];
  /** Bytes that no row names, once the statements are committed. */
  blobs: string[];
  runs: WorkflowRun[];
}

/** What finishing an erasure needs beyond the store. Done twice, it finds less to do. */
export interface ErasureTools {
  /** `IdKey.macOf`. */
  macOf: (text: string) => string;
  deleteRuns: (runs: readonly WorkflowRun[]) => Promise<void>;
}

export interface ErasureOrder extends ErasureTools {
  by: string;
  /** Without what is erased. */
  reason: string;
  startedAt: string;
  runs: readonly WorkflowRun[];
}

/** More of them in one transaction would hold up whoever else commits. */
const mostStatements = 800;
const openFolder = 'erasures/open/';

/**
 * Carries a plan out. Its statements, its record and the line of the audit trail are one transaction: before
 * it nothing has changed. What is no row goes after it, and is named by the record until it is gone. A plan too
 * large for one transaction is stored whole first, and then worked off (decision record 011).
 *
 * @returns the record, and its key
 */
export async function erase(
  store: Store,
  plan: ErasurePlan,
  order: ErasureOrder,
  most: number = mostStatements,
): Promise<{ record: ErasureRecord; key: string }> {
  const { by, reason, startedAt, runs } = order;
  const erasureId = `${startedAt.replace(/[-:.]/g, '')}-${randomBytes(4).toString('hex')}`;
  const record: ErasureRecord = {
    id: erasureId,
    target: plan.target,
    by,
    reason,
    startedAt,
    finishedAt: null,
    jobs: plan.jobs.map(({ id }) => id),
    rows: plan.rows,
    workflows: [...new Set(runs.map(({ workflowId }) => workflowId))],
    objects: plan.draft.objects(order.macOf),
    backups: await keepErasure(store, { id: erasureId, asked: plan.asked, by, reason }),
  };
  const statements = await plan.draft.statements();
  const open: OpenErasure = { record, parts: [], blobs: [...plan.draft.blobs], runs: [...runs] };
  if (statements.length <= most) {
    await store.commit([...statements, await headOf(store, open)], [entryOf(record)]);
  } else {
    const named: Statement[] = [];
    for (let from = 0; from < statements.length; from += most) {
      const key = `${openFolder}${record.id}/${String(from / most).padStart(5, '0')}`;
      const body = JSON.stringify(statements.slice(from, from + most), bytesAsText);
      const stored = await store.records.storeBytes(key, body);
      if (stored === null) throw new RangeError(`${key} is there already`);
      named.push(nameBytes(stored));
      open.parts.push(key);
      open.blobs.push(stored.blob);
    }
    await store.commit([...named, await headOf(store, open)]);
  }
  return finishErasure(store, open, order);
}

/** Does what is left of an erasure: once it returns, nothing is. */
export async function finishErasure(
  store: Store,
  { record, parts, blobs, runs }: OpenErasure,
  { deleteRuns }: ErasureTools,
): Promise<{ record: ErasureRecord; key: string }> {
  for (const part of parts) {
    const body = await store.records.get(part);
    if (body === null) continue;
    const statements = JSON.parse(body.toString('utf8'), textAsBytes) as Statement[];
    const done = statement('DELETE FROM record WHERE key = ?', [part]);
    await store.commit([...statements, done], part === parts.at(-1) ? [entryOf(record)] : []);
  }
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
  const found: OpenErasure[] = [];
  for (const key of await store.records.list(openFolder)) {
    const open = key.endsWith('.json') ? await store.records.getJson<OpenErasure>(key) : null;
    if (open !== null) found.push(open);
  }
  return found;
}

/** By age, the instant moves on between one try and the next. */
export function isSameTarget(a: ErasureTarget, b: ErasureTarget): boolean {
  if (a.kind === 'document' || a.kind === 'target') return b.kind === a.kind && a.name === b.name;
  if (a.kind === 'job') return b.kind === 'job' && a.id === b.id;
  if (a.kind === 'expired') return b.kind === 'expired' && a.jobs === b.jobs;
  return b.kind === 'age' && a.class === b.class;
}

function headKey(id: string): string {
  return `${openFolder}${id}.json`;
}

function headOf(store: Store, open: OpenErasure): Promise<Statement> {
  return store.records.replacement(headKey(open.record.id), JSON.stringify(open));
}

/** Whom it is about stands in the record that it names: what was erased has no number any more. */
function entryOf({
  id,
  target,
  by,
  startedAt,
  rows,
  workflows,
  objects,
}: ErasureRecord): AuditEntry {
  return {
    kind: 'erasure',
    id: `erasure/${id}`,
    result: 'erased',
    by,
    happenedAt: startedAt,
    details: {
      target: target.kind,
      ...(target.kind === 'age' && { class: target.class, endedBefore: target.endedBefore }),
      ...(target.kind === 'expired' && { jobs: target.jobs, endedBefore: target.endedBefore }),
      rows,
      objects: objects.length,
      workflows: workflows.length,
    },
  };
}

/** Sealed bodies among the parameters. `toJSON` of a Buffer is called before a replacer sees it. */
function bytesAsText(_: string, value: unknown): unknown {
  const { type, data } = (value ?? {}) as { type?: string; data?: number[] };
  if (type !== 'Buffer' || data === undefined) return value;
  return { base64: Buffer.from(data).toString('base64') };
}

function textAsBytes(_: string, value: unknown): unknown {
  const { base64 } = (value ?? {}) as { base64?: string };
  return base64 === undefined ? value : Buffer.from(base64, 'base64');
}
