import { backoffMs } from '../../domain/core/poll-timing';
import { sayEvent } from '../core/job-events';
import type { WaitingFor } from '../messages';

/** Whether requests may go to the service, and why not: they wait, doubling, then one row tries it. */
export class ServiceBreaker {
  /** Runs in a row that were turned away. */
  #turnedAway: number;
  #closedUntil = 0;
  #probing: boolean;
  reason: WaitingFor | null = null;

  /** @param turnedAway of the execution before */
  constructor(turnedAway: number) {
    this.#turnedAway = turnedAway;
    this.#probing = turnedAway > 0;
  }

  get turnedAway(): number {
    return this.#turnedAway;
  }

  /** The next run has one row, and shows whether the way is open. */
  get probing(): boolean {
    return this.#probing;
  }

  get closedUntil(): number {
    return this.#closedUntil;
  }

  shut(reason: WaitingFor, until: number): void {
    if (this.reason !== reason) sayEvent('requests stopped', { reason });
    this.#turnedAway += 1;
    this.#probing = true;
    this.reason = reason;
    const waitMs = backoffMs(this.#turnedAway, Math.random());
    this.#closedUntil = Math.max(this.#closedUntil, until, Date.now() + waitMs);
  }

  /** One lost answer makes the next run a probe; another in a row means that the way is bad. */
  lostAnswer(): { isBad: boolean } {
    const isBad = this.#probing;
    this.#probing = true;
    return { isBad };
  }

  open(): void {
    if (this.#turnedAway > 0) sayEvent('requests resumed');
    this.#turnedAway = 0;
    this.#probing = false;
    this.reason = null;
  }

  /** A person wants it to be tried at once. */
  tryNow(): void {
    this.#closedUntil = 0;
  }
}
