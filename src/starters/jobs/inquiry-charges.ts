import { BillingTotals, type BillingTotal } from '../../domain/core/billing-totals';
import type { InquiryEnding } from './inquiry-rows';
import { counted, printable } from './text';

/** Adds up what the works of a batch were charged, each once: the rows of its sheet add up to it. */
export interface InquiryCharges {
  /** @param before it had ended, and was charged, before the batch was asked for */
  add(ending: InquiryEnding, before: boolean): void;
  /** Of `summary.json`. */
  summary(): Record<string, unknown>;
  /** For people. */
  lines(): string[];
}

export function billedCharges(): InquiryCharges {
  const all = new BillingTotals();
  const earlier = new BillingTotals();
  return {
    add: ({ billing }, before) => {
      all.add(billing);
      if (before) earlier.add(billing);
    },
    summary: () => ({
      billing: all.all(),
      billingUntold: all.untold,
      billingBefore: earlier.all(),
    }),
    lines: () => [
      ...all.all().map((total) => `billing ${billingWords(total)}`),
      ...earlier.all().map((total) => `of it before this batch ${billingWords(total)}`),
      ...(all.untold > 0 ? [`${all.untold} without billing`] : []),
    ],
  };
}

function billingWords({ status, unit, count, amount }: BillingTotal): string {
  return printable(`${count} ${status ?? '-'}: ${amount ?? '-'} ${unit ?? ''}`.trimEnd());
}

/** The service tells no billing of a profile: what may be charged for is that it was answered. */
export function answeredCharges(): InquiryCharges {
  let all = 0;
  let earlier = 0;
  let lost = 0;
  return {
    add: ({ cells }, before) => {
      lost += Number(cells['answers_lost'] ?? 0);
      const answered = Number(cells['answered'] ?? 0);
      all += answered;
      if (before) earlier += answered;
    },
    summary: () => ({ answered: all, answeredBefore: earlier, answersLost: lost }),
    lines: () => [
      `answered ${all} times, and may be charged as often` +
        (earlier > 0 ? `; ${earlier} of them before this batch` : ''),
      ...(lost > 0
        ? [`${counted(lost, 'call')} without a readable answer: perhaps charged, too`]
        : []),
    ],
  };
}
