import { normaliseDocument } from '../../domain/core/documents';
import type { ToldChange } from '../../domain/monitors/kept';
import { changeFiles } from '../monitors/change-files';
import { holderOf, monitorOfHolder, MonitorRepository } from '../monitors/monitors';
import { keySegment } from '../records';
import { statement } from '../statement';
import type { Store } from '../store';
import { emptied, sealedTables, type ErasureScope } from './catalog';
import type { ErasureDraft } from './draft';
import type { PlannedJob } from './jobs';
import { isNamedIn } from './rewriting';
import { erasedChange } from './tombstones';

/** What an erasure takes of a monitor, and how many of its changes become tombstones. */
export interface MonitorPart {
  job: PlannedJob;
  changes: number;
}

const tables = ['change', 'unreadable_item', 'review', 'monitor_answer'] as const;
type MonitorTable = (typeof tables)[number];

/** A monitor of the document goes as a whole; of any other, what names it. Null: the holder is none. */
export async function takeMonitorOf(
  store: Store,
  draft: ErasureDraft,
  holder: string,
  scope: ErasureScope,
): Promise<MonitorPart | null> {
  const id = monitorOfHolder(holder);
  if (id === null) return null;
  const answer = await new MonitorRepository(store, String).answer(id);
  const { subject } = scope;
  if (normaliseDocument(answer?.monitor.identifier ?? '') === subject.document)
    return takeMonitor(store, draft, id);
  const names = (line: unknown): boolean => isNamedIn(line, subject);
  const changes = await take(store, draft, id, names, (table, body) =>
    emptied(sealedTables[table], body, scope),
  );
  return { job: planned(id, false), changes };
}

/**
 * Whomever it is about; null when nothing is stored about it. A change becomes a tombstone: without one, the
 * next scan would store it again.
 */
export async function takeMonitor(
  store: Store,
  draft: ErasureDraft,
  id: string,
): Promise<MonitorPart | null> {
  const before = draft.size;
  const changes = await take(
    store,
    draft,
    id,
    () => true,
    (table, body) => (table === 'change' ? erasedChange(body as ToldChange) : null),
  );
  await draft.removeRows('subject', holderOf(id));
  return draft.size === before ? null : { job: planned(id, true), changes };
}

/** What the service reported of changes that were acknowledged before an instant. */
export async function takeOldChanges(
  store: Store,
  draft: ErasureDraft,
  endedBefore: number,
): Promise<MonitorPart[]> {
  const rows = await store.read<{ monitor: string; change: string }>(
    statement(
      `SELECT m.monitor, m.change FROM change_mark m
       JOIN change c ON c.monitor = m.monitor AND c.id = m.change
       WHERE m.name IN ('acknowledged', 'gone') AND c.is_erased = 0
       GROUP BY m.monitor, m.change HAVING max(m.at) < ? ORDER BY m.monitor, m.change`,
      [new Date(endedBefore).toISOString()],
    ),
  );
  const parts: MonitorPart[] = [];
  for (const id of new Set(rows.map(({ monitor }) => monitor))) {
    const its = rows.filter(({ monitor }) => monitor === id);
    const old = new Set(its.map(({ change }) => change));
    const isOld = (line: unknown): boolean => old.has((line as { change_id: string }).change_id);
    const changes = await take(store, draft, id, isOld, (table, body) => {
      const change = body as ToldChange;
      return table === 'change' && old.has(change.change.changeId) ? erasedChange(change) : body;
    });
    parts.push({ job: planned(id, false), changes });
  }
  return parts;
}

/** Also of the lines of the monitor in files by day. */
async function take(
  store: Store,
  draft: ErasureDraft,
  id: string,
  isLineMeant: (line: unknown) => boolean,
  empty: (table: MonitorTable, body: unknown) => unknown,
): Promise<number> {
  for (const key of await store.records.list(changeFiles)) {
    const name = key.slice(key.lastIndexOf('/') + 1);
    if (name.replace(/-[0-9a-f]{16}\.ndjson$/, '') !== keySegment(id)) continue;
    await draft.rewrite(key, (line) => (isLineMeant(line) ? null : line));
  }
  let changes = 0;
  for (const table of tables) {
    const erased = await draft.rewriteRows(table, id, (body) => empty(table, body));
    if (table === 'change') changes = erased.length;
  }
  return changes;
}

function planned(id: string, whole: boolean): PlannedJob {
  return { folder: holderOf(id), id: `monitor/${id}`, whole, ended: true };
}
