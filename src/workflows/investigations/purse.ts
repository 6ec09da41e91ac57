import { condition } from '@temporalio/workflow';
import { Budget, type ReachedBudget } from '../../domain/core/budget';
import { orderAnswer } from '../../domain/order-answers';
import type { PreparedStep } from './activities';

/** Lets steps make as many requests as the budget allows; then a person must look. */
export class Purse {
  readonly #budget: Budget | null;
  /** Steps spend one after the other: two at once would both be told that there is enough. */
  #last: Promise<unknown> = Promise.resolve();
  #beyond: Extract<PreparedStep, { kind: 'beyondBudget' }> | null = null;

  /** @param budget requests; null: as many as there are */
  constructor(budget: number | null) {
    this.#budget = budget === null ? null : new Budget(budget);
  }

  /** While a person must look; null: nobody must. */
  get reached(): ReachedBudget | null {
    if (this.#budget === null || this.#beyond === null) return null;
    return { ...this.#budget.state, rest: this.#beyond.rest };
  }

  /**
   * @param prepare what it may request at most; null: no matter how much
   * @param until epoch milliseconds: after it nobody is waited for
   */
  async spend(
    prepare: (mayRequest: number | null) => Promise<PreparedStep>,
    { onWait, until }: { onWait: () => void; until: number },
  ): Promise<PreparedStep> {
    const budget = this.#budget;
    if (budget === null) return prepare(null);
    const before = this.#last;
    const own = (async () => {
      await before.catch(() => undefined);
      for (;;) {
        const prepared = await prepare(budget.left);
        if (prepared.kind === 'asked') budget.take(prepared.requests);
        const leftMs = until - Date.now();
        if (prepared.kind !== 'beyondBudget' || leftMs <= 0) return prepared;
        this.#beyond = prepared;
        onWait();
        const isMore = await condition(() => this.#beyond === null, leftMs);
        this.#beyond = null;
        onWait();
        if (!isMore) return prepared;
      }
    })();
    this.#last = own;
    return own;
  }

  /** @returns what it is answered with */
  refill(): string {
    if (this.#budget === null || this.#beyond === null) return orderAnswer('not_waiting_budget');
    const { requests } = this.#beyond;
    this.#beyond = null;
    return this.#budget.refill(requests);
  }
}
