/** The way through a list of pages, whatever the service does with cursors (decision record 017). */

/** What a page tells of the list. */
export interface PageSeen {
  hasMore: boolean;
  /** Beside `hasMore: false` too: then it may lead on all the same. */
  nextCursor: string | null;
  /** A sum over the ids on the page, whatever their order. Null: there were none to be read. */
  ids: string | null;
}

/** A place in a list. Brent's way to see a circle keeps one cursor and one page, however long the walk. */
export interface Position {
  cursor: string | null;
  steps: number;
  mark: string | null;
  /** `ids` of the page before this place, and of the one at the mark. */
  before: string | null;
  marked: string | null;
  /** Pages that came before; pages in a row without ids. */
  again: number;
  empty: number;
  /** The service said that there is nothing more, and named a cursor: where that leads nowhere is the end. */
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

/** In a row. A service that filters after it has paged sends some before one that holds something. */
const mostEmptyPages = 100;
/** Pages of a walk that came before. One may be by chance: a list grows while it is walked. */
const mostPagesAgain = 3;

/** Why a walk would go on for ever. */
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
 * The place after a page. `end`: no cursor leads on. `endless`: the walk would go on for ever, by a
 * cursor that came before, or by new ones that lead to what came before, or to nothing.
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
  const why: Endless | null =
    nextCursor === cursor || nextCursor === mark
      ? 'repeated_cursor'
      : again >= mostPagesAgain
        ? 'repeated_page'
        : empty >= mostEmptyPages
          ? 'empty_pages'
          : null;
  // A cursor after the last page, as some services name it, leads to what came before or to nothing.
  if (!hasMore && (why !== null || cameBefore || ids === null)) return { kind: 'end' };
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
      spare: !hasMore,
    },
  };
}
