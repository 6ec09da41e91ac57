import type { Billing } from '../../domain/core/billing';

export function billingWords(billing: Billing | null): string | null {
  if (billing === null) return null;
  const { status, amount, unit } = billing;
  return [status ?? '-', amount ?? '-', unit ?? ''].join(' ').trim();
}
