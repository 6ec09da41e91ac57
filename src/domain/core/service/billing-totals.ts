/** Cost of a call as reported. Its words are not documented, and stored unchanged. */
export interface Billing {
  status: string | null;
  amount: number | null;
  unit: string | null;
}

/** Charges for items of one kind, by the service's words: `charged tokens`. */
export interface BillingTotal {
  status: string | null;
  unit: string | null;
  count: number;
  /** Sum of the reported amounts; null: none. */
  amount: number | null;
}

/** Sums up reported billing. Memory grows with the number of words, which is small. */
export class BillingTotals {
  readonly #totals = new Map<string, BillingTotal>();
  count = 0;
  untold = 0;

  add(billing: Billing | null): void {
    this.count += 1;
    if (billing === null) {
      this.untold += 1;
      return;
    }
    this.merge({ ...billing, count: 1 });
  }

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

/** Bounds the number of words. */
const mostWords = 100;

/** Amounts have few decimals: sums must not show binary fractions. */
function exactSum(a: number, b: number): number {
  return Math.round((a + b) * 1e6) / 1e6;
}
