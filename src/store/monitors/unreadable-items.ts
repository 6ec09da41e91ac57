import { documentsInText } from '../../domain/core/documents/held-documents';
import type { SweepMark } from '../../domain/monitors/stored';
import { inserts, replacing } from '../sealed/table-rows';
import { sql } from '../statement';
import { MonitorTable, addMonitor, subjectsOf } from './monitors';

export interface UnreadableItem {
  /** Keyed hash of the item. */
  sum: string;
  /** Instant of the first sweep that listed it. */
  at: string;
  /** Number of sweeps that listed it. */
  count: number;
  /** The last such sweep. */
  sweep: string;
  /** The invalid fields, in words. */
  why: string;
  answer: unknown;
}

interface ListedItem {
  answer: unknown;
  issues: unknown;
}

interface ItemRow {
  sum: string;
  seenAt: string;
  count: number;
  lastSweep: string;
  body: ListedItem;
}

export class UnreadableItemRepository extends MonitorTable {
  /** @returns how many sweeps listed each, including this one */
  async put(
    monitorId: string,
    items: readonly ListedItem[],
    { sweep, at }: SweepMark,
  ): Promise<number[]> {
    const texts = items.map(({ answer }) => JSON.stringify(answer) ?? 'null');
    const sums = texts.map((text) => this.nameOf(text).slice(0, 16));
    const documents = texts.flatMap((text) => [...documentsInText(text)]);
    const rows = [...new Set(sums)].map((sum) => {
      const { answer, issues } = items[sums.indexOf(sum)] as ListedItem;
      const first = { seenAt: at, count: 1, lastSweep: sweep };
      return { monitorId, sum, ...first, body: { answer, issues } };
    });
    const counted = `${replacing('unreadable_item', 'last_sweep')}, count = unreadable_item.count
        + CASE WHEN unreadable_item.last_sweep = excluded.last_sweep THEN 0 ELSE 1 END
      RETURNING sum, count`;
    const counts = new Map<string, number>();
    for (const some of inserts('unreadable_item', rows, counted)) {
      const results = await this.store.commit([
        addMonitor(monitorId),
        ...subjectsOf(monitorId, documents, this.nameOf),
        some,
      ]);
      const stored = (results.at(-1)?.rows ?? []) as Pick<UnreadableItem, 'sum' | 'count'>[];
      for (const { sum, count } of stored) counts.set(sum, count);
    }
    return sums.map((sum) => counts.get(sum) ?? 1);
  }

  async of(monitorId: string): Promise<UnreadableItem[]> {
    const rows = await this.store.select<ItemRow>(
      'unreadable_item',
      sql`WHERE monitor_id = ${monitorId} ORDER BY seen_at, sum`,
    );
    return rows.map(({ sum, seenAt: at, count, lastSweep: sweep, body: { answer, issues } }) => {
      return { sum, at, count, sweep, why: issueWords(issues), answer };
    });
  }
}

function issueWords(issues: unknown): string {
  if (!Array.isArray(issues)) return 'not reported';
  const words = (issues as { path?: string; code?: string }[]).map(
    ({ path = '', code = '' }) => `${path === '' ? 'the item' : path}: ${code}`,
  );
  return words.join(', ');
}
