import { StoreError } from './store-error';

interface Waiting<Request, Result> {
  request: Request;
  settle: (result: Result) => void;
  fail: (error: unknown) => void;
}

export interface Together<Request, Result> {
  /** Upper bound of the sizes of a group; by default each counts as one. */
  most: number;
  sizeOf?: (request: Request) => number;
  /** @throws StoreError when nothing was done: the members are then run one by one */
  run: (group: readonly Request[]) => Promise<readonly (Result | StoreError)[]>;
}

/** Groups the requests that arrive while a group runs; each caller gets its own result. */
export class GroupQueue<Request, Result> {
  readonly #together: Together<Request, Result>;
  readonly #waiting: Waiting<Request, Result>[] = [];
  #working: Promise<void> | null = null;

  constructor(together: Together<Request, Result>) {
    this.#together = together;
  }

  submit(request: Request): Promise<Result> {
    return new Promise((settle, fail) => {
      this.#waiting.push({ request, settle, fail });
      this.#working ??= this.#work();
    });
  }

  async drain(): Promise<void> {
    await this.#working;
  }

  async #work(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Groups the requests of one turn of the event loop.
      await new Promise(setImmediate);
      const group = this.#waiting.splice(0, this.#sizeOfNext());
      if (!(await this.#areDone(group))) for (const one of group) await this.#areDone([one]);
    }
    this.#working = null;
  }

  #sizeOfNext(): number {
    const { most, sizeOf = () => 1 } = this.#together;
    let size = 0;
    const tooMany = this.#waiting.findIndex(({ request }) => (size += sizeOf(request)) > most);
    return tooMany === -1 ? this.#waiting.length : Math.max(1, tooMany);
  }

  /** @returns false when nothing was done, and the members must run one by one */
  async #areDone(group: readonly Waiting<Request, Result>[]): Promise<boolean> {
    try {
      const ends = await this.#together.run(group.map(({ request }) => request));
      for (const [at, { settle, fail }] of group.entries()) {
        const end = ends[at] as Result | StoreError;
        if (end instanceof StoreError) fail(end);
        else settle(end);
      }
    } catch (error) {
      if (group.length > 1) return false;
      for (const { fail } of group) fail(error);
    }
    return true;
  }
}
