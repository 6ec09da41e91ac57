import type { AuditEntry } from '../audit';
import type { ProfileOutcome } from './lookup';

/** @param about `subject` is the keyed name of the CPF */
export function profileOutcomeEntry(
  { workId, status, sha256, answered, rural, settledAt }: ProfileOutcome,
  { by, subject }: { by: string; subject: string | null },
): AuditEntry {
  return {
    kind: 'outcome',
    id: `outcome/${workId}`,
    result: status,
    by,
    happenedAt: settledAt,
    work: workId,
    ...(subject !== null && { subject }),
    ...(sha256 !== null && { sha256 }),
    details: { answered, ...(rural !== null && { rural }) },
  };
}
