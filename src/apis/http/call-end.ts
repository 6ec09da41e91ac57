import { setMaxListeners } from 'node:events';

/**
 * What ends a call before its answer: its time is up, or its signal says so. Leaves nothing behind with the
 * signal, as `AbortSignal.any` does.
 */
export class CallEnd {
  /** The time was up. */
  isLate = false;
  readonly #given: AbortSignal | undefined;
  #stop: () => void = () => undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(given: AbortSignal | undefined) {
    this.#given = given;
  }

  /** The call leaves; `stop` breaks it off. */
  begin(timeoutMs: number, stop: () => void): void {
    this.#stop = stop;
    this.#timer = setTimeout(() => {
      this.isLate = true;
      stop();
    }, timeoutMs).unref();
    if (this.#given?.aborted === true) stop();
    else if (this.#given !== undefined) {
      // Many calls may have one signal.
      setMaxListeners(0, this.#given);
      this.#given.addEventListener('abort', stop);
    }
  }

  /** Nobody reads what still comes of the answer. */
  abandon(): void {
    this.#stop();
  }

  /** The call is over. */
  release(): void {
    clearTimeout(this.#timer);
    this.#given?.removeEventListener('abort', this.#stop);
  }
}
