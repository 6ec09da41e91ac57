import { monitorEventLoopDelay } from 'node:perf_hooks';

/** The longest recent block of the event loop. */
export class EventLoopLag {
  readonly #histogram = monitorEventLoopDelay({ resolution: 50 });
  readonly #turn: NodeJS.Timeout;
  #before = 0;

  /** @param windowMs blocks are forgotten after one to two windows */
  constructor(windowMs = 15_000) {
    this.#histogram.enable();
    this.#turn = setInterval(() => {
      this.#before = this.#histogram.max;
      this.#histogram.reset();
    }, windowMs);
    this.#turn.unref();
  }

  seconds(): number {
    return Math.max(this.#before, this.#histogram.max) / 1e9;
  }

  stop(): void {
    clearInterval(this.#turn);
    this.#histogram.disable();
  }
}
