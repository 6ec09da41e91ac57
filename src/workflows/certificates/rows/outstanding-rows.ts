import { CancellationScope, isCancellation } from '@temporalio/workflow';
import type { WatchAnswer, WatchTuple } from '../../../domain/certificates/certificate-rows';

/** Sizes and bounds: decision records 002 and 004 have their reasons. */
const limits = {
  watchRows: 250,
  /** A new row waits for company until it is nearly due: fewer watches, and larger ones. */
  dueSoonMs: 150,
  /** Where nothing else wakes the driver: a timer of the server may be a second late. */
  timerLateMs: 1_000,
  freshForMs: 10_000,
} as const;

export interface OutstandingRow {
  tuple: WatchTuple;
  watched: boolean;
  /** Has been under a watch before. */
  known: boolean;
}

/** A row that has settled, with the requests that were sent for it. */
export interface SettledRow {
  place: number;
  attempts: number;
  status: 'issued' | 'failed' | 'expired' | 'retryable';
  /** Epoch milliseconds: when a retryable one may go again. */
  notBefore: number;
}

/** What the service has accepted, and the watches that it is under. */
export class OutstandingRows {
  readonly #rows = new Map<number, OutstandingRow>();
  readonly #watches = new Set<CancellationScope>();

  constructor(tuples: readonly WatchTuple[]) {
    for (const tuple of tuples) this.add(tuple);
  }

  get size(): number {
    return this.#rows.size;
  }

  /** Watches in flight. */
  get watches(): number {
    return this.#watches.size;
  }

  tuples(): WatchTuple[] {
    return [...this.#rows.values()].map(({ tuple }) => tuple);
  }

  add(tuple: WatchTuple): void {
    this.#rows.set(tuple[0], { tuple, watched: false, known: false });
  }

  clear(): void {
    this.#rows.clear();
  }

  /**
   * The rows of the watch that may start now, or the instant at which one may. One slot is kept for fresh
   * rows, so that slow ones never keep them unwatched.
   *
   * @param share rows that may be outstanding at once
   * @param moreToCome requests are under way: the next row comes soon, and wakes the driver
   */
  next(
    now: number,
    share: number,
    moreToCome: boolean,
  ): { rows: OutstandingRow[] } | { at: number } {
    const slots = Math.max(3, Math.ceil(share / limits.watchRows) + 1);
    const free = slots - this.#watches.size;
    const unwatched = [...this.#rows.values()].filter((row) => !row.watched);
    const isFresh = (row: OutstandingRow): boolean => now - row.tuple[2] < limits.freshForMs;
    if (free <= 0 || (free === 1 && !unwatched.some(isFresh))) return { at: Infinity };
    const dueAt = Math.min(...unwatched.map((row) => (row.known ? now : row.tuple[3])));
    const startsBy = dueAt - (moreToCome ? limits.dueSoonMs : limits.timerLateMs);
    if (startsBy > now) return { at: startsBy };
    const byDue = (a: OutstandingRow, b: OutstandingRow): number => a.tuple[3] - b.tuple[3];
    const rows = unwatched
      .sort((a, b) => Number(isFresh(b)) - Number(isFresh(a)) || byDue(a, b))
      .slice(0, limits.watchRows);
    return { rows };
  }

  /** @returns null when it was cancelled between two attempts: the rows stay outstanding */
  async watch(
    rows: readonly OutstandingRow[],
    read: (tuples: WatchTuple[]) => Promise<WatchAnswer>,
  ): Promise<WatchAnswer | null> {
    for (const row of rows) row.watched = row.known = true;
    const scope = new CancellationScope();
    this.#watches.add(scope);
    try {
      return await scope.run(() => read(rows.map((row) => row.tuple)));
    } catch (error) {
      if (!isCancellation(error) && !scope.consideredCancelled) throw error;
      return null;
    } finally {
      for (const row of rows) row.watched = false;
      this.#watches.delete(scope);
    }
  }

  /** They hand back what they have. */
  cancelWatches(): void {
    for (const scope of this.#watches) scope.cancel();
  }

  /** @returns what has settled, which is outstanding no more */
  take({ due, settled }: WatchAnswer, now: number): SettledRow[] {
    for (const [place, dueAt] of due) {
      const row = this.#rows.get(place);
      if (row !== undefined) row.tuple[3] = dueAt;
    }
    return settled.flatMap(([place, status, notBefore]) => {
      const attempts = this.#rows.get(place)?.tuple[4];
      this.#rows.delete(place);
      return attempts === undefined ? [] : { place, attempts, status, notBefore: notBefore ?? now };
    });
  }
}
