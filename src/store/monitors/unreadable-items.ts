import { documentsInText } from '../../domain/core/held-documents';
import type { SweepMark } from '../../domain/monitors/kept';
import type { SealedDatabase } from '../sealed-database';
import { insertInto, partsOf, replacing, statement } from '../statement';
import { rowName } from '../seal';
import { addMonitor, subjectsOf } from './monitors';

/** An item of a list that is no change as far as we can read it. */
export interface UnreadableItem {
  /** Made of what it is, keyed: the same item has the same one. */
  sum: string;
  /** Of the first sweep that came by it. */
  at: string;
  /** Sweeps that did. */
  count: number;
  /** Fields at fault, in words. */
  why: string;
  answer: unknown;
}

interface ListedItem {
  answer: unknown;
  issues: unknown;
}

const key = ['monitor', 'sum'];

/** Items of the lists of monitors that are no changes as far as we can read them. */
export class UnreadableItemRepository {
  readonly #store: SealedDatabase;
  readonly #nameOf: (text: string) => string;

  /** @param nameOf as of `ChangeRepository`; items go by keyed names too */
  constructor(store: SealedDatabase, nameOf: (text: string) => string) {
    this.#store = store;
    this.#nameOf = nameOf;
  }

  /**
   * Keeps items that a sweep came by, the same one once.
   *
   * @returns of each how many sweeps came by it, this one included
   */
  async put(
    monitorId: string,
    items: readonly ListedItem[],
    { sweep, at }: SweepMark,
  ): Promise<number[]> {
    const texts = items.map(({ answer }) => JSON.stringify(answer) ?? 'null');
    const sums = texts.map((text) => this.#nameOf(text).slice(0, 16));
    const documents = texts.flatMap((text) => [...documentsInText(text)]);
    const rows = await Promise.all(
      [...new Set(sums)].map(async (sum) => {
        const { answer, issues } = items[sums.indexOf(sum)] as ListedItem;
        const name = rowName('unreadable_item', monitorId, sum);
        return [monitorId, sum, at, 1, sweep, await this.#store.sealed(name, { answer, issues })];
      }),
    );
    const counts = new Map<string, number>();
    for (const some of partsOf(rows)) {
      const results = await this.#store.commit([
        addMonitor(monitorId),
        ...subjectsOf(monitorId, documents, this.#nameOf),
        insertInto(
          'unreadable_item',
          [...key, 'seen_at', 'count', 'last_sweep', 'body'],
          some,
          `${replacing(key, ['last_sweep'])}, count = unreadable_item.count
             + CASE WHEN unreadable_item.last_sweep = excluded.last_sweep THEN 0 ELSE 1 END
           RETURNING sum, count`,
        ),
      ]);
      const counted = (results.at(-1)?.rows ?? []) as Pick<UnreadableItem, 'sum' | 'count'>[];
      for (const { sum, count } of counted) counts.set(sum, count);
    }
    return sums.map((sum) => counts.get(sum) ?? 1);
  }

  /** Of one monitor, the oldest first. */
  async of(monitorId: string): Promise<UnreadableItem[]> {
    const rows = await this.#store.read<Omit<UnreadableItem, 'answer'> & { body: Uint8Array }>(
      statement(
        `SELECT sum, seen_at AS at, count, body FROM unreadable_item
         WHERE monitor = ? ORDER BY seen_at, sum`,
        [monitorId],
      ),
    );
    return rows.map(({ sum, at, count, body }) => {
      const item = this.#store.opened(rowName('unreadable_item', monitorId, sum), body);
      const { answer, issues } = item as ListedItem;
      return { sum, at, count, why: issueWords(issues), answer };
    });
  }
}

function issueWords(issues: unknown): string {
  if (!Array.isArray(issues)) return 'not told';
  const words = (issues as { path?: string; code?: string }[]).map(
    ({ path = '', code = '' }) => `${path === '' ? 'the item' : path}: ${code}`,
  );
  return words.join(', ');
}
