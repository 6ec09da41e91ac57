import { onAbort } from '../apis/http/signals';

/** Bounds concurrency; callers wait in line. */
export class Slots {
  readonly #line: (() => void)[] = [];
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  /**
   * Waits for a slot, runs the work in it, and passes it to the first in line.
   *
   * @returns null when no slot was free within `waitMs`
   * @throws the reason of the signal
   */
  async within<T>(
    waitMs: number,
    signal: AbortSignal | undefined,
    work: () => Promise<T>,
  ): Promise<T | null> {
    signal?.throwIfAborted();
    if (waitMs <= 0 || !(await this.#enter(waitMs, signal))) return null;
    try {
      return await work();
    } finally {
      const next = this.#line.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }

  #enter(waitMs: number, signal: AbortSignal | undefined): Promise<boolean> {
    if (this.#free > 0) {
      this.#free -= 1;
      return Promise.resolve(true);
    }
    return new Promise((done, fail) => {
      const end = (): void => {
        clearTimeout(timer);
        letGo();
      };
      const come = (): void => {
        end();
        done(true);
      };
      const leave = (): void => {
        end();
        this.#line.splice(this.#line.indexOf(come), 1);
      };
      const abort = (): void => {
        leave();
        fail(signal?.reason as Error);
      };
      const timer = setTimeout(() => {
        leave();
        done(false);
      }, waitMs);
      const letGo = onAbort(signal, abort);
      this.#line.push(come);
    });
  }
}
