import { setMaxListeners } from 'node:events';

/**
 * What ends a call before its answer: its time is up, or its signal says so. Leaves nothing behind with the
 * signal, as `AbortSignal.any` does.
 */
export class CallEnd {
  /** The time was up. */
  isLate = false;
  readonly #controller = new AbortController();
  readonly #given: AbortSignal | undefined;
  readonly #follow = (): void => this.#controller.abort();
  #timer: NodeJS.Timeout | undefined;

  constructor(given: AbortSignal | undefined) {
    this.#given = given;
  }

  /** The call leaves. */
  begin(timeoutMs: number): AbortSignal {
    this.#timer = setTimeout(() => {
      this.isLate = true;
      this.#controller.abort();
    }, timeoutMs).unref();
    if (this.#given?.aborted === true) this.#controller.abort();
    else if (this.#given !== undefined) {
      // Many calls may have one signal.
      setMaxListeners(0, this.#given);
      this.#given.addEventListener('abort', this.#follow);
    }
    return this.#controller.signal;
  }

  /** Nobody reads what still comes of the answer. */
  abandon(): void {
    this.#controller.abort();
  }

  /** The call is over. */
  release(): void {
    clearTimeout(this.#timer);
    this.#given?.removeEventListener('abort', this.#follow);
  }
}
