import type { Attempt } from '../core/service/attempts';
import type { AuditEntry } from '../core/audit';
import type { DossierOutcome } from './follow';
import type { Retry } from './retry';

/**
 * @param receipt null: it was or may have been sent, with an unknown result
 * @param jobId the job that learned of it, perhaps not the one that claimed
 */
export function dossierRetryEntry(
  { dossierId, from, number }: Retry,
  { claim, receipt }: Pick<Attempt, 'claim' | 'receipt'>,
  { by, jobId }: { by: string; jobId: string },
): AuditEntry {
  const refused = receipt?.kind === 'refused' && { status: receipt.status, code: wordOf(receipt) };
  const started = receipt?.kind === 'accepted' && { attempt: Number(receipt.externalId) || null };
  return {
    kind: 'request',
    id: `request/dossier/${dossierId}/${from}/${number}`,
    result: receipt?.kind ?? 'unknown',
    by,
    happenedAt: new Date(claim.claimedAt).toISOString(),
    job: jobId,
    details: { from, ...refused, ...started },
  };
}

export function dossierOutcomeEntry(outcome: DossierOutcome, by: string): AuditEntry {
  const { caused, dossierId, error, stored, possibleAttempt, settledAt, status, jobId } = outcome;
  const [report] = stored;
  return {
    kind: 'outcome',
    id: `outcome/${jobId}`,
    result: status,
    by,
    happenedAt: settledAt,
    job: jobId,
    ...(report !== undefined && { sha256: report.sha256 }),
    details: {
      dossierId,
      caused,
      ...(possibleAttempt && { possibleAttempt }),
      ...(error !== null && { code: wordOf(error) }),
    },
  };
}

/** A person's decision about a dossier. The outcome holds the reason. */
export function dossierDecisionEntry(
  action: string,
  { by, jobId }: { by: string; jobId: string },
  now: number,
): AuditEntry {
  const happenedAt = new Date(now).toISOString();
  const id = `decision/${jobId}/${action}/${happenedAt}`;
  return { kind: 'decision', id, result: action, by, happenedAt, job: jobId };
}

/** A code is one word, with too few digits to hold a document. */
function wordOf({ code }: { code: string | null }): string | null {
  if (code === null || !/^[A-Za-z][\w.:-]{0,59}$/.test(code)) return null;
  return (code.match(/\d/g) ?? []).length < 8 ? code : null;
}
