import { Budget, type BudgetState, type ReachedBudget } from '../../domain/core/budget';
import type { JobBatchInput } from '../inputs';
import { Waits } from './waits';

/** Lets a batch of jobs start rows as long as its budget covers them; then a person must look. */
export class RowBudget {
  readonly #budget: Budget | null;
  /** Requests of a row when nothing fails. */
  readonly #perRow: number;
  readonly #waits: Waits;
  readonly #rowsToStart: () => number;

  /** @param rowsToStart rows that wait for nothing else */
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

  /** Null: it covers the next row, or there is none. */
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

  /** Another job did what the row would have done. */
  giveBack(): void {
    this.#budget?.take(-this.#perRow);
    this.report();
  }

  /** @returns what it is answered with; null: nobody waits for it */
  refill(): string | null {
    if (this.#budget === null || this.reached === null) return null;
    const answer = this.#budget.refill(this.#perRow);
    this.report();
    return answer;
  }

  /** Puts the batch into the inbox, or takes it out. */
  report(): void {
    const { reached } = this;
    this.#waits.report(reached && 'budget', reached);
  }

  /** Resolves when the store has what was reported. */
  settled(): Promise<void> {
    return this.#waits.settled();
  }
}
