import type { AgainRow } from '../../../domain/certificates/certificate-rows';
import type { RowListRef } from '../../../domain/certificates/job';
import type { CertificateActivities } from '../activities';
import { never, type Deferred } from './row-state';

/** Rows per step: each step passes through the history. */
const perStep = 500;

/**
 * Counts of the rows that a lane has deferred to the store, and when the first may be requested. Of a
 * million rows any number may have to be requested again, and a workflow cannot carry them.
 */
export class DeferredRows {
  readonly #state: Deferred;
  readonly #lane: { list: RowListRef; lane: string };
  readonly #activities: CertificateActivities;
  #moving = false;

  constructor(
    state: Deferred,
    lane: { list: RowListRef; lane: string },
    activities: CertificateActivities,
  ) {
    this.#state = state;
    this.#lane = lane;
    this.#activities = activities;
  }

  /** Rows are being stored or read back. */
  get moving(): boolean {
    return this.#moving;
  }

  get again(): number {
    return Object.values(this.#state.again).reduce((sum, count) => sum + count, 0);
  }

  get settledOnce(): number {
    return this.again - this.#state.again.new;
  }

  get unknown(): number {
    return this.#state.unknown;
  }

  get soonest(): number {
    return this.again === 0 ? Infinity : this.#state.soonest;
  }

  async putAgain(rows: AgainRow[]): Promise<void> {
    await this.#put(rows);
    this.#state.soonest = Math.min(this.soonest, ...rows.map(({ notBefore }) => notBefore));
    for (const { was } of rows) this.#state.again[was] += 1;
  }

  /** Reads back the rows that are due. */
  async takeAgain(now: number): Promise<AgainRow[]> {
    const rows = await this.#take(0, now);
    for (const { was } of rows) this.#state.again[was] -= 1;
    return rows;
  }

  async putUnknown(rows: readonly [rowIndex: number, attempts: number][]): Promise<void> {
    await this.#put(rows.map(([rowIndex, attempts]) => ({ ...unknownRow, rowIndex, attempts })));
    this.#state.unknown += rows.length;
  }

  async takeUnknown(): Promise<[rowIndex: number, attempts: number][]> {
    const rows = await this.#take(never, never);
    this.#state.unknown -= rows.length;
    return rows.map(({ rowIndex, attempts }) => [rowIndex, attempts]);
  }

  /** Ends all of them. @returns counts by stored outcome */
  giveUp(): Deferred['again'] {
    const { again, unknown } = this.#state;
    this.#state.again = { new: 0, failed: 0, unknown: 0 };
    this.#state.unknown = 0;
    return { ...again, unknown: again.unknown + unknown };
  }

  /** At the end of the lane. */
  async drop(): Promise<void> {
    if (this.#state.steps > 0) await this.#activities.dropDeferredRows(this.#lane);
  }

  async #put(rows: AgainRow[]): Promise<void> {
    await this.#move((step) => this.#activities.deferRows({ ...this.#lane, step, rows }));
  }

  async #take(from: number, to: number): Promise<AgainRow[]> {
    const { rows, soonest } = await this.#move((step) =>
      this.#activities.takeDeferredRows({ ...this.#lane, step, from, to, limit: perStep }),
    );
    this.#state.soonest = soonest ?? never;
    return rows;
  }

  async #move<T>(act: (step: number) => Promise<T>): Promise<T> {
    this.#moving = true;
    this.#state.steps += 1;
    try {
      return await act(this.#state.steps);
    } finally {
      this.#moving = false;
    }
  }
}

const unknownRow = { mode: 'normal', notBefore: never, throttled: 0, was: 'unknown' } as const;
