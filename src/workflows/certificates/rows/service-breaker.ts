import { backoffMs } from '../../../domain/core/service/poll-timing';
import type { WaitingFor } from '../../messages';

/** Requests that are looked at, and how many of them there must be. */
const judged = { most: 20, least: 5 } as const;
/** The longest wait, while reads are answered and when they are not. */
const longestMs = { reads: 30_000, nothing: 300_000 } as const;

/**
 * Whether requests may go to the service, and why not. One that came to nothing is the matter of its row;
 * when more than half of the last ones did, all wait, doubling: then a read that costs nothing, then one
 * row from elsewhere, show whether the way is open.
 */
export class ServiceBreaker {
  /** Waits in a row that did not help. */
  #turnedAway: number;
  #closedUntil = 0;
  /** The latest instant that the service asked to wait for. */
  #asked = 0;
  /** What is to show whether the way is open. */
  #probe: 'read' | 'row' | null;
  /** Of the last requests, whether they came to nothing. */
  #last: boolean[] = [];
  reason: WaitingFor | null = null;

  /** @param turnedAway of the execution before */
  constructor(turnedAway: number) {
    this.#turnedAway = turnedAway;
    this.#probe = turnedAway > 0 ? 'row' : null;
  }

  get turnedAway(): number {
    return this.#turnedAway;
  }

  get probe(): 'read' | 'row' | null {
    return this.#probe;
  }

  get closedUntil(): number {
    return this.#closedUntil;
  }

  /** Nothing goes for a reason that is the same for all rows. */
  shut(reason: WaitingFor, until: number, maxMs: number = longestMs.nothing): void {
    this.#turnedAway += 1;
    this.#probe = reason === 'service' ? 'read' : 'row';
    this.#last = [];
    this.reason = reason;
    const waitMs = backoffMs(this.#turnedAway, Math.random(), { maxMs });
    this.#closedUntil = Math.max(this.#closedUntil, until, Date.now() + waitMs);
  }

  /**
   * What a request came to.
   *
   * @param notBefore instant that the service asked to wait for
   */
  requested(cameToNothing: boolean, notBefore = 0): void {
    this.#asked = Math.max(this.#asked, notBefore);
    if (this.#probe !== null) {
      if (cameToNothing) this.shut('service', this.#asked, longestMs.reads);
      else this.#open();
      return;
    }
    this.#last.push(cameToNothing);
    if (this.#last.length > judged.most) this.#last.shift();
    const failed = this.#last.filter(Boolean).length;
    if (this.#last.length >= judged.least && failed * 2 > this.#last.length) {
      this.shut('service', this.#asked, longestMs.reads);
    } else if (!cameToNothing) this.reason = null;
  }

  /** What the read came to. */
  read(isAnswered: boolean): void {
    if (this.#probe !== 'read') return;
    if (isAnswered) this.#probe = 'row';
    else this.shut('service', 0);
  }

  /** A person wants it to be tried at once. */
  tryNow(): void {
    this.#closedUntil = 0;
  }

  #open(): void {
    this.#turnedAway = 0;
    this.#probe = null;
    this.#asked = 0;
    this.reason = null;
  }
}
