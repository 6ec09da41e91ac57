import { CancellationScope, isCancellation } from '@temporalio/workflow';
import type { PollAnswer, PolledRow } from '../../../domain/certificates/certificate-rows';

/** Sizes and bounds: see decision records 002 and 004. */
const limits = {
  pollRows: 250,
  /** A new row waits for others until it is nearly due: fewer and larger polls. */
  dueSoonMs: 150,
  /** Applies when nothing else wakes the driver: a timer of the server may be a second late. */
  timerLateMs: 1_000,
  freshForMs: 10_000,
} as const;

export interface OutstandingRow {
  tuple: PolledRow;
  polled: boolean;
  /** Has been polled before. */
  known: boolean;
}

/** A settled row, with the requests that were sent for it. */
export interface SettledRow {
  rowIndex: number;
  attempts: number;
  status: 'issued' | 'failed' | 'expired' | 'retryable';
  /** Epoch milliseconds: when a retryable one may go again. */
  notBefore: number;
}

/** The accepted rows, and the polls that cover them. */
export class OutstandingRows {
  readonly #rows = new Map<number, OutstandingRow>();
  readonly #watches = new Set<CancellationScope>();

  constructor(tuples: readonly PolledRow[]) {
    for (const tuple of tuples) this.add(tuple);
  }

  get size(): number {
    return this.#rows.size;
  }

  /** Polls in flight. */
  get polls(): number {
    return this.#watches.size;
  }

  tuples(): PolledRow[] {
    return [...this.#rows.values()].map(({ tuple }) => tuple);
  }

  add(tuple: PolledRow): void {
    this.#rows.set(tuple[0], { tuple, polled: false, known: false });
  }

  clear(): void {
    this.#rows.clear();
  }

  /**
   * The rows of the poll that may start now, or the instant at which one may. One poll is reserved for
   * fresh rows, so that slow ones never delay them.
   *
   * @param share rows that may be outstanding at once
   * @param moreToCome requests are in flight: the next accepted row wakes the driver
   */
  next(
    now: number,
    share: number,
    moreToCome: boolean,
  ): { rows: OutstandingRow[] } | { at: number } {
    const slots = Math.max(3, Math.ceil(share / limits.pollRows) + 1);
    const free = slots - this.#watches.size;
    const unwatched = [...this.#rows.values()].filter((row) => !row.polled);
    const isFresh = (row: OutstandingRow): boolean => now - row.tuple[2] < limits.freshForMs;
    if (free <= 0 || (free === 1 && !unwatched.some(isFresh))) return { at: Infinity };
    const dueAt = Math.min(...unwatched.map((row) => (row.known ? now : row.tuple[3])));
    const startsBy = dueAt - (moreToCome ? limits.dueSoonMs : limits.timerLateMs);
    if (startsBy > now) return { at: startsBy };
    const byDue = (a: OutstandingRow, b: OutstandingRow): number => a.tuple[3] - b.tuple[3];
    const rows = unwatched
      .sort((a, b) => Number(isFresh(b)) - Number(isFresh(a)) || byDue(a, b))
      .slice(0, limits.pollRows);
    return { rows };
  }

  /** @returns null when cancelled between two attempts: the rows stay outstanding */
  async poll(
    rows: readonly OutstandingRow[],
    read: (tuples: PolledRow[]) => Promise<PollAnswer>,
  ): Promise<PollAnswer | null> {
    for (const row of rows) row.polled = row.known = true;
    const scope = new CancellationScope();
    this.#watches.add(scope);
    try {
      return await scope.run(() => read(rows.map((row) => row.tuple)));
    } catch (error) {
      if (!isCancellation(error) && !scope.consideredCancelled) throw error;
      return null;
    } finally {
      for (const row of rows) row.polled = false;
      this.#watches.delete(scope);
    }
  }

  /** Cancelled polls return what they have. */
  cancelPolls(): void {
    for (const scope of this.#watches) scope.cancel();
  }

  /** @returns the settled rows, which are removed */
  take({ due, settled }: PollAnswer, now: number): SettledRow[] {
    for (const [rowIndex, dueAt] of due) {
      const row = this.#rows.get(rowIndex);
      if (row !== undefined) row.tuple[3] = dueAt;
    }
    return settled.flatMap(([rowIndex, status, notBefore]) => {
      const attempts = this.#rows.get(rowIndex)?.tuple[4];
      this.#rows.delete(rowIndex);
      return attempts === undefined
        ? []
        : { rowIndex, attempts, status, notBefore: notBefore ?? now };
    });
  }
}
