import type { BatchSummary, ManifestRow } from '../../domain/certificates/certificates';
import { mergeOutcomes, type IssuanceFact } from '../../domain/certificates/outcomes';
import { resultRow } from '../../domain/certificates/result-rows';
import { groupBy } from '../../domain/core/group-by';
import type { LatestEdition } from '../certificates/jobs';
import { decisionsOf } from '../core/jobs/inbox';
import { JobBatchRepository } from '../core/jobs/job-batches';
import type { StoredRow } from '../core/row-writer';
import { operationFolder } from '../credit/analyses';
import { lensIndexes } from '../lens/lens';
import { changeFiles, holderOf, monitorOfHolder } from '../monitors/monitors';
import { keySegment } from '../records';
import { beginsWith, sql } from '../statement';
import type { Store } from '../store';
import {
  asideFolder,
  certificateSubjects,
  emptied,
  erasableTables,
  monitorTables,
} from './catalog';
import type { ErasureScope, TableName } from './catalog';
import type { Change } from './draft';
import type { ErasureSubject } from './erasure-subject';
import { isFence, type ErasurePlan } from './plan';
import { isNamedIn } from './rewriting';
import { withoutAnswer, withoutSum, withoutUploads } from './tombstones';

type Status = keyof BatchSummary['counts'];

export async function foldersOfJob(store: Store, id: string): Promise<string[]> {
  const [, monitor] = /^monitor\/([^/]+)$/.exec(id) ?? [];
  if (monitor !== undefined) return [holderOf(monitor)];
  const jobs = await store.read<{ folder: string; id: string }>(
    sql`SELECT folder, id FROM job WHERE id = ${id} OR (${beginsWith('id', `${id}/`)})`,
  );
  const exact = jobs.filter((job) => job.id === id);
  const runs = jobs.filter((job) => /^\d{8}T\w+$/.test(job.id.slice(id.length + 1)));
  if (jobs.length > 0) return (exact.length > 0 ? exact : runs).map(({ folder }) => folder);
  // Rows of a job that was not completely stored.
  const half = ['works', 'batches'].map((root) => `${root}/${id}`);
  const lists = await Promise.all(half.map((folder) => store.rows.lists(folder)));
  return half.filter((folder) => lists.flat().includes(folder));
}

/** With the jobs that batches among them requested first, and no other batch requested. */
export async function withChildren(store: Store, folders: string[]): Promise<Set<string>> {
  const own = new Set(folders);
  for (const id of await new JobBatchRepository(store).ownChildren(new Set(folders)))
    for (const folder of await foldersOfJob(store, id)) own.add(folder);
  return own;
}

async function foldersWithin(store: Store, folder: string): Promise<string[]> {
  const decisions = `${folder}/decisions/`;
  const rows = await store.read<{ folder: string }>(
    sql`SELECT folder FROM job WHERE ${beginsWith('folder', decisions)}`,
  );
  const lists = await store.rows.lists(decisions);
  return [folder, ...rows.map((row) => row.folder), ...lists];
}

