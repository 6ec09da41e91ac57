import { onAbort } from './signals';

/** Ends a call before its response: timeout or signal. */
export class CallEnd {
  /** It timed out. */
  isLate = false;
  readonly #given: AbortSignal | undefined;
  #stop: () => void = () => undefined;
  #timer: NodeJS.Timeout | undefined;
  #letGo: () => void = () => undefined;

  constructor(given: AbortSignal | undefined) {
    this.#given = given;
  }

  /** The call is sent; `stop` aborts it. */
  begin(timeoutMs: number, stop: () => void): void {
    this.#stop = stop;
    this.#timer = setTimeout(() => {
      this.isLate = true;
      stop();
    }, timeoutMs).unref();
    this.#letGo = onAbort(this.#given, stop);
  }

  /** The rest of the response is not read. */
  abandon(): void {
    this.#stop();
  }

  /** The call is over. */
  release(): void {
    clearTimeout(this.#timer);
    this.#letGo();
  }
}
