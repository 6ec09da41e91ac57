import { JobBatchRepository } from '../core/jobs/job-batches';
import { holderOf, monitorOfHolder } from '../monitors/monitors';
import { beginsWith, partsOf, sql, type Statement } from '../statement';
import type { Store } from '../store';
import { fences } from './catalog';

/** Queries that lead to jobs, and from jobs to their purchases, by keys. */

/** An attempt whose outcome is not known. */
export interface UndecidedAttempt {
  subject: string;
  workflowId: string;
  /** Epoch milliseconds until which a response may come; null: lost, and a person resolves it. */
  answerBy: number | null;
}

/** A job that an erasure removes or changes. */
export interface PlannedJob {
  folder: string;
  id: string;
  /** It is removed; otherwise the subject's data in it is emptied. */
  whole: boolean;
  ended: boolean;
}

export async function plannedJob(
  store: Store,
  folder: string,
  whole: boolean,
): Promise<PlannedJob> {
  const monitor = monitorOfHolder(folder);
  if (monitor !== null) return { folder, id: `monitor/${monitor}`, whole, ended: true };
  const [job] = await store.read<{ id: string; endedAt: string | null }>(
    sql`SELECT id, ended_at AS "endedAt" FROM job WHERE holder = ${folder}`,
  );
  const id = job?.id ?? folder.replace(/^(?:works|batches)\//, '');
  return { folder, id, whole, ended: job?.endedAt != null };
}

/** Folders of jobs below a prefix, including those not completely stored. */
export async function jobsBelow(store: Store, prefix: string): Promise<string[]> {
  const jobs = await store.read<{ holder: string }>(
    sql`SELECT holder FROM job WHERE ${beginsWith('holder', prefix)} AND kind <> 'decision'`,
  );
  const keys = await store.records.list(prefix);
  const half = keys.flatMap((key) => /^.+?\/\d{8}T\w+(?=\/)/.exec(key) ?? []);
  return [...new Set([...jobs.map(({ holder }) => holder), ...half])];
}

/** Of a job by its id, or of all jobs of the same request. */
export async function foldersOf(store: Store, id: string): Promise<string[]> {
  const [, monitor] = /^monitor\/([^/]+)$/.exec(id) ?? [];
  if (monitor !== undefined) return [holderOf(monitor)];
  const jobs = await store.read<{ holder: string; id: string }>(
    sql`SELECT holder, id FROM job WHERE id = ${id} OR (${beginsWith('id', `${id}/`)})`,
  );
  const exact = jobs.filter((job) => job.id === id);
  const runs = jobs.filter((job) => /^\d{8}T\w+$/.test(job.id.slice(id.length + 1)));
  if (jobs.length > 0) return (exact.length > 0 ? exact : runs).map(({ holder }) => holder);
  const half = ['works', 'batches'].map((root) => `${root}/${id}`);
  const lists = await Promise.all(half.map((folder) => store.rows.lists(folder)));
  return half.filter((folder) => lists.flat().includes(folder));
}

/** Jobs that batches requested first, and no other batch requested. */
export async function childrenOf(store: Store, own: ReadonlySet<string>): Promise<string[]> {
  const children: string[] = [];
  for (const id of await new JobBatchRepository(store).ownChildren(own))
    children.push(...(await foldersOf(store, id)));
  return children;
}

/** The folder of a job, its resolutions and their lists. */
export async function foldersWithin(store: Store, folder: string): Promise<string[]> {
  const decisions = `${folder}/decisions/`;
  const rows = await store.read<{ holder: string }>(
    sql`SELECT holder FROM job WHERE ${beginsWith('holder', decisions)}`,
  );
  const lists = await store.rows.lists(decisions);
  return [folder, ...rows.map(({ holder }) => holder), ...lists];
}

/** A purchase that jobs share: erased with the last of them. */
export function isFence(subject: string): boolean {
  return fences.has(subject.split('/')[0] ?? '');
}

/** Subjects, uploads, operations and purchases without holders beyond `own`. @param begin prefix of holders that count */
export async function aloneAmong(
  store: Store,
  held: readonly string[],
  own: ReadonlySet<string>,
  begin = '',
): Promise<string[]> {
  const holders = await store.subjects.holdersOf(held, begin);
  return held.filter((one) => [...(holders.get(one) ?? [])].every((holder) => own.has(holder)));
}

/** Ids of the service for subjects, or adopted by people. */
export async function boughtIds(store: Store, subjects: readonly string[]): Promise<string[]> {
  const rows = await inParts<{ id: string }>(store, subjects, (some) => {
    const among = sql`WHERE subject IN ${some} AND external_id IS NOT NULL`;
    return sql`SELECT external_id AS id FROM attempt ${among}
      UNION SELECT external_id FROM resolution ${among}`;
  });
  return rows.map(({ id }) => id);
}

/** By index: at most one per subject. */
export async function undecidedOf(
  store: Store,
  subjects: readonly string[],
): Promise<UndecidedAttempt[]> {
  type Found = UndecidedAttempt & { receipt: string | null };
  const rows = await inParts<Found>(
    store,
    subjects,
    (some) => sql`
      SELECT subject, workflow_id AS "workflowId", receipt, answer_by AS "answerBy" FROM attempt
      WHERE subject IN ${some} AND kind = 'send' AND is_resolved = 0
        AND (receipt IS NULL OR receipt = 'unknown')`,
  );
  return rows.map(({ receipt, answerBy, ...row }) => {
    const isOnItsWay = receipt === null && (answerBy ?? 0) >= Date.now();
    return { ...row, answerBy: isOnItsWay ? answerBy : null };
  });
}

/** Number of subjects bought before the restore, and perhaps again since. */
export async function doubtfulOf(store: Store, subjects: readonly string[]): Promise<number> {
  const rows = await inParts(
    store,
    subjects,
    (some) => sql`SELECT subject FROM attempt WHERE subject IN ${some}
      GROUP BY subject HAVING max(claimed_at) < (SELECT doubt_since FROM install)`,
  );
  return rows.length;
}

async function inParts<T>(
  store: Store,
  values: readonly string[],
  query: (some: string[]) => Statement,
): Promise<T[]> {
  const found: T[] = [];
  for (const some of partsOf(values)) found.push(...(await store.read<T>(query(some))));
  return found;
}
