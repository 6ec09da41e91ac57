import * as fc from 'fast-check';
import { noCounts, type PageReport } from '../../src/domain/monitors/sweep';
import { firstWalk, nextPage, type Walk } from '../../src/domain/monitors/walk';

const pageSize = 5;

/**
 * `fresh`: ignored, and another one with each answer. `unsaid`: taken, and named beside
 * `has_more: false`, after the last page too.
 */
type Cursors = 'stable' | 'shifting' | 'ignored' | 'fresh' | 'unsaid';

/** A service with a list of open changes, some of which cannot be settled. */
class Listed {
  readonly stuck: ReadonlySet<number>;
  readonly cursors: Cursors;
  open: number[];
  readonly settled: number[] = [];
  pages = 0;

  constructor(count: number, stuck: readonly number[], cursors: Cursors) {
    this.open = Array.from({ length: count }, (_, id) => id);
    this.stuck = new Set(stuck);
    this.cursors = cursors;
  }

  workOff({ cursor }: Walk): PageReport {
    this.pages += 1;
    const isIgnored = this.cursors === 'ignored' || this.cursors === 'fresh';
    const from = cursor === null || isIgnored ? 0 : this.#placeOf(Number(cursor));
    const page = this.open.slice(from, from + pageSize);
    const hasMore = from + pageSize < this.open.length;
    const last =
      this.cursors === 'stable' || this.cursors === 'unsaid'
        ? (page.at(-1) ?? 0)
        : from + page.length;
    const done = page.filter((id) => !this.stuck.has(id));
    this.settled.push(...done);
    this.open = this.open.filter((id) => !done.includes(id));
    return {
      counts: noCounts(),
      settled: done.length,
      staying: page.length - done.length,
      hasMore: hasMore && this.cursors !== 'unsaid',
      nextCursor: this.#cursorOf(hasMore, last),
      ids: page.length === 0 ? null : page.join(' '),
      size: null,
      warnings: [],
      fault: null,
      unsure: false,
    };
  }

  #cursorOf(hasMore: boolean, last: number): string | null {
    if (this.cursors === 'unsaid') return String(hasMore ? last : 1_000);
    if (!hasMore) return null;
    return this.cursors === 'fresh' ? `fresh-${this.pages}` : String(last);
  }

  #placeOf(cursor: number): number {
    if (this.cursors === 'shifting') return cursor;
    const place = this.open.findIndex((id) => id > cursor);
    return place < 0 ? this.open.length : place;
  }
}

function walkOff(listed: Listed): 'done' | 'repeated' {
  let walk = firstWalk;
  for (let pages = 0; pages < 10_000; pages += 1) {
    const next = nextPage(walk, listed.workOff(walk));
    if (next.fault !== null) return 'repeated';
    if (next.walk === null) return 'done';
    walk = next.walk;
  }
  throw new Error('it goes on for ever');
}

const lists = fc.record({
  count: fc.integer({ min: 0, max: 120 }),
  stuck: fc.array(fc.integer({ min: 0, max: 119 }), { maxLength: 40 }),
});

describe('a walk over what is open', () => {
  test.each(['stable', 'shifting', 'unsaid'] as const)(
    'settles all that can be settled, with cursors that are %s',
    (cursors) => {
      fc.assert(
        fc.property(lists, ({ count, stuck }) => {
          const listed = new Listed(count, stuck, cursors);
          expect(walkOff(listed)).toBe('done');
          expect(listed.open.filter((id) => !listed.stuck.has(id))).toEqual([]);
          expect(new Set(listed.settled).size).toBe(listed.settled.length);
        }),
      );
    },
  );

  test.each(['ignored', 'fresh'] as const)(
    'comes to an end where cursors are %s, and settles all when nothing is stuck',
    (cursors) => {
      fc.assert(
        fc.property(lists, ({ count, stuck }) => {
          walkOff(new Listed(count, stuck, cursors));
          const free = new Listed(count, [], cursors);
          expect(walkOff(free)).toBe('done');
          expect(free.open).toEqual([]);
        }),
      );
    },
  );

  test('lists each page once where nothing is stuck', () => {
    const listed = new Listed(100, [], 'shifting');
    walkOff(listed);
    expect(listed.pages).toBe(100 / pageSize);
  });
});
