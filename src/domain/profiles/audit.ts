import type { AuditEntry } from '../core/audit';
import type { ProfileOutcome, ProfileRecord, SentLookup } from './lookup';

/** One send of a call that left or may have left. */
export function profileRequestEntry(
  { call, n, at, end }: SentLookup,
  { jobId, name, createdBy: by }: ProfileRecord,
): AuditEntry {
  return {
    kind: 'request',
    id: `request/${jobId}/${call}-${n}`,
    result: end ?? 'unknown',
    by,
    happenedAt: new Date(at).toISOString(),
    job: jobId,
    subject: name,
    details: { call },
  };
}

/** @param about `subject`: keyed name of the CPF */
export function profileOutcomeEntry(
  { jobId, status, sha256, answered, answersLost, rural, settledAt }: ProfileOutcome,
  { by, subject }: { by: string; subject: string | null },
): AuditEntry {
  return {
    kind: 'outcome',
    id: `outcome/${jobId}`,
    result: status,
    by,
    happenedAt: settledAt,
    job: jobId,
    ...(subject !== null && { subject }),
    ...(sha256 !== null && { sha256 }),
    details: { answered, answersLost, ...(rural !== null && { rural }) },
  };
}
