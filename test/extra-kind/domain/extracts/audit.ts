import type { AuditEntry } from '../core/audit';
import type { ExtractOutcome, ExtractRecord } from './extract';

export function extractRequestEntry(
  record: ExtractRecord,
  extractId: string,
  at: number,
): AuditEntry {
  const { createdBy: by, documentName: subject, name, jobId: job } = record;
  const happenedAt = new Date(at).toISOString();
  const id = `request/extract/${name}`;
  return {
    kind: 'request',
    id,
    result: 'accepted',
    by,
    happenedAt,
    job,
    subject,
    details: { extractId },
  };
}

export function extractOutcomeEntry(record: ExtractRecord, outcome: ExtractOutcome): AuditEntry {
  const { createdBy: by, documentName: subject, jobId: job } = record;
  const { settledAt: happenedAt, sha256, status: result } = outcome;
  const id = `outcome/${job}`;
  return { kind: 'outcome', id, result, by, happenedAt, job, subject, ...(sha256 && { sha256 }) };
}
