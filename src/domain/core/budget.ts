import type { Say } from '../job';
import { orderAnswer, type OrderAnswer } from '../order-answers';

export interface ReachedBudget {
  made: number;
  allowed: number;
  rest: number;
}

export function reachedWords({ allowed, made, rest }: ReachedBudget, say: Say): string {
  return say(
    `${made} of ${allowed} requests made; the rest takes at most ${rest}`,
    `${made} de ${allowed} pedidos feitos; o resto requer no máximo ${rest}`,
  );
}

export interface BudgetState {
  made: number;
  allowed: number;
}

/** Requests until a person must decide, and as many again after each decision. */
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

  /** @param requests negative: they were not sent */
  take(requests: number): void {
    this.#made += requests;
  }

  /** @param least requests of the next step: it may be more than the whole budget @returns the reply to the person */
  refill(least: number): OrderAnswer {
    const more = Math.max(this.#size, least);
    this.#allowed = this.#made + more;
    return orderAnswer('resumed_budget', more);
  }
}
