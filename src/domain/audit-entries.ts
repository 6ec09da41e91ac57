import {
  codeOf,
  decisionEntry,
  jobOutcomeEntry,
  jobRequestEntry,
  receiptDetails,
  type AuditEntry,
} from './core/audit';
import type { Claim, Receipt } from './core/service/attempts';
import type { OutcomeRecord } from './certificates/outcomes';
import type { DecisionRecord } from './core/decision';

export interface JobOnTrail {
  jobId: string;
  by: string;
}

export interface SentRequest {
  type: string;
  subject: string;
  n: number;
  item: number;
  claim: Claim;
  receipt: Receipt | null;
}

/** @returns null for a closed claim: nothing was sent */
export function requestEntry(
  { type, subject, n, item, claim, receipt }: SentRequest,
  { jobId, by: createdBy }: JobOnTrail,
): AuditEntry | null {
  if (claim.kind === 'closed') return null;
  const id = `request/certificate/${type}/${subject}/${n}`;
  const job = { jobId, createdBy };
  const details = { type, ...receiptDetails(receipt) };
  return {
    ...jobRequestEntry(id, receipt?.kind ?? 'unknown', claim.claimedAt, job, { subject, details }),
    item,
    ...(receipt?.kind === 'accepted' && { certidaoId: receipt.externalId }),
  };
}

export function outcomeEntry(outcome: OutcomeRecord, { jobId, by }: JobOnTrail): AuditEntry {
  const { item, attempts, certidaoId, sha256, errorCode } = outcome;
  const details = {
    ...(errorCode !== null && { code: codeOf(errorCode) }),
    ...(outcome.possibleDoubleCharge && { possibleDoubleCharge: true }),
  };
  return {
    ...jobOutcomeEntry({ ...outcome, jobId }, { createdBy: by }, sha256, { details }),
    id: `outcome/${jobId}/${item}/${attempts}/${certidaoId ?? '-'}`,
    item,
    ...(certidaoId !== null && { certidaoId }),
  };
}

/** Terms of a start, in our own words only: the trail is never erased. */
export interface StartDetails {
  items: number;
  onUnknown: string;
  rerun: boolean;
  maxAttempts?: number;
  forced?: boolean;
  mediaType?: string;
}

export function startEntry(job: JobOnTrail, details: StartDetails, now: number): AuditEntry {
  return decisionEntry('start', job, { ...details }, now);
}

/** The decision holds the reason, which can be erased. */
export function resolveEntry(jobId: string, decision: DecisionRecord): AuditEntry {
  const { number, action, by, at, externalId, rows } = decision;
  const [only] = rows;
  return {
    kind: 'decision',
    id: `decision/${jobId}/${number}`,
    result: action,
    by,
    happenedAt: at,
    job: jobId,
    ...(rows.length === 1 && only !== undefined && { item: only.item }),
    details: { rows: rows.length, ...(externalId !== null && { externalId }) },
  };
}
