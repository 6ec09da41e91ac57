/** Pages of a list, the newest first, and the two kinds of cursor that lead from one to the next. */

import { z } from 'zod';
import { Refusal, type JsonObject } from './answer';
import { refuseParameters } from './request';

/** Names of query parameters; `ignored` is not looked at, and then no unknown one is refused. */
interface ListNames {
  pageSizeName: string;
  cursorName: string;
  defaultPageSize: number;
  cursors: 'stable' | 'shifting';
}

interface ListFilter<Item> {
  name: string;
  words: readonly string[];
  wordOf: (item: Item) => string;
}

/** What is shown of the items, in the order of their entry. */
type Page<Item> = (items: readonly Item[], show: (item: Item) => JsonObject) => JsonObject;

const ignored = 'ignored';

/** Reads which page is asked for. @throws Refusal 400 */
export function readPage<Item extends { id: string }>(
  query: URLSearchParams,
  { pageSizeName, cursorName, defaultPageSize, cursors }: ListNames,
  filters: readonly ListFilter<Item>[],
): Page<Item> {
  const known = [pageSizeName, cursorName, ...filters.map(({ name }) => name)];
  refuseParameters(query, known, known.includes(ignored));
  const given = (name: string) => (name === ignored ? null : query.get(name));
  const size = given(pageSizeName) ?? String(defaultPageSize);
  const pageSize = Number(size);
  if (!/^\d{1,3}$/.test(size) || pageSize < 1 || pageSize > 100) {
    throw new Refusal(400, 'invalid_page_size', `${pageSizeName}: expected 1 to 100.`);
  }
  const wanted = filters.flatMap(({ name, words, wordOf }) => {
    const word = given(name);
    if (word === null) return [];
    if (words.includes(word)) return [{ word, wordOf }];
    throw new Refusal(400, 'invalid_filter', `${name}: expected one of ${words.join(', ')}.`);
  });
  const { behind, skip = 0 } = startOf(given(cursorName), cursorName);

  return (items, show) => {
    const newest = items.toReversed();
    const start = behind === undefined ? 0 : newest.findIndex(({ id }) => id === behind) + 1;
    const left = newest
      .slice(start)
      .filter((item) => wanted.every(({ word, wordOf }) => wordOf(item) === word))
      .slice(skip);
    const shown = left.slice(0, pageSize);
    const next =
      cursors === 'stable' ? { behind: shown.at(-1)?.id } : { skip: skip + shown.length };
    const cursor = Buffer.from(JSON.stringify(next)).toString('base64url');
    const hasMore = left.length > pageSize;
    const page = { next_cursor: hasMore ? cursor : null, has_more: hasMore };
    return { data: shown.map(show), page };
  };
}

/** Behind the item of this id, or a number of items. */
const cursorShape = z.strictObject({ skip: z.int().min(0), behind: z.string() }).partial();

/** @throws Refusal 400 */
function startOf(cursor: string | null, name: string): z.output<typeof cursorShape> {
  if (cursor === null) return {};
  try {
    return cursorShape.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch {
    throw new Refusal(400, 'invalid_cursor', `${name}: no cursor of ours.`);
  }
}
