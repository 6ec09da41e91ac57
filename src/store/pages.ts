import { setImmediate } from 'node:timers/promises';

/**
 * Rows of a SELECT in pages by key: a SELECT that stays open would block the checkpoint of the write-ahead log.
 * Between two pages it yields, since a read never waits.
 *
 * @param read up to `size` rows after the last one of the previous page, in order
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
