import type { AgainRow, RowAnswer } from '../../../domain/certificates/certificate-rows';
import type { LaneGrant } from '../../../domain/certificates/request-budget';
import type { DrivenRows } from './driven-rows';

/**
 * Requests that a driver may send. A row takes one before its chunk starts, so that claims never exceed
 * them, and returns it when nothing was sent. Without a budget nothing is counted.
 */
export class RequestAllowance {
  readonly #rows: DrivenRows;

  /** Repeats the last report of the previous execution unless it was answered: report or answer may be lost. */
  constructor(rows: DrivenRows) {
    this.#rows = rows;
    const state = this.#state;
    if (state !== undefined && state.report.number > 0 && !state.isGranted) this.#sendReport();
  }

  get #state() {
    return this.#rows.state.allowance;
  }

  /** An answer to an earlier report is void: the last report returned what it allowed. */
  grant({ number, limit }: LaneGrant): void {
    const state = this.#state;
    if (state === undefined || number !== state.report.number) return;
    state.limit = limit;
    state.isGranted = true;
  }

  /** @returns how many of the ready rows may be requested; when none, asks the batch for more */
  limit(ready: number): number {
    const state = this.#state;
    if (state === undefined || ready === 0) return ready;
    const isAsking = state.report.rows > 0 && !state.isGranted;
    if (state.limit <= state.made && !isAsking) this.#report(this.#rows.waiting.unrequested);
    return Math.max(0, Math.min(ready, state.limit - state.made));
  }

  take(requests: number): void {
    if (this.#state !== undefined) this.#state.made += requests;
  }

  /** Attempts show what was sent, also by an earlier execution. */
  settle(rows: readonly AgainRow[], answers: readonly RowAnswer[]): void {
    if (this.#state === undefined) return;
    for (const [index, { kind, attempts }] of answers.entries()) {
      const before = rows[index]?.attempts ?? attempts;
      this.#state.made += (kind === 'unsent' ? 0 : Math.max(0, attempts - before)) - 1;
    }
  }

  /** Once no row waits, other lanes may have the rest. Only once: otherwise each later row would ask for one. */
  giveBackOnce(): void {
    const { chunks, waiting } = this.#rows;
    const state = this.#state;
    if (state === undefined || state.isGivenBack) return;
    if (waiting.unrequested > 0 || chunks.size > 0) return;
    state.isGivenBack = true;
    this.#report(0);
  }

  #report(rows: number): void {
    const state = this.#state;
    if (state === undefined) return;
    const { made, report } = state;
    state.report = { number: report.number + 1, made, rows };
    state.limit = made;
    state.isGranted = false;
    this.#sendReport();
  }

  #sendReport(): void {
    const { options, state, wakes } = this.#rows;
    const report = state.allowance && options.onNeed?.({ ...state.allowance.report });
    if (report !== undefined) wakes.inBackground(report);
  }
}
