import { Context } from '@temporalio/activity';

/**
 * Heartbeats on a timer while an activity works, and the sign that it is late: a process that was
 * frozen comes back with its clock far ahead of its last heartbeat, and by then somebody else may
 * have been given its work (decision record 001).
 */
export class Heartbeats {
  readonly #startedAt: number;
  readonly #startToCloseMs: number;
  readonly #heartbeatTimeoutMs: number;
  readonly #now: () => number;
  readonly #timer: NodeJS.Timeout;
  #lastAt: number;
  /** Goes with every beat: what the next attempt is to know of this one. */
  details: unknown;

  /**
   * @param everyMs how soon a cancellation arrives; each beat is a write of the server's, so that what
   *   is over sooner sends none
   */
  constructor(now: () => number = Date.now, everyMs = 400) {
    const { info } = Context.current();
    this.#now = now;
    this.#startedAt = now();
    this.#lastAt = this.#startedAt;
    this.#startToCloseMs = info.startToCloseTimeoutMs || Infinity;
    this.#heartbeatTimeoutMs = info.heartbeatTimeoutMs || Infinity;
    const context = Context.current();
    this.#timer = setInterval(() => {
      // A beat that comes after the timeout must not cover up that it came too late.
      if (this.isLate()) return;
      this.#lastAt = this.#now();
      context.heartbeat(this.details);
    }, everyMs);
  }

  /** True when the server may have given this attempt up already. Read it without an await after. */
  isLate(): boolean {
    const now = this.#now();
    return (
      now - this.#lastAt > this.#heartbeatTimeoutMs / 2 ||
      now - this.#startedAt > this.#startToCloseMs - 1_000
    );
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
