import { backoffMs } from '../../../domain/core/service/poll-timing';
import type { WaitingFor } from '../../messages';

/** The window of requests, and the minimum for a decision. */
const judged = { most: 20, least: 5 } as const;
/** The longest wait, while reads succeed and while they fail. */
const longestMs = { reads: 30_000, noReads: 300_000 } as const;

/**
 * Whether requests may go to the service, and why not. One failure concerns its row only; when more than
 * half of the window failed, all wait, doubling: then a free read, then one row from elsewhere in the
 * list, test whether the service accepts requests again.
 */
export class ServiceBreaker {
  /** Consecutive waits without success. */
  #waits: number;
  #closedUntil = 0;
  /** Latest instant of any Retry-After. */
  #retryAfter = 0;
  /** What tests whether the service is open again. */
  #probe: 'read' | 'row' | null;
  /** The window: whether each request failed. */
  #last: boolean[] = [];
  reason: WaitingFor | null = null;

  /** @param waits of the execution before */
  constructor(waits: number) {
    this.#waits = waits;
    this.#probe = waits > 0 ? 'row' : null;
  }

  get waits(): number {
    return this.#waits;
  }

  get probe(): 'read' | 'row' | null {
    return this.#probe;
  }

  get closedUntil(): number {
    return this.#closedUntil;
  }

  /** Stops requests for a reason that concerns all rows. */
  shut(reason: WaitingFor, until: number, maxMs: number = longestMs.noReads): void {
    this.#waits += 1;
    this.#probe = reason === 'service' ? 'read' : 'row';
    this.#last = [];
    this.reason = reason;
    const waitMs = backoffMs(this.#waits, Math.random(), { maxMs });
    this.#closedUntil = Math.max(this.#closedUntil, until, Date.now() + waitMs);
  }

  /** @param notBefore instant that the service asked to wait for */
  requested(isFailed: boolean, notBefore = 0): void {
    this.#retryAfter = Math.max(this.#retryAfter, notBefore);
    if (this.#probe !== null) {
      if (isFailed) this.shut('service', this.#retryAfter, longestMs.reads);
      else this.#open();
      return;
    }
    this.#last.push(isFailed);
    if (this.#last.length > judged.most) this.#last.shift();
    const failed = this.#last.filter(Boolean).length;
    if (this.#last.length >= judged.least && failed * 2 > this.#last.length) {
      this.shut('service', this.#retryAfter, longestMs.reads);
    } else if (!isFailed) this.reason = null;
  }

  /** What the read came to. */
  read(isAnswered: boolean): void {
    if (this.#probe !== 'read') return;
    if (isAnswered) this.#probe = 'row';
    else this.shut('service', 0);
  }

  /** A person orders a retry now. */
  tryNow(): void {
    this.#closedUntil = 0;
  }

  #open(): void {
    this.#waits = 0;
    this.#probe = null;
    this.#retryAfter = 0;
    this.reason = null;
  }
}
