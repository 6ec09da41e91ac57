import type { CertificateType } from '../certificates/certificates';

/** How long evidence of a kind is valid: by law, not as the service says. */
export interface ValidityRule {
  id: string;
  type: CertificateType;
  days: number;
  source: string;
  /** Of the rule: ISO 8601 date. */
  inForceFrom: string;
}

export const validityRules: readonly ValidityRule[] = [
  {
    id: 'cndt-180-days',
    type: 'trabalhista',
    days: 180,
    source: 'CLT, art. 642-A (Lei 12.440/2011)',
    inForceFrom: '2012-01-04',
  },
];

export interface Validity {
  /** ISO 8601 date: the last day. */
  until: string;
  rule: string;
  source: string;
}

/** Derived, since the service does not say. Null: no rule is known. */
export function validityOf(type: string, capturedAt: string): Validity | null {
  const from = Date.parse(capturedAt);
  const rule = validityRules.findLast(
    (one) => one.type === type && Date.parse(one.inForceFrom) <= from,
  );
  if (rule === undefined) return null;
  const until = new Date(from + rule.days * 86_400_000).toISOString().slice(0, 10);
  return { until, rule: rule.id, source: rule.source };
}
