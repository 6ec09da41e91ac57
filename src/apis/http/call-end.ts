import { onAbort } from './signals';

/** What ends a call before its answer: its time is up, or its signal says so. */
export class CallEnd {
  /** The time was up. */
  isLate = false;
  readonly #given: AbortSignal | undefined;
  #stop: () => void = () => undefined;
  #timer: NodeJS.Timeout | undefined;
  #letGo: () => void = () => undefined;

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
    this.#letGo = onAbort(this.#given, stop);
  }

  /** Nobody reads what still comes of the answer. */
  abandon(): void {
    this.#stop();
  }

  /** The call is over. */
  release(): void {
    clearTimeout(this.#timer);
    this.#letGo();
  }
}
