import type { Store } from '../store';
import { Erasures, type ErasedObject, type ErasureRecord } from './erasures';
import type { PlannedChange } from './purge-draft';
import type { PurgePlan } from './purge-plan';

export interface PurgeOrder {
  by: string;
  /** Without what is erased. */
  reason: string;
  startedAt: string;
  /** Ids of the workflows that go with it. */
  workflows: string[];
  /** `IdKey.macOf`. */
  macOf: (text: string) => string;
  /** Called once the intent is on the disk. Repeated, it finds less to do. */
  deleteWorkflows: () => Promise<void>;
  /** Puts the erasure on the audit trail, once it is done. */
  audit: (record: ErasureRecord) => Promise<void>;
}

/**
 * Carries a plan out: the intent is on the disk before anything is touched, the record before the
 * intent is gone. Cut short anywhere, it is planned again and goes on from there (decision record
 * 011).
 *
 * @returns the record, and its key
 */
export async function carryOut(
  store: Store,
  plan: PurgePlan,
  order: PurgeOrder,
): Promise<{ record: ErasureRecord; key: string }> {
  const { by, reason, startedAt, workflows } = order;
  const erasures = new Erasures(store);
  const about: Parameters<Erasures['begin']>[0] = {
    target: plan.target,
    by,
    reason,
    startedAt,
    works: plan.works.map(({ workId }) => workId),
    rows: plan.rows,
    workflows,
    objects: plan.changes.map((change) => erasedObject(change, order.macOf)),
  };
  // Only a purge of a document looks for quotations in what stays.
  const quoted = plan.target.kind === 'document' ? plan.quoted : undefined;
  const wholes = plan.works.filter(({ whole }) => whole).map(({ workId }) => workId);
  const kept = { wholes, ...(quoted !== undefined && { quoted }) };
  const intent = await erasures.begin(about, kept);
  await order.deleteWorkflows();
  for (const change of plan.changes) await apply(store, change);
  const record = { ...intent, finishedAt: new Date().toISOString() };
  const key = await erasures.finish(record);
  await order.audit(record);
  await erasures.close(record.id);
  await store.forget();
  return { record, key };
}

/** Judged by what stands there now, so that it may be done twice. */
async function apply(store: Store, change: PlannedChange): Promise<void> {
  const { key, rewrite } = change;
  if (change.carryOut !== undefined) return change.carryOut();
  if (rewrite === null) {
    await store.records.remove(key);
    return;
  }
  const body = await store.records.get(key);
  if (body === null) return;
  const left = await rewrite(body);
  if (left === null) await store.records.remove(key);
  else await store.records.replace(key, left);
}

function erasedObject(
  { kind, key, hidesKey, action, bytes, sha256 }: PlannedChange,
  macOf: PurgeOrder['macOf'],
): ErasedObject {
  const shown = hidesKey ? `mac:${macOf(key)}` : key;
  const sum = kind === 'pdf' ? { sha256 } : { mac: macOf(sha256) };
  return { kind, key: shown, action, bytes, ...sum };
}
