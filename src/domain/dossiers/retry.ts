import type { OrderAnswer } from '../order-answers';
import type { Attempt, Receipt } from '../core/service/attempts';
import { backoffMs } from '../core/service/poll-timing';
import type { DossierSight, ReviewDecision } from './follow';

/** Whether another attempt is to be asked for: each may be charged. */

export type NoRetry =
  | 'max_attempts'
  /** The service says that it is not worth it. */
  | 'not_retryable'
  /** The service does not tell which attempt it is: nothing could be counted. */
  | 'attempt_unknown'
  | 'deadline';

export type RetryStep =
  { kind: 'retry'; from: number; waitMs: number } | { kind: 'stop'; reason: NoRetry };

/** Where the service asks for nothing. */
const pause = { baseMs: 30_000, maxMs: 900_000 };

/**
 * After an attempt that failed. What the service leaves open, its answer to the retry decides.
 *
 * @param asked retries that the work has asked for so far
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

/** @returns why a decision cannot be taken, for who gave it; null when it can */
export function whyNotDecided(
  { action, note }: ReviewDecision,
  work: { inReview: boolean; decided: boolean; attempt: number | null },
): OrderAnswer['code'] | null {
  if (work.decided) return 'resolved_already';
  if (!work.inReview) return 'not_in_review';
  if (note.trim() === '') return 'note_missing';
  const isUncounted = action === 'retry' && work.attempt === null;
  return isUncounted ? 'attempt_unknown' : null;
}

/** One request for another attempt: at most one is begun by its key, whoever sends it. */
export interface Retry {
  dossierId: string;
  /** Number of the attempt that is tried again. */
  from: number;
  /** From 1; another one only after a refusal, of which the service keeps nothing. */
  number: number;
  /** Of its claims. */
  subject: string;
  /** The last that may have left; null: none. */
  attempt: Attempt | null;
}

/** An attempt that was begun: its id is its number, as far as the service tells it. */
export type StartedAttempt = Extract<Receipt, { kind: 'accepted' }> & {
  reported: {
    /** The answer was lost, and the status showed the attempt. */
    readBack: boolean;
    /** The work that learnt of it: an attempt is counted once, with that one. */
    by: string;
  };
};

/** What came of asking for another attempt. */
export type Retried =
  | { kind: 'begun'; attempt: number; by: 'us' | 'elsewhere' }
  | { kind: 'refused'; status: number; code: string | null; message: string }
  /** It may have begun one: the repetition of what was lost is refused, and no attempt is seen. */
  | { kind: 'unknown'; status: number; code: string | null; message: string }
  /** It is not failed any more, and no new attempt is seen: nothing was sent. */
  | { kind: 'moved' };

/** @returns null: nobody knows yet */
export function retriedBy(receipt: Receipt | null, from: number): Retried | null {
  if (receipt?.kind === 'accepted') {
    return { kind: 'begun', attempt: Number(receipt.externalId) || from + 1, by: 'us' };
  }
  if (receipt?.kind !== 'refused') return null;
  const { code, status } = receipt;
  return { kind: 'refused', status, code, message: `the service answered ${status}` };
}

/** The number of an attempt that has taken the place of the one that ended; null: none has. */
export function attemptAfter(ended: DossierSight | null, now: DossierSight): number | null {
  const number = now.attempt?.number ?? null;
  return number !== null && number > (ended?.attempt?.number ?? 0) ? number : null;
}

/** A failure, with what the service says of it, where it says something. */
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
