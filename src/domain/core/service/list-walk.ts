/** Cursor over a list of pages, robust against faulty cursors of the service (decision record 017). */

export interface PageSeen {
  hasMore: boolean;
  /** Also beside `hasMore: false`: then it may still lead on. */
  nextCursor: string | null;
  /** Hash of the ids on the page, independent of order. Null: no readable ids. */
  ids: string | null;
}

/** Position in a list. Brent's cycle detection stores one cursor and one page, however long the scan. */
export interface Position {
  cursor: string | null;
  steps: number;
  mark: string | null;
  /** `ids` of the previous page, and of the page at the mark. */
  before: string | null;
  marked: string | null;
  /** Repeated pages; consecutive pages without ids. */
  again: number;
  empty: number;
  /** The service reported the end and named a cursor, or named the same again: if that leads nowhere, it is the end. */
  spare: boolean;
}

export const firstPosition: Position = {
  cursor: null,
  steps: 0,
  mark: null,
  before: null,
  marked: null,
  again: 0,
  empty: 0,
  spare: false,
};

/** Consecutive. A service that filters after paging sends empty pages before one with items. */
const mostEmptyPages = 100;
/** Repeated pages per scan. One may be chance: a list grows while it is read. */
const mostPagesAgain = 3;

/** Why a scan would never end. */
export type Endless = 'repeated_cursor' | 'repeated_page' | 'empty_pages';

export const endlessWords: Record<Endless, string> = {
  repeated_cursor:
    'the service answered a cursor that it had answered before: it may know the cursor by another name than lists.cursorParam says',
  repeated_page:
    'the service answers the same page to one cursor after the other: it may know the cursor by another name than lists.cursorParam says',
  empty_pages: `the service answered ${mostEmptyPages} empty pages, one after the other, and says that there is more`,
};

export type Onward<P extends Position = Position> =
  { kind: 'page'; position: P } | { kind: 'end' } | { kind: 'endless'; why: Endless };

/**
 * The position after a page. `end`: no further cursor. `endless`: a repeated cursor, or new ones that lead to repeated
 * or empty pages. A page may name its own cursor: it is the last one, or the service keeps the place itself.
 */
export function onward<P extends Position>(
  position: P,
  { hasMore, nextCursor, ids }: PageSeen,
): Onward<P> {
  if (nextCursor === null) return { kind: 'end' };
  const { cursor, steps, mark, before, marked } = position;
  const cameBefore = ids !== null && (ids === before || ids === marked);
  const again = position.again + (cameBefore ? 1 : 0);
  const empty = ids === null ? position.empty + 1 : 0;
  const isOwn = nextCursor === cursor;
  const isNew = ids !== null && !cameBefore;
  const why: Endless | null = (isOwn ? !isNew : nextCursor === mark)
    ? 'repeated_cursor'
    : again >= mostPagesAgain
      ? 'repeated_page'
      : empty >= mostEmptyPages
        ? 'empty_pages'
        : null;
  // A cursor after the last page, as some services send it, leads to repeated or empty pages.
  const mayBeOver = !hasMore || position.spare || (isOwn && ids === null);
  if (mayBeOver && (why !== null || !isNew)) return { kind: 'end' };
  if (why !== null) return { kind: 'endless', why };
  const isMark = ((steps + 1) & steps) === 0;
  return {
    kind: 'page',
    position: {
      ...position,
      cursor: nextCursor,
      steps: steps + 1,
      mark: isMark ? nextCursor : mark,
      before: ids ?? before,
      marked: isMark ? (ids ?? marked) : marked,
      again,
      empty,
      spare: !hasMore || isOwn,
    },
  };
}
