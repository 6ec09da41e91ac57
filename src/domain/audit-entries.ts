import type { AuditEntry } from './core/audit';
import type { Claim, Receipt } from './core/service/attempts';
import type { AnalysisOutcome } from './credit/job';
import type { OutcomeRecord } from './certificates/outcomes';
import type { DecisionRecord } from './core/decision';

/** Audit entries about jobs. */

/** The job and its actor, in every entry about one of its rows. */
export interface JobOnTrail {
  jobId: string;
  by: string;
}

/** A request for a certificate that left or may have left. */
export interface SentRequest {
  type: string;
  /** `IdKey.nameOf('document', ...)`. */
  subject: string;
  /** Number of the attempt, among all about this type and document. */
  n: number;
  item: number;
  claim: Claim;
  /** Null: the sender was lost before it stored a receipt. */
  receipt: Receipt | null;
}

/** @returns null for a closed claim: nothing was sent */
export function requestEntry(
  { type, subject, n, item, ...sent }: SentRequest,
  job: JobOnTrail,
): AuditEntry | null {
  const entry = sentEntry(`request/certificate/${type}/${subject}/${n}`, sent, job);
  if (entry === null) return null;
  const { receipt } = sent;
  return {
    ...entry,
    item,
    subject,
    ...(receipt?.kind === 'accepted' && { certidaoId: receipt.externalId }),
    details: { type, ...entry.details },
  };
}

/** Common part of requests without an idempotency key. */
function sentEntry(
  id: string,
  { claim, receipt }: Pick<SentRequest, 'claim' | 'receipt'>,
  { jobId, by }: JobOnTrail,
): AuditEntry | null {
  if (claim.kind === 'closed') return null;
  return {
    kind: 'request',
    id,
    result: receipt?.kind ?? 'unknown',
    by,
    happenedAt: new Date(claim.claimedAt).toISOString(),
    job: jobId,
    details: {
      ...(receipt?.kind === 'refused' && { status: receipt.status, code: codeOf(receipt.code) }),
      ...(receipt?.kind === 'not_sent' && { reason: reasonOf(receipt.reason) }),
    },
  };
}

export function outcomeEntry(outcome: OutcomeRecord, { jobId, by }: JobOnTrail): AuditEntry {
  const { item, attempts, certidaoId, status, sha256, errorCode } = outcome;
  return {
    kind: 'outcome',
    id: `outcome/${jobId}/${item}/${attempts}/${certidaoId ?? '-'}`,
    result: status,
    by,
    happenedAt: outcome.settledAt,
    job: jobId,
    item,
    ...(certidaoId !== null && { certidaoId }),
    ...(sha256 !== null && { sha256 }),
    details: {
      ...(errorCode !== null && { code: codeOf(errorCode) }),
      ...(outcome.possibleDoubleCharge && { possibleDoubleCharge: true }),
    },
  };
}

/** A request for an analysis that left or may have left. */
export interface SentAnalysis {
  /** Keyed name of (file, XMLs, engine). */
  name: string;
  n: number;
  claim: Claim;
  receipt: Receipt | null;
}

/** @returns null for a closed claim: nothing was sent */
export function analysisRequestEntry(
  { name, n, ...sent }: SentAnalysis,
  job: JobOnTrail,
): AuditEntry | null {
  const entry = sentEntry(`request/credit/${name}/${n}`, sent, job);
  if (entry === null) return null;
  const { receipt } = sent;
  const accepted = receipt?.kind === 'accepted' && { operationId: receipt.externalId };
  return { ...entry, details: { ...accepted, ...entry.details } };
}

/** @param sha256 of the stored complete result; null: none */
export function analysisOutcomeEntry(
  outcome: AnalysisOutcome,
  { by, sha256 }: { by: string; sha256: string | null },
): AuditEntry {
  const { jobId, status, operationId, settledAt, possibleDoubleCharge, error } = outcome;
  return {
    kind: 'outcome',
    id: `outcome/${jobId}/${operationId ?? '-'}`,
    result: status,
    by,
    happenedAt: settledAt,
    job: jobId,
    ...(sha256 !== null && { sha256 }),
    details: {
      ...(operationId !== null && { operationId }),
      ...(error !== null && { code: codeOf(error.code) }),
      ...(possibleDoubleCharge && { possibleDoubleCharge: true }),
    },
  };
}

/** Terms of a start, in our own words only: the trail is never erased. */
export interface StartDetails {
  items: number;
  onUnknown: string;
  rerun: boolean;
  maxAttempts?: number;
  /** Sent despite findings; the job holds the reason, which can be erased. */
  forced?: boolean;
  /** Media type of the forced file. */
  mediaType?: string;
}

/** A job was requested. Every request is a decision of its own. */
export function startEntry(
  { jobId, by }: JobOnTrail,
  details: StartDetails,
  now: number,
): AuditEntry {
  const happenedAt = new Date(now).toISOString();
  const id = `decision/${jobId}/start/${happenedAt}`;
  return {
    kind: 'decision',
    id,
    result: 'start',
    by,
    happenedAt,
    job: jobId,
    details: { ...details },
  };
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

/** A deliberate new order of an analysis that was or may have been bought. */
export function analysisRerunEntry({ jobId, by }: JobOnTrail, now: number): AuditEntry {
  const happenedAt = new Date(now).toISOString();
  const id = `decision/${jobId}/reissue/${happenedAt}`;
  return { kind: 'decision', id, result: 'reissue', by, happenedAt, job: jobId, details: {} };
}

/** An order to a running job, recorded before the workflow is signalled. */
export function orderEntry(
  order: 'cancel' | 'cancel_now' | 'cancel_remote' | 'pause' | 'resume',
  { jobId, by }: JobOnTrail,
  now: number,
): AuditEntry {
  const happenedAt = new Date(now).toISOString();
  const id = `decision/${jobId}/${order}/${happenedAt}`;
  return { kind: 'decision', id, result: order, by, happenedAt, job: jobId };
}

/**
 * The trail is never erased, and a service may quote a document or a name where a code belongs: accepts one word with
 * too few digits to hold a document.
 */
function codeOf(text: string | null): string | null {
  if (text === null || !/^[A-Za-z][\w.:-]{0,59}$/.test(text)) return null;
  return (text.match(/\d/g) ?? []).length < 8 ? text : null;
}

/** Accepts only our own words and names of errors. */
function reasonOf(text: string): string | null {
  return /^(?:too late|no token|answered \d{3}|[A-Za-z]{1,60})$/.test(text) ? text : null;
}
