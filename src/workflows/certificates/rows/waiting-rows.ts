import type {
  AgainRow,
  RequestRow,
  RowAnswer,
} from '../../../domain/certificates/certificate-rows';
import type { RowCounts } from '../../messages';
import type { DeferredRows } from './deferred-rows';
import type { CarriedRows } from './row-state';

/** Rows to request again and unknown rows; above this, half of them go into the store. */
const mostCarried = 1_000;
/** Unknown rows whose receipts are read at once. */
const rereadRows = 250;

type LateAnswer = Exclude<RowAnswer, { kind: 'unknown' }>;

/** Rows not in flight: those to be requested, first time or again, and unknown ones. */
export class WaitingRows {
  readonly #state: CarriedRows;
  readonly #to: number;
  readonly #deferred: DeferredRows;
  readonly #unknown: Map<number, number>;
  /** Receipts of all unknown rows were read since the last became unknown. */
  #reread = false;

  /** @param to end of the range, exclusive */
  constructor(state: CarriedRows, to: number, deferred: DeferredRows) {
    this.#state = state;
    this.#to = to;
    this.#deferred = deferred;
    this.#unknown = new Map(state.unknown);
  }

  /** Rows to request again. */
  get again(): number {
    return this.#state.again.length + this.#deferred.again;
  }

  /** Of them, those that settled once: the others are not sent yet. */
  get settledOnce(): number {
    const here = this.#state.again.filter(({ was }) => was !== 'new');
    return here.length + this.#deferred.settledOnce;
  }

  /** Rows that may still have to be requested. */
  get unrequested(): number {
    return this.#neverWent + this.again;
  }

  get unknown(): number {
    return this.#unknown.size + this.#deferred.unknown;
  }

