/** So many at once; who comes next waits in line. */
export class Places {
  readonly #line: (() => void)[] = [];
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  /**
   * Waits for a place; whoever was given one calls `leave`.
   *
   * @returns false when `waitMs` were over before a place was free
   * @throws the reason of the signal
   */
  async enter(waitMs: number, signal?: AbortSignal): Promise<boolean> {
    signal?.throwIfAborted();
    if (waitMs <= 0) return false;
    if (this.#free > 0) {
      this.#free -= 1;
      return true;
    }
    return new Promise((done, fail) => {
      const come = (): void => {
        end();
        done(true);
      };
      const giveUp = (how: () => void): void => {
        this.#line.splice(this.#line.indexOf(come), 1);
        end();
        how();
      };
      const timer = setTimeout(() => giveUp(() => done(false)), waitMs);
      const abort = (): void => giveUp(() => fail(signal?.reason as Error));
      const end = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.#line.push(come);
    });
  }

  /** Gives the place to the first in line. */
  leave(): void {
    const next = this.#line.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}