/** Removes jobs and monitors as a whole, with what no other job shares. */
export async function takeWhole(plan: ErasurePlan, own: ReadonlySet<string>): Promise<void> {
  const { draft, store } = plan;
  const holders = new Set<string>();
  const everything = {
    isMeant: () => true,
    left: (table: TableName, body: unknown) => erasableTables[table].empty?.(body as never) ?? null,
  };
  for (const folder of own) {
    const before = draft.size;
    const monitor = monitorOfHolder(folder);
    const within = monitor === null ? await takeJob(plan, folder) : [folder];
    if (monitor !== null) await takeMonitor(plan, monitor, everything);
    for (const one of within) holders.add(one);
    await draft.remove('subject', within, 'holder');
    if (monitor === null || draft.size > before) await plan.addJob(folder, true);
  }
  const held = await store.subjects.heldBy(holders);
  const alone = await plan.aloneAmong(held, holders);
  await draft.removeShared(alone.filter((one) => /^(?:inputs|operations)\//.test(one)));
  const bought = alone.filter(isFence);
  await draft.disown(bought);
  // Audit lines also name jobs by the parts of their ids.
  const names = alone.flatMap((one) => /(?<![0-9a-f])[0-9a-f]{32}$/.exec(one) ?? []);
  await draft.remove('subject_number', names);
}

async function takeJob(plan: ErasurePlan, folder: string): Promise<string[]> {
  const { store } = plan;
  const job = await store.jobs.input<{ receivables?: number }>(folder);
  plan.rows += job?.receivables ?? 0;
  if (!folder.startsWith('works/')) await plan.draft.removeBelow(`${folder}/`);
  const within = await foldersWithin(store, folder);
  for (const table of ['batch_row', 'deferred_row', 'outcome', 'job'] as const)
    await plan.draft.remove(table, within);
  return [...within, ...Object.values(lensIndexes(folder))];
}

export async function takeBought(plan: ErasurePlan, names: Iterable<string>): Promise<void> {
  const { draft, quoted } = plan;
  const subjects = certificateSubjects(names);
  const ids = await plan.addBought(subjects);
  for (const { officialName, holderName, baseName } of await factsOf(plan, ids))
    for (const name of new Set([officialName, holderName, baseName]))
      if (name !== null) quoted.officialNames.push(name);
  await draft.remove('fact', ids);
  await draft.disown(subjects);
}

/** Facts about issuances. Removes their PDFs, and the bytes that came instead. */
export async function factsOf(
  { draft, store }: ErasurePlan,
  ids: readonly string[],
): Promise<IssuanceFact[]> {
  const facts: IssuanceFact[] = [];
  for (const id of ids) {
    // One that cannot be opened is removed unread.
    const fact = await store.facts.of(id).catch(() => null);
    if (fact !== null) facts.push(fact);
    await draft.removeBelow(asideFolder(id));
  }
  await draft.remove(
    'record',
    facts.flatMap(({ pdfKey }) => pdfKey ?? []),
  );
  return facts;
}

/**
 * Removes the data of a monitor, also in daily files. Changes are emptied: otherwise the next scan would store them
 * again.
 */
export async function takeMonitor(
  plan: ErasurePlan,
  id: string,
  about: {
    isMeant: (line: unknown) => boolean;
    left: (table: TableName, body: unknown) => unknown;
  },
): Promise<void> {
  for (const key of await plan.store.records.list(changeFiles)) {
    const name = key.slice(key.lastIndexOf('/') + 1);
    if (name.replace(/-[0-9a-f]{16}\.ndjson$/, '') !== keySegment(id)) continue;
    await plan.draft.rewrite(key, (line) => (about.isMeant(line) ? null : line));
  }
  for (const table of monitorTables) {
    const count = await plan.draft.rewriteRows(table, id, (body) => about.left(table, body));
    if (table === 'change') plan.rows += count;
  }
}

export interface FoundLines {
  lines: number[] | null;
  items: ReadonlySet<number>;
  rows: number;
  statuses: readonly Status[];
  isHeld: boolean;
}

const noLines: FoundLines = { lines: [], items: new Set(), rows: 0, statuses: [], isHeld: false };

/** @param indexed lines in the index; null: none, and all are read */
export async function findLines(
  store: Store,
  folder: string,
  indexed: number[] | null,
  subject: ErasureSubject,
): Promise<FoundLines> {
  const lines = indexed && indexed.filter((line) => line > 0);
  const all =
    lines === null ? store.rows.all(folder) : await store.rows.where(folder, 'line', lines);
  const rows: StoredRow[] = [];
  let isHeld = false;
  for await (const row of all) {
    if (subject.holds(row)) rows.push(row);
    isHeld ||= rows.length > 0 || isNamedIn(row, subject);
  }
  const items = new Set(rows.flatMap((row) => (row.kind === 'item' ? [row.item] : [])));
  const outcomes = groupBy(await store.outcomes.ofItems(folder, items), ({ item }) => item);
  const fresh = rows.filter(({ erased }) => erased !== true) as ManifestRow[];
  const statuses = fresh.flatMap((row) => {
    const outcome = 'item' in row ? mergeOutcomes(outcomes.get(row.item) ?? []) : null;
    return 'code' in row || outcome !== null ? [resultRow(row, outcome).status] : [];
  });
  return { lines, items, rows: fresh.length, statuses, isHeld };
}

/** For a job with data about others too: rows of the subject, and quotations of it. */
export async function takeParts(
  { draft, store }: ErasurePlan,
  about: {
    folder: string;
    subject: ErasureSubject;
    /** Uploads and operations to be removed. */
    gone: ReadonlySet<string>;
    /** Unreadable data is removed. */
    isHeld: boolean;
    lines?: FoundLines | undefined;
  },
): Promise<void> {
  const { folder, subject, gone, isHeld, lines: found = noLines } = about;
  const scope: ErasureScope = { subject, items: found.items };
  const left = (table: TableName, body: unknown): unknown => emptied(table, folder, body, scope);
  const before = draft.size;
  const isOfCertificates = folder.startsWith('works/');
  const within = await foldersWithin(store, folder);
  const those = found.lines === null ? undefined : { column: 'line', values: found.lines };
  for (const list of within)
    await draft.rewriteRows('batch_row', list, (row) => left('batch_row', row), those);
  // The note of a resolution is in the outcomes of its rows.
  const decisions = isOfCertificates ? await decisionsOf(store, folder) : [];
  const isQuoted = decisions.some(({ note }) => subject.scrubNote(note) !== note);
  const items = isQuoted ? undefined : { column: 'item', values: found.items };
  await draft.rewriteRows('outcome', folder, (outcome) => left('outcome', outcome), items);
  for (const key of isOfCertificates ? [] : await store.records.list(`${folder}/`)) {
    if (!key.includes('/unreadable/')) await draft.rewrite(key, (body) => left('record', body));
    else if (isHeld || subject.isQuotedIn(String(await store.records.get(key))))
      await draft.remove('record', [key]);
  }
  const forgetsSum = /^(?:traces|profiles)\//.test(folder) && draft.size > before;
  const change: Change = (body, column) => {
    if (column === 'input') return left('job', withoutUploads(body, gone));
    const { operationId } = body as { operationId?: string | null };
    const isGone = operationId != null && gone.has(operationFolder(operationId));
    const outcome = left('job', isGone ? withoutAnswer(body as object) : body) as object;
    return forgetsSum ? withoutSum(outcome) : recounted(outcome, found.statuses);
  };
  for (const holder of within) await draft.rewriteRows('job', holder, change);
}

/** Requests and charges stay; only the row counts of certificates change. */
function recounted(outcome: object, statuses: readonly Status[]): object {
  const { summary } = outcome as Partial<LatestEdition>;
  if (summary === undefined) return outcome;
  const counts = { ...summary.counts };
  for (const status of statuses) {
    counts[status] = Math.max(0, (counts[status] ?? 0) - 1);
    counts.erased = (counts.erased ?? 0) + 1;
  }
  return { ...outcome, summary: { ...summary, counts } };
}
