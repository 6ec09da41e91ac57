import { CancellationScope, isCancellation } from '@temporalio/workflow';
import {
  pollRows,
  type PollAnswer,
  type PollResult,
  type PolledRow,
} from '../../../domain/certificates/certificate-rows';

/** Sizes and bounds: see decision records 002 and 004. */
const limits = {
  /** A new row waits for others until it is nearly due: fewer and larger polls. */
  dueSoonMs: 150,
  /** Applies when nothing else wakes the driver: a timer of the server may be a second late. */
  timerLateMs: 1_000,
  freshForMs: 10_000,
} as const;

export interface OutstandingRow {
  tuple: PolledRow;
  /** The poll in flight that reads it. */
  poll: number | null;
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
  /** Polls in flight, by their numbers. */
  readonly #polls = new Map<number, CancellationScope>();
  /** By certidao id: rows that a poll has taken over, and settled before their chunk returned. */
  readonly #early = new Map<string, PollResult>();
  #lastPoll = 0;

  constructor(tuples: readonly PolledRow[]) {
    for (const tuple of tuples) this.#rows.set(tuple[0], { tuple, poll: null, known: false });
  }

  get size(): number {
    return this.#rows.size;
  }

  /** Rows that settled before their chunk returned. */
  get early(): number {
    return this.#early.size;
  }

  /** Polls in flight. */
  get polls(): number {
    return this.#polls.size;
  }

  tuples(): PolledRow[] {
    return [...this.#rows.values()].map(({ tuple }) => tuple);
  }

  /** @param polledBy the poll that has taken it over. @returns it when that one has settled it */
  add(tuple: PolledRow, now: number, polledBy?: number): SettledRow | null {
    const [rowIndex, certidaoId, , , attempts] = tuple;
    const early = this.#early.get(certidaoId);
    if (early !== undefined) {
      this.#early.delete(certidaoId);
      return settledRow(early, attempts, now);
    }
    const poll = polledBy !== undefined && this.#polls.has(polledBy) ? polledBy : null;
    this.#rows.set(rowIndex, { tuple, poll, known: polledBy !== undefined });
    return null;
  }

  clear(): void {
    this.#rows.clear();
    this.#early.clear();
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
    const slots = Math.max(3, Math.ceil(share / pollRows) + 1);
    const free = slots - this.#polls.size;
    const unwatched = [...this.#rows.values()].filter((row) => row.poll === null);
    const isFresh = (row: OutstandingRow): boolean => now - row.tuple[2] < limits.freshForMs;
    if (free <= 0 || (free === 1 && !unwatched.some(isFresh))) return { at: Infinity };
    const dueAt = Math.min(...unwatched.map((row) => (row.known ? now : row.tuple[3])));
    const startsBy = dueAt - (moreToCome ? limits.dueSoonMs : limits.timerLateMs);
    if (startsBy > now) return { at: startsBy };
    const byDue = (a: OutstandingRow, b: OutstandingRow): number => a.tuple[3] - b.tuple[3];
    const rows = unwatched
      .sort((a, b) => Number(isFresh(b)) - Number(isFresh(a)) || byDue(a, b))
      .slice(0, pollRows);
    return { rows };
  }

  /** @returns the answer, and the settled rows; null when cancelled between two attempts: the rows stay outstanding */
  async poll(
    rows: readonly OutstandingRow[],
    read: (tuples: PolledRow[], poll: number) => Promise<PollAnswer>,
  ): Promise<{ answer: PollAnswer; settled: SettledRow[] } | null> {
    const poll = (this.#lastPoll += 1);
    for (const row of rows) Object.assign(row, { poll, known: true });
    const scope = new CancellationScope();
    this.#polls.set(poll, scope);
    try {
      const tuples = rows.map((row) => row.tuple);
      const answer = await scope.run(() => read(tuples, poll));
      return { answer, settled: this.#take(poll, answer, Date.now()) };
    } catch (error) {
      if (!isCancellation(error) && !scope.consideredCancelled) throw error;
      return null;
    } finally {
      for (const row of this.#rows.values()) if (row.poll === poll) row.poll = null;
      this.#polls.delete(poll);
      // It has ended: until it is cancelled, the workflow keeps it with the arguments of its activity.
      scope.cancel();
    }
  }

  /** Cancelled polls return what they have. */
  cancelPolls(): void {
    for (const scope of this.#polls.values()) scope.cancel();
  }

  /** Only what a poll says of its own rows counts: another one may have read a row, and it may have gone again. */
  #take(poll: number, { due, settled, tookOver }: PollAnswer, now: number): SettledRow[] {
    const ownRow = (rowIndex: number): OutstandingRow | undefined => {
      const row = this.#rows.get(rowIndex);
      return row?.poll === poll ? row : undefined;
    };
    for (const [rowIndex, dueAt] of due) {
      const row = ownRow(rowIndex);
      if (row !== undefined) row.tuple[3] = dueAt;
    }
    const results = new Map(settled.map((result) => [result[0], result]));
    for (const [rowIndex, certidaoId] of tookOver) {
      const result = results.get(rowIndex);
      if (result !== undefined && !this.#rows.has(rowIndex)) this.#early.set(certidaoId, result);
    }
    return settled.flatMap((result) => {
      const row = ownRow(result[0]);
      if (row === undefined) return [];
      this.#rows.delete(result[0]);
      return settledRow(result, row.tuple[4], now);
    });
  }
}

function settledRow(
  [rowIndex, status, notBefore]: PollResult,
  attempts: number,
  now: number,
): SettledRow {
  return { rowIndex, attempts, status, notBefore: notBefore ?? now };
}
