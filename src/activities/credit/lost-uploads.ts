import { backoffMs } from '../../domain/core/service/poll-timing';

/** After this many lost responses in a row, uploads are tried one at a time. */
const mostInRow = 5;
const longestPauseMs = 15 * 60_000;

/**
 * Uploads with lost responses, of all files that this process sends. Each may have been charged: a service that
 * answers none of them, or unreadably, must not get a whole folder.
 */
export class LostUploads {
  readonly #now: () => number;
  readonly #random: () => number;
  #inRow = 0;
  #nextAt = 0;

  constructor({ now, random }: { now: () => number; random: () => number }) {
    this.#now = now;
    this.#random = random;
  }

  /**
   * Check before each upload.
   *
   * @param timeoutMs of the upload that may go now: no other one starts before it ends
   * @returns epoch milliseconds before which it must not start; null: it may
   */
  heldUntil(timeoutMs: number): number | null {
    if (this.#inRow < mostInRow) return null;
    if (this.#now() < this.#nextAt) return this.#nextAt;
    this.#nextAt = this.#now() + timeoutMs;
    return null;
  }

  ended(receipt: 'accepted' | 'refused' | 'not_sent' | 'unknown'): void {
    if (receipt === 'accepted' || receipt === 'refused') this.#inRow = 0;
    if (receipt === 'not_sent') this.#nextAt = this.#now();
    if (receipt !== 'unknown') return;
    this.#inRow += 1;
    const over = this.#inRow - mostInRow + 1;
    this.#nextAt = this.#now() + backoffMs(over, this.#random(), { maxMs: longestPauseMs });
  }
}
