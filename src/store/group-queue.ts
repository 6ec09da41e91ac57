import { StoreError } from './store-error';

interface Waiting<Request, Result> {
  request: Request;
  settle: (result: Result) => void;
  fail: (error: unknown) => void;
}

/** How requests are done together. */
export interface Together<Request, Result> {
  /** Sizes of the members of one group add up to no more; default: each counts as one. */
  most: number;
  sizeOf?: (request: Request) => number;
  /**
   * What became of each member.
   *
   * @throws StoreError when nothing was done of any: each of several is then done alone
   */
  run: (group: readonly Request[]) => Promise<readonly (Result | StoreError)[]>;
}

/** What is asked for while a group is under way is done together, next; each caller learns its own end. */
export class GroupQueue<Request, Result> {
  readonly #together: Together<Request, Result>;
  readonly #waiting: Waiting<Request, Result>[] = [];
  #working: Promise<void> | null = null;

  constructor(together: Together<Request, Result>) {
    this.#together = together;
  }

  /** @throws StoreError */
  submit(request: Request): Promise<Result> {
    return new Promise((settle, fail) => {
      this.#waiting.push({ request, settle, fail });
      this.#working ??= this.#work();
    });
  }

  /** What was asked for before is done when it resolves. */
  async drain(): Promise<void> {
    await this.#working;
  }

  async #work(): Promise<void> {
    while (this.#waiting.length > 0) {
      // What is asked for in one turn of the event loop goes together.
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

  /** @returns false when nothing was done, and each is to be done alone */
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
