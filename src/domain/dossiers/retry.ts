import type { OrderAnswer } from '../order-answers';
import type { Attempt, Receipt } from '../core/service/attempts';
import { backoffMs } from '../core/service/poll-timing';
import type { DossierSight, ReviewDecision } from './follow';

/** Whether to request another attempt: each may be charged. */

export type NoRetry =
  | 'max_attempts'
  | 'not_retryable'
  /** The service does not report the number of the attempt: attempts cannot be counted. */
  | 'attempt_unknown'
  | 'deadline';

export type RetryStep =
  { kind: 'retry'; from: number; waitMs: number } | { kind: 'stop'; reason: NoRetry };

/** Backoff where the service asks for none. */
const pause = { baseMs: 30_000, maxMs: 900_000 };

/**
 * Next step after a failed attempt. Without `retryable`, a retry is tried.
 * @param requested retries that the job has requested so far
 * @param leftMs until the deadline
 */
export function retryStep(
  { attempt, failure }: Pick<DossierSight, 'attempt' | 'failure'>,
  {
    requested,
    leftMs,
    maxAttempts,
    random,
  }: { requested: number; leftMs: number; maxAttempts: number; random: number },
): RetryStep {
  if (failure?.retryable === false) return { kind: 'stop', reason: 'not_retryable' };
  const from = attempt?.number ?? null;
  if (maxAttempts <= 1) return { kind: 'stop', reason: 'max_attempts' };
  if (from === null) return { kind: 'stop', reason: 'attempt_unknown' };
  if (from >= maxAttempts) return { kind: 'stop', reason: 'max_attempts' };
  const reported = failure?.retryAfterMs ?? null;
  const waitMs =
    reported === null ? backoffMs(requested + 1, random, pause) : Math.max(reported, 1_000);
  if (waitMs >= leftMs) return { kind: 'stop', reason: 'deadline' };
  return { kind: 'retry', from, waitMs };
}

export const whyNoRetry: Record<NoRetry, string> = {
  max_attempts: 'it failed, and no further attempt may be caused (--max-attempts)',
  not_retryable: 'it failed, and the service says that another attempt is not worth it',
  attempt_unknown: 'it failed, and the service does not tell the number of its attempt',
  deadline: 'it failed, and the next attempt would begin after the deadline',
};

export function whyNotDecided(
  { action, note }: ReviewDecision,
  dossier: { inReview: boolean; decided: boolean; attempt: number | null },
): OrderAnswer['code'] | null {
  if (dossier.decided) return 'resolved_already';
  if (!dossier.inReview) return 'not_in_review';
  if (note.trim() === '') return 'note_missing';
  const isUncounted = action === 'retry' && dossier.attempt === null;
  return isUncounted ? 'attempt_unknown' : null;
}

/** One request for another attempt: its key starts at most one, whoever sends it. */
export interface Retry {
  dossierId: string;
  from: number;
  /** From 1; a new number only after a refusal, which the service does not remember. */
  number: number;
  subject: string;
  /** The last send that may have left; null: none. */
  attempt: Attempt | null;
}

export type StartedAttempt = Extract<Receipt, { kind: 'accepted' }> & {
  reported: {
    /** The response was lost, and the dossier's status showed the attempt. */
    readBack: boolean;
    by: string;
  };
};

export type Retried =
  | { kind: 'started'; attempt: number; by: 'us' | 'elsewhere' }
  | { kind: 'refused'; status: number; code: string | null; message: string }
  /** It may have started one: the repetition was refused, and no attempt is visible. */
  | { kind: 'unknown'; status: number; code: string | null; message: string }
  /** The dossier is no longer failed, and no new attempt is visible: nothing was sent. */
  | { kind: 'moved' };

/** @returns null: not known yet */
export function retriedBy(receipt: Receipt | null, from: number): Retried | null {
  if (receipt?.kind === 'accepted') {
    return { kind: 'started', attempt: Number(receipt.externalId) || from + 1, by: 'us' };
  }
  if (receipt?.kind !== 'refused') return null;
  const { code, status } = receipt;
  return { kind: 'refused', status, code, message: `the service answered ${status}` };
}

/** Number of an attempt newer than the ended one; null: none. */
export function attemptAfter(ended: DossierSight | null, now: DossierSight): number | null {
  const number = now.attempt?.number ?? null;
  return number !== null && number > (ended?.attempt?.number ?? 0) ? number : null;
}

export function failedAs({ failure }: DossierSight, code: string, message: string) {
  const reported = failure?.message ?? null;
  const error = {
    code: failure?.code ?? code,
    message: reported === null ? message : `${message}: ${reported}`,
  };
  return { status: 'failed' as const, error };
}

export const notShown = {
  code: 'attempt_not_shown',
  message: 'the service does not show the attempt that it has begun: it may be charged',
};

export const notCancelled = {
  code: 'not_cancelled',
  message: 'the service has not told the end of a dossier that it was asked to cancel',
};

export function acceptedByPolicy(at: number): ReviewDecision {
  const by = { note: '--on-review accept', by: 'policy', maxAttempts: null };
  return { ...by, action: 'accept', at: new Date(at).toISOString() };
}
