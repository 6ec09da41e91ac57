import { Context } from '@temporalio/activity';

/**
 * Sends heartbeats on a timer, and detects that the activity is late: a process that was frozen resumes with
 * its clock far ahead of its last heartbeat, and another worker may have its task (decision record 001).
 */
export class Heartbeats {
  readonly #startedAt: number;
  readonly #startToCloseMs: number;
  readonly #heartbeatTimeoutMs: number;
  readonly #now: () => number;
  readonly #timer: NodeJS.Timeout;
  #lastAt: number;
  /** Sent with every heartbeat, for the next attempt. */
  details: unknown;

  /** @param everyMs how soon a cancellation arrives; each heartbeat is a write on the server, so short activities send none */
  constructor(now: () => number = Date.now, everyMs = 400) {
    const { info } = Context.current();
    this.#now = now;
    this.#startedAt = now();
    this.#lastAt = this.#startedAt;
    this.#startToCloseMs = info.startToCloseTimeoutMs || Infinity;
    this.#heartbeatTimeoutMs = info.heartbeatTimeoutMs || Infinity;
    const context = Context.current();
    this.#timer = setInterval(() => {
      // A heartbeat after the timeout must not hide that it is late.
      if (this.isLate()) return;
      this.#lastAt = this.#now();
      context.heartbeat(this.details);
    }, everyMs);
  }

  /** True when the server may have timed this attempt out. No await after reading it. */
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
