/** A token bucket that holds one second's worth of calls. */

import type { SandboxClock } from '../core/clock';
import { tooManyRequests } from './refusal';

export class RateLimit {
  readonly #clock: SandboxClock;
  readonly #perSecond: () => number | null;
  #left = Number.POSITIVE_INFINITY;
  #filledAt: number;

  constructor(clock: SandboxClock, perSecond: () => number | null) {
    this.#clock = clock;
    this.#perSecond = perSecond;
    this.#filledAt = clock.now();
  }

  /** @throws Refusal 429 with the seconds after which a call will be let through. */
  take(): void {
    const perSecond = this.#perSecond();
    if (perSecond === null) return;
    const now = this.#clock.now();
    const elapsedSeconds = Math.max(0, now - this.#filledAt) / 1000;
    this.#left = Math.min(Math.max(1, perSecond), this.#left + elapsedSeconds * perSecond);
    this.#filledAt = now;
    if (this.#left < 1) {
      throw tooManyRequests(Math.max(1, Math.ceil((1 - this.#left) / perSecond)));
    }
    this.#left -= 1;
  }
}
