import { codeOf, jobOutcomeEntry, jobRequestEntry, type AuditEntry } from '../core/audit';
import type { JobInput } from '../core/job-record';
import type { Attempt } from '../core/service/attempts';
import type { DossierOutcome } from './follow';
import type { Retry } from './retry';

/**
 * @param receipt null: it was or may have been sent, with an unknown result
 * @param job the one that learned of it, perhaps not the one that claimed
 */
export function dossierRetryEntry(
  { dossierId, from, number }: Retry,
  { claim, receipt }: Pick<Attempt, 'claim' | 'receipt'>,
  job: Pick<JobInput, 'jobId' | 'createdBy'>,
): AuditEntry {
  const refused = receipt?.kind === 'refused' && {
    status: receipt.status,
    code: codeOf(receipt.code),
  };
  const started = receipt?.kind === 'accepted' && { attempt: Number(receipt.externalId) || null };
  const id = `request/dossier/${dossierId}/${from}/${number}`;
  const details = { from, ...refused, ...started };
  return jobRequestEntry(id, receipt?.kind ?? 'unknown', claim.claimedAt, job, { details });
}

export function dossierOutcomeEntry(
  outcome: DossierOutcome,
  job: Pick<JobInput, 'createdBy'>,
): AuditEntry {
  const { caused, dossierId, error, stored, possibleAttempt } = outcome;
  const details = {
    dossierId,
    caused,
    ...(possibleAttempt && { possibleAttempt }),
    ...(error !== null && { code: codeOf(error.code) }),
  };
  return jobOutcomeEntry(outcome, job, stored[0]?.sha256 ?? null, { details });
}
