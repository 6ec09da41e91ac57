import { Context } from '@temporalio/activity';
import { jobIdOfFolder } from '../../store/certificates/jobs';
import type { AuditEntry } from '../../domain/core/audit';
import { outcomeEntry, requestEntry, type SentRequest } from '../../domain/audit-entries';
import type { Attempt, ClaimOwner } from '../../domain/core/service/attempts';
import {
  nothingReported,
  type IssuanceFact,
  type OutcomeRecord,
} from '../../domain/certificates/outcomes';
import type { CertificateItem } from '../../domain/certificates/job';
import { rowFlags, shortRunId } from '../../domain/certificates/certificate-rows';
import type { NewFact } from '../../store/certificates/facts';
import type { CertificateDependencies } from '../dependencies';

/** The records that activities store about rows: one function per outcome. */

export interface RowHistory {
  requestedAt: number;
  attempts: number;
  flags: number;
}

/** A settled issuance, for a row of this job. */
export function outcomeOfFact(
  fact: IssuanceFact,
  item: CertificateItem,
  { requestedAt, attempts, flags, reused = false }: RowHistory & { reused?: boolean },
): OutcomeRecord {
  const notes = [fact.note];
  if (reused) notes.push(`reused: issued ${new Date(issuedAt(fact)).toISOString()}`);
  else if ((flags & rowFlags.shared) !== 0) notes.push('requested by another job');
  return {
    item: item.item,
    status: fact.status,
    certidaoId: fact.certidaoId,
    attempts,
    requestedAt: new Date(requestedAt).toISOString(),
    settledAt: new Date().toISOString(),
    completedAt: fact.completedAt,
    classification: fact.classification,
    divergent: fact.divergent,
    officialName: fact.officialName,
    baseName: fact.baseName,
    holderName: fact.holderName,
    sourceName: fact.sourceName,
    capturedAt: fact.capturedAt,
    pdfKey: fact.pdfKey,
    sha256: fact.sha256,
    errorCode: fact.errorCode,
    errorCategory: fact.errorCategory,
    errorMessage: fact.errorMessage,
    retryable: fact.retryable,
    note: notes.filter((note) => note !== '').join('; '),
    possibleDoubleCharge: (flags & rowFlags.possibleDoubleCharge) !== 0,
  };
}

/** An issuance that did not settle: ended at the deadline, or left by a cancellation. */
export function unsettledOutcome(
  status: 'expired' | 'cancelled' | 'failed',
  item: CertificateItem,
  certidaoId: string,
  { requestedAt, attempts, flags }: RowHistory,
  error: { code: string; category: string; message: string },
): OutcomeRecord {
  return {
    ...nothingReported,
    item: item.item,
    status,
    certidaoId,
    attempts,
    requestedAt: new Date(requestedAt).toISOString(),
    settledAt: new Date().toISOString(),
    errorCode: error.code,
    errorCategory: error.category,
    errorMessage: error.message,
    note: (flags & rowFlags.shared) === 0 ? '' : 'requested by another job',
    possibleDoubleCharge: (flags & rowFlags.possibleDoubleCharge) !== 0,
  };
}

export function refusedOutcome(
  item: CertificateItem,
  attempts: number,
  { status, code, detail = null }: { status: number; code: string | null; detail?: string | null },
  requestedAt: number,
  flags: number,
): OutcomeRecord {
  return {
    ...nothingReported,
    item: item.item,
    status: 'failed',
    certidaoId: null,
    attempts,
    requestedAt: new Date(requestedAt).toISOString(),
    settledAt: new Date().toISOString(),
    errorCode: code ?? `http_${status}`,
    errorCategory: 'refused',
    errorMessage: `the service refused the request with status ${status}${detail === null ? '' : `: ${detail}`}`,
    retryable: false,
    note: '',
    possibleDoubleCharge: (flags & rowFlags.possibleDoubleCharge) !== 0,
  };
}

export function unknownOutcome(
  item: CertificateItem,
  attempts: number,
  flags: number,
  at: number,
  about: {
    reason?: string;
    /** Epoch milliseconds of its claim: the service's support will need it. */
    requestedAt?: number;
    holder?: ClaimOwner | null;
    self?: ClaimOwner;
  },
): OutcomeRecord {
  const { holder, self } = about;
  const elsewhere = holder != null && holder.workflowId !== self?.workflowId;
  return {
    ...nothingReported,
    item: item.item,
    status: 'unknown_outcome',
    certidaoId: null,
    attempts,
    requestedAt: about.requestedAt === undefined ? null : new Date(about.requestedAt).toISOString(),
    settledAt: new Date(at).toISOString(),
    errorCode: 'unknown_outcome',
    errorCategory: 'unknown',
    errorMessage: about.reason ?? 'an earlier request for it has an unknown outcome',
    note: elsewhere ? `unknown in ${holder.workflowId}` : '',
    possibleDoubleCharge: (flags & rowFlags.possibleDoubleCharge) !== 0,
  };
}

/** Epoch milliseconds: when the service completed it, or else when it was stored. */
export function issuedAt(fact: IssuanceFact): number {
  const completed = Date.parse(fact.completedAt ?? '');
  return Number.isNaN(completed) ? fact.settledAt : completed;
}

/** The name that outcomes are stored under: a repeated attempt of an activity has its own. */
export function outcomeName(driver: string): string {
  const { workflowExecution, activityId, attempt } = Context.current().info;
  const run = shortRunId(workflowExecution?.runId ?? 'run');
  return `${driver}/${run}-${activityId}-${attempt}`;
}

/** An attempt of an item for the audit trail. */
export function sentOf(
  { type, item }: CertificateItem,
  subject: string,
  { n, claim, receipt }: Omit<Attempt, 'resolution'>,
): SentRequest {
  return { type, subject, n, item, claim, receipt };
}

/** What an activity stores when it ends. */
export interface RowRecords {
  /** Folder of the job that outcomes are stored under. */
  outcomesIn: string;
  /** The actor. */
  by: string;
  /** Of `outcomeName`. */
  name: string;
  outcomes: readonly OutcomeRecord[];
  /** Facts that the outcomes refer to. */
  facts?: readonly NewFact[];
  /** Requests that were sent, or may have been. */
  requests?: readonly SentRequest[];
}

/** Stores and audits it in one transaction, and counts it. */
export async function storeAndCount(
  { store, metrics }: CertificateDependencies,
  { outcomesIn, by, name, outcomes, facts = [], requests = [] }: RowRecords,
): Promise<void> {
  const job = { jobId: jobIdOfFolder(outcomesIn), by };
  const entries = [
    ...requests.map((request) => requestEntry(request, job)).filter(isEntry),
    ...outcomes.map((outcome) => outcomeEntry(outcome, job)),
  ];
  await store.outcomes.file(outcomesIn, name, outcomes, { facts, entries });
  for (const { status } of outcomes)
    metrics.count('diligence_outcomes_total', { kind: 'certificate', status });
}

function isEntry(entry: AuditEntry | null): entry is AuditEntry {
  return entry !== null;
}
