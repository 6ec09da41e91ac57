import { condition } from '@temporalio/workflow';
import { Budget, type ReachedBudget } from '../../domain/core/budget';
import { orderAnswer, type OrderAnswer } from '../../domain/order-answers';
import type { PreparedStep } from './activities';

/** Lets steps send requests within the budget; then the investigation waits for a person. */
export class RequestBudget {
  readonly #budget: Budget | null;
  /** Steps spend in sequence: two at once would both pass the check. */
  #last: Promise<unknown> = Promise.resolve();
  #beyond: Extract<PreparedStep, { kind: 'beyondBudget' }> | null = null;

  /** @param budget requests; null: no limit */
  constructor(budget: number | null) {
    this.#budget = budget === null ? null : new Budget(budget);
  }

  /** Null: the budget is not reached. */
  get reached(): ReachedBudget | null {
    if (this.#budget === null || this.#beyond === null) return null;
    return { ...this.#budget.state, rest: this.#beyond.rest };
  }

  /**
   * @param prepare the most it may request; null: no limit
   * @param until epoch milliseconds: the wait for a person ends
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
        if (prepared.kind === 'requested') budget.take(prepared.requests);
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

  /** @returns the reply to the person */
  refill(): OrderAnswer {
    if (this.#budget === null || this.#beyond === null) return orderAnswer('not_waiting');
    const { requests } = this.#beyond;
    this.#beyond = null;
    return this.#budget.refill(requests);
  }
}