  get unknownRows(): [rowIndex: number, attempts: number][] {
    return [...this.#unknown];
  }

  /** All due rows were requested. */
  get haveAllGone(): boolean {
    return this.#state.next >= this.#to;
  }

  /** When the first row is due again; Infinity when there is none. */
  get soonest(): number {
    return Math.min(this.#deferred.soonest, ...this.#state.again.map((row) => row.notBefore));
  }

  /** Rows that may be requested now. */
  ready(now: number): number {
    return this.#neverWent + this.#readyAgain(now);
  }

  /**
   * Rows to request again before those never requested.
   *
   * @param elsewhere one row from another part of the list, if any: neighbours share their failures
   */
  take(now: number, size: number, elsewhere = false): AgainRow[] {
    const far = elsewhere ? this.#takeFar() : null;
    if (far !== null) return [far];
    const taken: AgainRow[] = [];
    const remaining: AgainRow[] = [];
    const again = elsewhere ? this.#state.again.toReversed() : this.#state.again;
    for (const row of again) {
      (taken.length < size && row.notBefore <= now ? taken : remaining).push(row);
    }
    this.#state.again = elsewhere ? remaining.reverse() : remaining;
    while (taken.length < size && !this.haveAllGone) {
      const rowIndex = this.#state.next;
      this.#state.next += 1;
      this.#skipAhead();
      taken.push({ rowIndex, ...first, was: 'new' });
    }
    return taken;
  }

  /** From the middle of those never requested. */
  #takeFar(): AgainRow | null {
    const { next, ahead } = this.#state;
    let rowIndex = next + Math.floor((this.#to - next) / 2);
    while (rowIndex < this.#to && ahead.includes(rowIndex)) rowIndex += 1;
    if (rowIndex >= this.#to || rowIndex === next) return null;
    ahead.push(rowIndex);
    return { rowIndex, ...first, was: 'new' };
  }

  #skipAhead(): void {
    const { ahead } = this.#state;
    while (ahead.includes(this.#state.next)) {
      ahead.splice(ahead.indexOf(this.#state.next), 1);
      this.#state.next += 1;
    }
  }

  get #neverWent(): number {
    return this.#to - this.#state.next - this.#state.ahead.length;
  }

  goAgain(row: AgainRow): void {
    this.#state.again.push(row);
  }

  addUnknown(rowIndex: number, attempts: number): void {
    this.#reread = false;
    this.#unknown.set(rowIndex, attempts);
  }

  /** A person orders a retry of all. */
  retryAll(): void {
    this.#state.again = this.#state.again.map((row) => ({ ...row, throttled: 0 }));
  }

  /**
   * Stores rows when there are too many, the latest first, and reads them back when due.
   *
   * @returns null when nothing moves
   */
  move(now: number, mayRequest: boolean): Promise<void> | null {
    if (this.#deferred.moving) return null;
    const { again } = this.#state;
    if (again.length > mostCarried) return this.#deferAgain();
    if (this.#unknown.size > mostCarried) return this.#deferUnknown();
    const isDue = mayRequest && this.#deferred.soonest <= now;
    return isDue && this.#readyAgain(now) < mostCarried / 4 ? this.#takeBack(now) : null;
  }

  get moving(): boolean {
    return this.#deferred.moving;
  }

  /**
   * Reads the receipts of unknown rows once more.
   *
   * @returns late receipts; empty when none is left to read
   */
  async late(
    reread: (rows: RequestRow[]) => Promise<RowAnswer[]>,
    counts: RowCounts,
  ): Promise<LateAnswer[]> {
    for (;;) {
      const found = this.#reread ? [] : await this.#readAgain(reread);
      if (found.length > 0 || this.#deferred.unknown === 0) return found;
      // These stay unknown; the deferred ones are next.
      counts.unknown += this.#unknown.size;
      this.#unknown.clear();
      for (const [rowIndex, attempts] of await this.#deferred.takeUnknown()) {
        this.addUnknown(rowIndex, attempts);
      }
    }
  }

  /** Rows that were never sent become `cancelled`; the others keep their stored outcome. */
  async countTheRest(counts: RowCounts): Promise<void> {
    counts.cancelled += this.#neverWent;
    this.#state.next = this.#to;
    this.#state.ahead = [];
    for (const { was } of this.#state.again) counts[was === 'new' ? 'cancelled' : was] += 1;
    this.#state.again = [];
    const deferred = this.#deferred.giveUp();
    counts.cancelled += deferred.new;
    counts.failed += deferred.failed;
    counts.unknown += deferred.unknown + this.#unknown.size;
    this.#unknown.clear();
    await this.#deferred.drop();
  }

  #readyAgain(now: number): number {
    return this.#state.again.filter((row) => row.notBefore <= now).length;
  }

  async #readAgain(reread: (rows: RequestRow[]) => Promise<RowAnswer[]>): Promise<LateAnswer[]> {
    this.#reread = true;
    const rows = this.unknownRows.map(([rowIndex, attempts]): RequestRow => [
      rowIndex,
      attempts,
      'normal',
    ]);
    const found: LateAnswer[] = [];
    for (let start = 0; start < rows.length; start += rereadRows) {
      const answers = await reread(rows.slice(start, start + rereadRows));
      for (const answer of answers) {
        if (answer.kind === 'unknown') continue;
        this.#unknown.delete(answer.rowIndex);
        found.push(answer);
      }
    }
    return found;
  }

  #deferAgain(): Promise<void> {
    const ordered = this.#state.again.toSorted((a, b) => a.notBefore - b.notBefore);
    const later = ordered.splice(-mostCarried / 2);
    this.#state.again = ordered;
    return this.#deferred.putAgain(later);
  }

  #deferUnknown(): Promise<void> {
    const some = this.unknownRows.slice(0, mostCarried / 2);
    for (const [rowIndex] of some) this.#unknown.delete(rowIndex);
    return this.#deferred.putUnknown(some);
  }

  async #takeBack(now: number): Promise<void> {
    const rows = await this.#deferred.takeAgain(now);
    this.#state.again.push(...rows);
  }
}

const first = { attempts: 0, mode: 'normal', notBefore: 0, throttled: 0 } as const;
