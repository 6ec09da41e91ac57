import type { OrderAnswer } from '../../domain/order-answers';
import { Budget, type BudgetState, type ReachedBudget } from '../../domain/core/budget';
import type { JobBatchInput } from '../inputs';
import { Waits } from './waits';

/** Lets a batch of jobs start rows while its budget covers them; then it waits for a person. */
export class RowBudget {
  readonly #budget: Budget | null;
  /** Requests of a row when nothing fails. */
  readonly #perRow: number;
  readonly #waits: Waits;
  readonly #rowsToStart: () => number;

  /** @param rowsToStart rows that wait only for the budget */
  constructor({ budget, carryover, folder }: JobBatchInput, rowsToStart: () => number) {
    this.#budget = budget === undefined ? null : new Budget(budget.requests, carryover.budget);
    this.#perRow = budget?.perRow ?? 0;
    this.#waits = new Waits(folder);
    this.#rowsToStart = rowsToStart;
  }

  get state(): BudgetState | undefined {
    return this.#budget?.state;
  }

  get coversRow(): boolean {
    return this.#budget === null || this.#perRow <= this.#budget.left;
  }

  /** Null: the budget covers the next row, or there is no budget. */
  get reached(): ReachedBudget | null {
    const rows = this.#rowsToStart();
    if (this.#budget === null || this.coversRow || rows === 0) return null;
    return { ...this.#budget.state, rest: rows * this.#perRow };
  }

  /** Before a row starts. */
  take(): void {
    this.#budget?.take(this.#perRow);
    this.report();
  }

  /** Another job has done what the row would have done. */
  giveBack(): void {
    this.#budget?.take(-this.#perRow);
    this.report();
  }

  /** @returns the reply to the person; null: the budget is not reached */
  refill(): OrderAnswer | null {
    if (this.#budget === null || this.reached === null) return null;
    const answer = this.#budget.refill(this.#perRow);
    this.report();
    return answer;
  }

  /** Adds the batch to the inbox or removes it. */
  report(): void {
    const { reached } = this;
    this.#waits.report(reached && 'budget', reached);
  }

  /** Resolves when the store has what was reported. */
  settled(): Promise<void> {
    return this.#waits.settled();
  }
}
