/** The sandbox's own time. Everything that ages or waits asks it, nothing asks `Date.now()`. */

export type ClockMode = 'real' | 'manual';

/** Where a manual clock starts, also after a reset. */
export const manualClockStartAt = Date.parse('2026-01-05T12:00:00.000Z');

interface Sleeper {
  dueAt: number;
  wake(): void;
}

/**
 * `real` follows the wall clock and can be pushed ahead; `manual` stands still until it is moved.
 * Waits end when the clock reaches their end, however it got there.
 */
export class SandboxClock {
  readonly mode: ClockMode;
  /** Ahead of the wall clock, or of 1970. */
  #offsetMs = 0;
  readonly #sleepers = new Set<Sleeper>();

  constructor(mode: ClockMode) {
    this.mode = mode;
    this.reset();
  }

  /** Milliseconds since 1970. */
  now(): number {
    return this.#base() + this.#offsetMs;
  }

  isoNow(): string {
    return new Date(this.now()).toISOString();
  }

  advance(ms: number): void {
    this.#moveTo(this.now() + ms);
  }

  /** To an ISO 8601 instant, back too. */
  set(iso: string): void {
    this.#moveTo(Date.parse(iso));
  }

  /** Resolves when the clock has moved on by `ms`. */
  sleep(ms: number): Promise<void> {
    if (ms <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.#sleepers.delete(sleeper);
        resolve();
      };
      const sleeper: Sleeper = { dueAt: this.now() + ms, wake };
      const timer = this.mode === 'real' ? setTimeout(wake, ms) : undefined;
      this.#sleepers.add(sleeper);
    });
  }

  /** Ends every wait at once, and puts the clock where it started. */
  reset(): void {
    for (const sleeper of this.#sleepers) sleeper.wake();
    this.#offsetMs = this.mode === 'manual' ? manualClockStartAt : 0;
  }

  #base(): number {
    return this.mode === 'manual' ? 0 : Date.now();
  }

  #moveTo(at: number): void {
    this.#offsetMs = at - this.#base();
    for (const sleeper of this.#sleepers) if (sleeper.dueAt <= at) sleeper.wake();
  }
}
