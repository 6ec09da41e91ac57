import { lensIndexes } from '../lens/lens';
import { changeFiles } from '../monitors/change-files';
import { monitorOfHolder } from '../monitors/monitors';
import { keySegment } from '../records';
import type { Store } from '../store';
import { asideFolder, certificateSubjects, erasableTables, monitorTables } from './catalog';
import type { TableName } from './catalog';
import * as links from './links';
import type { ErasurePlan } from './plan';

/** Removes jobs and monitors as a whole, with what no other job shares. */
export async function takeWhole(
  store: Store,
  plan: ErasurePlan,
  own: ReadonlySet<string>,
): Promise<void> {
  const { draft } = plan;
  const holders = new Set<string>();
  for (const folder of own) {
    const before = draft.size;
    const monitor = monitorOfHolder(folder);
    const within = monitor === null ? await takeJob(store, plan, folder) : [folder];
    if (monitor !== null)
      plan.rows += await takeMonitor(store, plan, monitor, {
        isMeant: () => true,
        left: (table, body) => erasableTables[table].empty?.(body as never) ?? null,
      });
    for (const one of within) holders.add(one);
    await draft.remove('subject', within);
    if (monitor === null || draft.size > before) await plan.addJob(folder, true);
  }
  const held = await store.subjects.heldBy(holders);
  const alone = await links.aloneAmong(store, held, holders);
  await draft.removeShared(alone.filter((one) => /^(?:inputs|operations)\//.test(one)));
  const bought = alone.filter(links.isFence);
  plan.quoted.ids.push(...(await links.boughtIds(store, bought)));
  plan.doubtful += await links.doubtfulOf(store, bought);
  await draft.disown(bought);
  // Audit lines also name jobs by the parts of their ids.
  const names = alone.flatMap((one) => /(?<![0-9a-f])[0-9a-f]{32}$/.exec(one) ?? []);
  await draft.remove('subject_number', names);
}

/** @returns its holders */
async function takeJob(store: Store, plan: ErasurePlan, folder: string): Promise<string[]> {
  const job = await store.jobs.input<{ receivables?: number }>(folder);
  plan.rows += job?.receivables ?? 0;
  if (!folder.startsWith('works/')) await plan.draft.removeBelow(`${folder}/`);
  const within = await links.foldersWithin(store, folder);
  for (const table of ['batch_row', 'deferred_row', 'outcome', 'job'] as const)
    await plan.draft.remove(table, within);
  return [...within, ...Object.values(lensIndexes(folder))];
}

/** Removes certificates bought for documents, with evidence and fence. */
export async function takeBought(
  store: Store,
  plan: ErasurePlan,
  names: Iterable<string>,
): Promise<void> {
  const { draft, quoted } = plan;
  const subjects = certificateSubjects(names);
  plan.undecided.push(...(await links.undecidedOf(store, subjects)));
  plan.doubtful += await links.doubtfulOf(store, subjects);
  const ids = await links.boughtIds(store, subjects);
  quoted.ids.push(...ids);
  const pdfs: string[] = [];
  for (const id of ids) {
    const fact = await store.facts.of(id).catch(() => null);
    const called = [fact?.officialName, fact?.holderName, fact?.baseName];
    quoted.officialNames.push(...new Set(called.filter((name) => name != null)));
    if (fact?.pdfKey != null) pdfs.push(fact.pdfKey);
    await draft.removeBelow(asideFolder(id));
  }
  await draft.remove('record', pdfs);
  await draft.remove('fact', ids);
  await draft.disown(subjects);
}

/**
 * Removes the data of a monitor, also in daily files. Changes are emptied: otherwise the next scan would store them
 * again.
 *
 * @returns number of emptied changes
 */
export async function takeMonitor(
  store: Store,
  { draft }: ErasurePlan,
  id: string,
  about: {
    isMeant: (line: unknown) => boolean;
    left: (table: TableName, body: unknown) => unknown;
  },
): Promise<number> {
  for (const key of await store.records.list(changeFiles)) {
    const name = key.slice(key.lastIndexOf('/') + 1);
    if (name.replace(/-[0-9a-f]{16}\.ndjson$/, '') !== keySegment(id)) continue;
    await draft.rewrite(key, (line) => (about.isMeant(line) ? null : line));
  }
  let changes = 0;
  for (const table of monitorTables) {
    const count = await draft.rewriteRows(table, id, (body) => about.left(table, body));
    if (table === 'change') changes = count;
  }
  return changes;
}
