import type { AuditEntry } from '../core/audit';
import type { MadeTrace, TraceOutcome, TraceRecord } from './search';

/** The service created a search. A repetition with the same key is the same entry. */
export function traceRequestEntry(
  { externalId: traceId, at, reported: { foundBy } }: MadeTrace,
  { jobId, name, targetName, createdBy: by }: TraceRecord,
): AuditEntry {
  return {
    kind: 'request',
    id: `request/trace/${name}`,
    result: 'accepted',
    by,
    happenedAt: new Date(at).toISOString(),
    job: jobId,
    subject: targetName,
    details: { traceId, foundBy },
  };
}

export function traceOutcomeEntry(
  { jobId, status, seen, traceId, settledAt }: TraceOutcome,
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
    ...(seen?.sha256 != null && { sha256: seen.sha256 }),
    details: {
      ...(traceId !== null && { traceId }),
      ...(seen?.partial != null && { partial: seen.partial }),
    },
  };
}
