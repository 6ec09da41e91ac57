/** Pages of a list, and the two kinds of cursor that lead from one to the next. */

import { z } from 'zod';
import type { JsonObject } from './answer';
import { Refusal } from './refusal';

/** Names of query parameters; `ignored` is not looked at, and then no unknown one is refused. */
export interface ListNames {
  pageSizeName: string;
  cursorName: string;
  defaultPageSize: number;
  cursors: 'stable' | 'shifting';
  order: 'newest' | 'oldest';
}

export interface ListFilter {
  name: string;
  words: readonly string[];
  /** Which word of an item is meant. */
  field: string;
}

/** Where an item stands: its instant, and the order of entry, which settles equal ones. */
export type Place = readonly [at: number, ordinal: number];

export interface ListWish {
  pageSize: number;
  filters: { field: string; word: string }[];
  /** Behind the item of this place, or a number of items. */
  start: { behind: Place | null; skip: number };
}

/** How items are looked at. */
export interface ListView<Item> {
  placeOf(item: Item): Place;
  /** What it is filtered by. */
  wordOf(item: Item, field: string): string;
  show(item: Item): JsonObject;
}

const ignored = 'ignored';

/** @throws Refusal 400 */
export function readListWish(
  query: URLSearchParams,
  names: ListNames,
  filters: readonly ListFilter[],
): ListWish {
  const { pageSizeName, cursorName } = names;
  const known = [pageSizeName, cursorName, ...filters.map(({ name }) => name)];
  for (const name of query.keys()) {
    if (!known.includes(name) && !known.includes(ignored)) {
      throw new Refusal(400, 'unknown_parameter', `Unknown query parameter ${name}.`);
    }
    if (known.includes(name) && query.getAll(name).length > 1) {
      throw new Refusal(400, 'repeated_parameter', `${name} came twice.`);
    }
  }
  const given = (name: string) => (name === ignored ? null : query.get(name));
  return {
    pageSize: pageSizeFrom(given(pageSizeName), names),
    filters: filters.flatMap((filter) => wanted(filter, given(filter.name))),
    start: startOf(given(cursorName), cursorName),
  };
}

function pageSizeFrom(text: string | null, { pageSizeName, defaultPageSize }: ListNames): number {
  if (text === null) return defaultPageSize;
  if (/^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= 100) return Number(text);
  throw new Refusal(400, 'invalid_page_size', `${pageSizeName}: expected 1 to 100.`);
}

function wanted({ name, words, field }: ListFilter, word: string | null): ListWish['filters'] {
  if (word === null) return [];
  if (words.includes(word)) return [{ field, word }];
  throw new Refusal(400, 'invalid_filter', `${name}: expected one of ${words.join(', ')}.`);
}

const cursorShape = z.union([
  z.strictObject({ skip: z.int().min(0) }),
  z.strictObject({ behind: z.tuple([z.number(), z.number()]) }),
]);

/** @throws Refusal 400 */
function startOf(cursor: string | null, name: string): ListWish['start'] {
  if (cursor === null) return { behind: null, skip: 0 };
  const parsed = cursorShape.safeParse(jsonOrNull(Buffer.from(cursor, 'base64url').toString()));
  if (!parsed.success) throw new Refusal(400, 'invalid_cursor', `${name}: no cursor of ours.`);
  return { behind: null, skip: 0, ...parsed.data };
}

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Negative when the first stands before the second. */
export const comparePlaces = (a: Place, b: Place): number => a[0] - b[0] || a[1] - b[1];

/** @param items in the order of their places */
export function listPage<Item>(
  items: readonly Item[],
  view: ListView<Item>,
  { pageSize, filters, start: { behind, skip } }: ListWish,
  { cursors, order }: ListNames,
): JsonObject {
  const isBehind = (item: Item) => {
    if (behind === null) return true;
    const distance = comparePlaces(view.placeOf(item), behind);
    return order === 'newest' ? distance < 0 : distance > 0;
  };
  const passes = (item: Item) =>
    isBehind(item) && filters.every(({ field, word }) => view.wordOf(item, field) === word);
  const left = (order === 'newest' ? items.toReversed() : items).filter(passes).slice(skip);
  const shown = left.slice(0, pageSize);
  const last = shown.at(-1);
  const next =
    last === undefined || left.length <= pageSize
      ? null
      : cursors === 'stable'
        ? { behind: view.placeOf(last) }
        : { skip: skip + shown.length };
  const cursor = next && Buffer.from(JSON.stringify(next)).toString('base64url');
  return {
    data: shown.map((item) => view.show(item)),
    page: { next_cursor: cursor, has_more: cursor !== null },
  };
}
