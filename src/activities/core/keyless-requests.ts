import { classifyFailure, isCallFailure } from '../../apis/http/classify';
import { ContractError, StatusError, TimeoutError } from '../../apis/http/errors';
import type { Attempt, Receipt } from '../../domain/core/attempts';
import type { AttemptRepository, Claimed } from '../../store/core/attempts';
import { StoreError } from '../../store/store-error';
import type { LostAnswer } from '../dependencies';
import { withStorePatience, type Patience } from './store-patience';

/** What all requests that may be charged for have in common (decision record 001). */

/** Time between the last instant of a POST and the moment its claim counts as lost. */
export const claimMarginMs = 5_000;

/** The last instant at which bytes of a claimed request may leave, thrown when it has passed. */
export class TooLateError extends Error {
  override readonly name = 'TooLateError';
}

/** Why nothing was sent, and when it may go again. */
export interface SendAgain {
  reason: 'no_time' | 'credentials' | 'not_sent';
  notBefore: number;
}

/** What came of a request. */
export interface Received {
  receipt: Receipt;
  again: SendAgain;
  detail?: string | null;
  /** Of a 2xx in which no id was found: the beginning of it. */
  unread?: Buffer | null;
}

/** Sends, and says what came of it (decision record 001). Never throws. */
export async function receiptOf(
  request: () => Promise<string>,
  about: { now: () => number; answerLost: (how: LostAnswer) => void },
): Promise<Received> {
  try {
    const externalId = await request();
    return settled({ kind: 'accepted', externalId, at: about.now() });
  } catch (error) {
    const received = receiptOfError(error, about.now);
    if (received.receipt.kind === 'unknown') about.answerLost(lostHow(error));
    return received;
  }
}

/** `unknown` unless it surely never left, was turned away at the door, or was refused. */
export function receiptOfError(error: unknown, now: () => number): Received {
  const at = now();
  const notSent = (why: string, reason: SendAgain['reason'], waitMs: number): Received => ({
    receipt: { kind: 'not_sent', reason: why, at },
    again: { reason, notBefore: at + waitMs },
  });
  if (error instanceof TooLateError) return notSent('too late', 'no_time', 0);
  if (!isCallFailure(error)) return settled({ kind: 'unknown', reason: nameOf(error), at });
  const failure = classifyFailure(error, 'keyless');
  const status = error instanceof StatusError ? error : null;
  if (status !== null && failure === 'permanent') {
    const { code } = status;
    // Not on the receipt: it may name people, and an erasure does not rewrite claims.
    const refused: Receipt = { kind: 'refused', status: status.status, code, at };
    return { ...settled(refused), detail: status.detail };
  }
  if (failure === 'unknown') {
    const unread = error instanceof ContractError ? error.answer : null;
    return { ...settled({ kind: 'unknown', reason: error.message, at }), unread };
  }
  const why = status === null ? nameOf(error) : `answered ${status.status}`;
  if (failure === 'credentials') return notSent(why, 'credentials', 1_000);
  const usualMs = error instanceof TimeoutError ? 2_000 : 1_000;
  return notSent(why, 'not_sent', status?.retryAfterMs ?? usualMs);
}

function settled(receipt: Receipt): Received {
  return { receipt, again: { reason: 'not_sent', notBefore: 0 } };
}

/**
 * Claims for a job. When nobody knows whether the claim stands, it is claimed again: the store says `ours` of one
 * that landed, and waits for one that is on its way. Nothing is sent before.
 *
 * @throws StoreError when the store does not take it
 */
export async function claimForSure(
  attempts: AttemptRepository,
  subject: string,
  { n, claim }: Pick<Attempt, 'n' | 'claim'>,
  job: string,
  patience: Patience,
): Promise<Claimed> {
  const take = (): Promise<Claimed> => attempts.claim(subject, n, claim, job);
  try {
    return await take();
  } catch (error) {
    if (error instanceof StoreError && error.code === 'other') {
      // That nothing was sent is known here alone.
      return withStorePatience(take, { ...patience, forMs: Infinity });
    }
    throw error;
  }
}

export function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'Error';
}

function lostHow(error: unknown): LostAnswer {
  if (error instanceof StatusError) return 'status';
  return error instanceof ContractError ? 'unreadable' : 'no_answer';
}
