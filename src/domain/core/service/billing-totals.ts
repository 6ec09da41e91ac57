import type { Billing } from './billing';

/** What was charged for many things of one kind, by the service's words: `charged tokens`. */
export interface BillingTotal {
  status: string | null;
  unit: string | null;
  /** Things of that status and unit. */
  count: number;
  /** Sum of the amounts that were told; null when none was. */
  amount: number | null;
}

/** Adds up billing as it was answered. Memory grows with the words, of which there are few. */
export class BillingTotals {
  readonly #totals = new Map<string, BillingTotal>();
  count = 0;
  /** Things of which no billing was told. */
  untold = 0;

  add(billing: Billing | null): void {
    this.count += 1;
    if (billing === null) {
      this.untold += 1;
      return;
    }
    this.merge({ ...billing, count: 1 });
  }

  /** Adds a sum of things. */
  merge({ status, unit, amount, count }: BillingTotal): void {
    const key = JSON.stringify([status, unit]);
    const total = this.#totals.get(key) ?? { status, unit, count: 0, amount: null };
    total.count += count;
    if (amount !== null) total.amount = exactSum(total.amount ?? 0, amount);
    if (this.#totals.size < mostWords) this.#totals.set(key, total);
  }

  all(): BillingTotal[] {
    return [...this.#totals.values()];
  }
}

export function billed(billings: Iterable<Billing | null>): BillingTotal[] {
  const totals = new BillingTotals();
  for (const billing of billings) if (billing !== null) totals.add(billing);
  return totals.all();
}

/** A service that makes words up is not followed. */
const mostWords = 100;

/** Amounts have few decimals: sums of them shall not show binary fractions. */
function exactSum(a: number, b: number): number {
  return Math.round((a + b) * 1e6) / 1e6;
}
