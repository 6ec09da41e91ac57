import { setImmediate } from 'node:timers/promises';

/**
 * Rows of a SELECT in pages by key: one that stays open would keep the log of the database from being
 * worked off. Between two pages others have their turn: a read waits for nothing by itself.
 *
 * @param read rows behind the last one of the page before, in order, `size` of them at most
 */
export async function* pagesOf<Row>(
  size: number,
  read: (after: Row | undefined) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  for (let after: Row | undefined; ;) {
    const rows = await read(after);
    if (rows.length > 0) yield rows;
    if (rows.length < size) return;
    after = rows.at(-1);
    await setImmediate();
  }
}
