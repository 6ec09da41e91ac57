import { condition } from '@temporalio/workflow';
import type { ReachedBudget } from '../../domain/core/budget';
import { orderAnswer } from '../../domain/order-answers';
import type { PreparedStep } from './activities';

/** Lets steps make as many requests as the budget allows; then a person must look. */
export class Purse {
  readonly #budget: number;
  #allowed: number;
  #spent = 0;
  /** Steps spend one after the other: two at once would both be told that there is enough. */
  #last: Promise<unknown> = Promise.resolve();
  #rest: number | null = null;

  /** @param budget requests; null: as many as there are */
  constructor(budget: number | null) {
    this.#budget = this.#allowed = budget ?? Infinity;
  }

  /** While a person must look; null: nobody must. */
  get reached(): ReachedBudget | null {
    if (this.#rest === null) return null;
    return { made: this.#spent, allowed: this.#allowed, rest: this.#rest };
  }

  /**
   * @param prepare what it may request at most; null: no matter how much
   * @param until epoch milliseconds: after it nobody is waited for
   */
  async spend(
    prepare: (mayRequest: number | null) => Promise<PreparedStep>,
    { onWait, until }: { onWait: () => void; until: number },
  ): Promise<PreparedStep> {
    if (this.#budget === Infinity) return prepare(null);
    const before = this.#last;
    const own = (async () => {
      await before.catch(() => undefined);
      for (;;) {
        const allowed = this.#allowed;
        const prepared = await prepare(allowed - this.#spent);
        if (prepared.kind === 'asked') this.#spent += prepared.requests;
        const leftMs = until - Date.now();
        if (prepared.kind !== 'beyondBudget' || leftMs <= 0) return prepared;
        this.#rest = prepared.rest;
        onWait();
        const isMore = await condition(() => this.#allowed > allowed, leftMs);
        this.#rest = null;
        onWait();
        if (!isMore) return prepared;
        // What is asked for at once may be more than one budget.
        this.#allowed = Math.max(this.#allowed, this.#spent + prepared.requests);
      }
    })();
    this.#last = own;
    return own;
  }

  /** @returns what it is answered with */
  refill(): string {
    if (this.#rest === null) return orderAnswer('not_waiting_budget');
    this.#allowed = this.#spent + this.#budget;
    return orderAnswer('resumed_budget', this.#budget);
  }
}
