import type { PollAnswer } from '../../../domain/certificates/certificate-rows';
import { pollBoundMs } from '../../../domain/core/service/poll-timing';
import type { DrivenRows } from './driven-rows';
import type { OutstandingRow, SettledRow } from './outstanding-rows';
import type { RowRequests } from './row-requests';

/** Sizes and bounds: see decision records 002, 004 and 008. */
const limits = {
  /** Return after the first settlement: soon when rows wait for its slot, later when none do. */
  lingerMs: 1_000,
  slotLingerMs: 120,
} as const;

/** Polls the accepted rows of a driver, and takes what has settled. */
export class RowPolls {
  readonly #rows: DrivenRows;
  readonly #requests: RowRequests;

  constructor(rows: DrivenRows, requests: RowRequests) {
    this.#rows = rows;
    this.#requests = requests;
  }

  /** @returns whether a poll starts that reads rows for the first time */
  start(): boolean {
    for (let isFirst = false; ;) {
      const { outstanding, chunks, state } = this.#rows;
      const next = outstanding.next(Date.now(), state.share, chunks.size > 0);
      if ('at' in next) {
        this.#rows.wakes.at(next.at);
        return isFirst;
      }
      if (next.rows.length === 0) return isFirst;
      isFirst ||= next.rows.some(({ known }) => !known);
      this.#rows.wakes.inBackground(this.#poll(next.rows));
    }
  }

  async #poll(rows: OutstandingRow[]): Promise<void> {
    const { activities, list, terms, name } = this.#rows.options;
    const now = Date.now();
    const youngestAgeMs = Math.min(...rows.map((row) => now - row.tuple[2]));
    const slotsWanted = this.#requests.mayRequest(now) && this.#requests.readyRows(now) > 0;
    const polled = await this.#rows.outstanding.poll(rows, (tuples, poll) =>
      activities.pollCertificates({
        list,
        name,
        poll,
        rows: tuples,
        rowDeadlineMs: terms.rowDeadlineMs,
        boundMs: pollBoundMs(youngestAgeMs),
        reuseSince: terms.reuseSince,
        lingerMs: limits.lingerMs,
        slotLingerMs: slotsWanted ? limits.slotLingerMs : limits.lingerMs,
        interactive: terms.interactive,
      }),
    );
    if (polled !== null) this.#takeWatched(polled.answer, polled.settled);
  }

  #takeWatched(answer: PollAnswer, settled: readonly SettledRow[]): void {
    for (const [chunk, slots] of answer.handedOn) this.#rows.chunks.handOn(chunk, slots);
    for (const row of settled) this.#requests.settle(row);
    for (let n = 0; n < answer.unreadable; n += 1) this.#requests.countLost();
    if (answer.readFailure === 'credentials') this.#rows.breaker.reason = 'credentials';
    else if (answer.settled.length > 0 && this.#rows.breaker.reason === 'credentials') {
      this.#rows.breaker.reason = null;
    }
  }
}
