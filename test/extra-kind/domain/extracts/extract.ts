import { jobOutcomeEntry, jobRequestEntry, type AuditEntry } from '../core/audit';
import type { JobInput, OutcomeFields, JobRef } from '../core/job-record';
import type { PollRequest } from '../core/service/poll-request';

/** A registry extract about a company or person: asked for, and read until it is there. */

export interface ExtractRecord extends JobInput {
  /** Keyed name of the document, and of the order: the same name is the same extract. */
  name: string;
  /** Keyed name of the document alone. */
  documentName: string;
  document: string;
}

export type ExtractStatus =
  'completed' | 'failed' | 'cancelled' | 'refused' | 'expired' | 'unknown_outcome';

export interface ExtractOutcome extends OutcomeFields<ExtractStatus> {
  extractId: string | null;
  sha256: string | null;
}

export type ExtractPoll = PollRequest & { ref: JobRef };

/** What is bought. */
export function extractSubject(name: string): string {
  return `extract/${name}`;
}

export function extractRequestEntry(
  record: ExtractRecord,
  extractId: string,
  at: number,
): AuditEntry {
  const about = { subject: record.documentName, details: { extractId } };
  return jobRequestEntry(`request/extract/${record.name}`, 'accepted', at, record, about);
}

export function extractOutcomeEntry(record: ExtractRecord, outcome: ExtractOutcome): AuditEntry {
  return jobOutcomeEntry(outcome, record, outcome.sha256, { subject: record.documentName });
}
