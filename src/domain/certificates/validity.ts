import type { CertificateType, ManifestItem } from './certificates';

/** Legal validity of a certificate: data, since the law has changed it before. */
export interface ValidityRule {
  id: string;
  type: CertificateType;
  days: number;
  /** First day of issue that it applies to, `YYYY-MM-DD`. */
  inForceFrom: string;
  source: string;
}

/** Company data (`cnpj`) has no legal term: `--max-age` decides. */
export const validityRules: readonly ValidityRule[] = [
  {
    id: 'cndt-180',
    type: 'trabalhista',
    days: 180,
    inForceFrom: '2012-01-04',
    source: 'CLT art. 642-A § 4 (Lei 12.440/2011)',
  },
];

/** Derived, never reported by the service. */
export interface Validity {
  /** The last day, `YYYY-MM-DD`. */
  validUntil: string;
  rule: ValidityRule['id'];
}

const dayMs = 86_400_000;
/** São Paulo, which has had no summer time since 2019. */
const offsetMs = -3 * 3_600_000;

/** Null: no legal term, or the day of issue is unknown. */
export function validityOf(type: CertificateType, capturedAt: string | null): Validity | null {
  const at = Date.parse(capturedAt ?? '');
  if (Number.isNaN(at)) return null;
  const issuedOn = dayOf(at);
  const rule = validityRules
    .filter((one) => one.type === type && one.inForceFrom <= issuedOn)
    .toSorted((a, b) => b.inForceFrom.localeCompare(a.inForceFrom))[0];
  return rule ? { validUntil: dayOf(at + rule.days * dayMs), rule: rule.id } : null;
}

export function daysLeft({ validUntil }: Validity, now: number): number {
  return Math.round((Date.parse(validUntil) - Date.parse(dayOf(now))) / dayMs);
}

function dayOf(at: number): string {
  return new Date(at + offsetMs).toISOString().slice(0, 10);
}

export interface HeldCertificate {
  type: CertificateType;
  document: string;
  reference: string;
  capturedAt: string;
  certidaoId: string;
  job: string;
  line: number;
}

export type ExpiringCertificate = HeldCertificate & Validity & { daysLeft: number };

export function expiringOf(
  held: readonly HeldCertificate[],
  withinMs: number,
  now: number,
): ExpiringCertificate[] {
  return held
    .flatMap((one) => {
      const validity = validityOf(one.type, one.capturedAt);
      return validity === null ? [] : [{ ...one, ...validity, daysLeft: daysLeft(validity, now) }];
    })
    .filter((one) => one.daysLeft * dayMs <= withinMs)
    .toSorted((a, b) => a.daysLeft - b.daysLeft || a.document.localeCompare(b.document));
}

export const renewalScheduleId = 'renewals';

export function renewalRows(found: readonly ExpiringCertificate[]): ManifestItem[] {
  return found.map(({ certidaoId, document, reference, rule, type, validUntil }, item) => ({
    kind: 'item',
    item,
    line: item + 2,
    type,
    document,
    reference,
    note: `${certidaoId} is valid until ${validUntil} (${rule})`,
  }));
}
