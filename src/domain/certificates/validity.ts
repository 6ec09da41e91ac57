import type { CertificateType, ManifestItem } from './certificates';

/** How long the law lets a certificate stand for: data, since the law has changed it before. */
export interface ValidityRule {
  id: string;
  type: CertificateType;
  /** From the day of issue. */
  days: number;
  /** First day of issue that it holds for, `YYYY-MM-DD`. */
  inForceFrom: string;
  source: string;
}

/** Company data (`cnpj`) has no term in law: `--max-age` says how old it may be. */
export const validityRules: readonly ValidityRule[] = [
  {
    id: 'cndt-180',
    type: 'trabalhista',
    days: 180,
    inForceFrom: '2012-01-04',
    source: 'CLT art. 642-A § 4 (Lei 12.440/2011)',
  },
];

/** What is derived, never told by the service. */
export interface Validity {
  /** The last day, `YYYY-MM-DD`. */
  validUntil: string;
  rule: ValidityRule['id'];
}

const dayMs = 86_400_000;
/** São Paulo, which has had no summer time since 2019. */
const offsetMs = -3 * 3_600_000;

/** Null: the law says nothing of its kind, or nobody knows when it was issued. */
export function validityOf(type: CertificateType, capturedAt: string | null): Validity | null {
  const at = Date.parse(capturedAt ?? '');
  if (Number.isNaN(at)) return null;
  const issuedOn = dayOf(at);
  const rule = validityRules
    .filter((one) => one.type === type && one.inForceFrom <= issuedOn)
    .toSorted((a, b) => b.inForceFrom.localeCompare(a.inForceFrom))[0];
  return rule ? { validUntil: dayOf(at + rule.days * dayMs), rule: rule.id } : null;
}

/** Whole days that are left of it; negative: it has run out. */
export function daysLeft({ validUntil }: Validity, now: number): number {
  return Math.round((Date.parse(validUntil) - Date.parse(dayOf(now))) / dayMs);
}

function dayOf(at: number): string {
  return new Date(at + offsetMs).toISOString().slice(0, 10);
}

/** The newest certificate of a document that the store has. */
export interface HeldCertificate {
  type: CertificateType;
  /** Digits only. */
  document: string;
  reference: string;
  /** ISO 8601, as the service told it. */
  capturedAt: string;
  certidaoId: string;
  /** The job that has it, and its line there. */
  job: string;
  line: number;
}

export type ExpiringCertificate = HeldCertificate & Validity & { daysLeft: number };

/** Those that run out within the time, or have run out; the first to do so first. */
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

/** Of the schedule that issues them again, and of its workflow. */
export const renewalScheduleId = 'renewals';

/** What a batch asks for that issues them again. */
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
