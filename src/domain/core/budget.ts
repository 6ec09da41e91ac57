import type { Say } from '../job';
import { orderAnswer, type OrderAnswer } from '../order-answers';

/** A budget that allows no more, in requests. */
export interface ReachedBudget {
  made: number;
  allowed: number;
  /** What is left to do takes at most so many. */
  rest: number;
}

export function reachedWords({ allowed, made, rest }: ReachedBudget, say: Say): string {
  return say(
    `${made} of ${allowed} requests made; the rest takes at most ${rest}`,
    `${made} de ${allowed} pedidos feitos; o resto requer no máximo ${rest}`,
  );
}

/** What a run hands to the next one. */
export interface BudgetState {
  made: number;
  allowed: number;
}

/** Requests until a person must look, and as many again each time that one has. */
export class Budget {
  readonly #size: number;
  #made: number;
  #allowed: number;

  constructor(size: number, { allowed, made }: BudgetState = { made: 0, allowed: size }) {
    this.#size = size;
    this.#made = made;
    this.#allowed = allowed;
  }

  get left(): number {
    return this.#allowed - this.#made;
  }

  get state(): BudgetState {
    return { made: this.#made, allowed: this.#allowed };
  }

  /** @param requests negative: they were not made after all */
  take(requests: number): void {
    this.#made += requests;
  }

  /**
   * @param least that the next step makes: it may be more than the whole budget
   * @returns what it is answered with
   */
  refill(least: number): OrderAnswer {
    const more = Math.max(this.#size, least);
    this.#allowed = this.#made + more;
    return orderAnswer('resumed_budget', more);
  }
}
