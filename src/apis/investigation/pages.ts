import { z } from 'zod';
import { ContractError, type CallName } from '../http/errors';
import { parseJson } from '../http/problem';
import { flag, issuesOf, parseWire, told } from './wire-fields';

/** One entry of a list: a bad one does not hide the others. */
export type Listed<T> =
  | { kind: 'item'; item: T; answer: object }
  | {
      kind: 'unreadable';
      /** Place on the page, from 0. */
      position: number;
      /** Paths at fault, never values. */
      issues: readonly { path: string; code: string }[];
      answer: unknown;
    };

export interface Page<T> {
  /** In the order of the answer, which nothing may rely on. */
  items: Listed<T>[];
  /** Null at the end, also when the service says that there is more and gives no cursor. */
  nextCursor: string | null;
}

const pageWire = z.object({
  data: z.array(z.unknown()),
  page: z.object({ next_cursor: told, has_more: flag }).nullish().catch(null),
});

/** @throws ContractError when the body is no list; a bad entry is an entry of the page */
export function pageFromWire<T>(call: CallName, item: z.ZodType<T>, body: Buffer): Page<T> {
  const { data, page } = parseWire(pageWire, call, parseJson(body));
  const cursor = page?.next_cursor ?? null;
  const hasMore = page?.has_more ?? cursor !== null;
  const items = data.map((answer, position): Listed<T> => {
    const parsed = item.safeParse(answer);
    return parsed.success
      ? { kind: 'item', item: parsed.data, answer: answer as object }
      : { kind: 'unreadable', position, issues: issuesOf(parsed.error), answer };
  });
  return { items, nextCursor: hasMore ? cursor : null };
}

/**
 * All pages of a list, one at a time.
 *
 * @throws ContractError `repeated_cursor` when a cursor comes twice: the service may know it by
 *   another name than CURSOR_PARAM says, and the walk would have no end
 */
export async function* walkPages<T>(
  call: CallName,
  readPage: (cursor: string | null) => Promise<Page<T>>,
): AsyncGenerator<Page<T>> {
  const seen = new Set<string>();
  let cursor: string | null = null;
  do {
    const page: Page<T> = await readPage(cursor);
    yield page;
    cursor = page.nextCursor;
    if (cursor !== null && seen.has(cursor)) {
      throw new ContractError(call, [{ path: 'CURSOR_PARAM', code: 'repeated_cursor' }]);
    }
    if (cursor !== null) seen.add(cursor);
  } while (cursor !== null);
}
