import { ContractError, StatusError, TimeoutError, isHttpError } from '../../apis/http/errors';
import type { Service } from '../../apis/http/service';
import { TokenUnavailableError } from '../../apis/http/token';
import type { Attempt, Receipt } from '../../domain/core/attempts';
import type { AttemptRepository, Claimed } from '../../store/core/attempts';
import { StoreError } from '../../store/store-error';
import type { LostAnswer } from '../dependencies';
import { withStorePatience, type Patience } from './store-patience';

/** What all requests that may be charged for have in common (decision record 001). */

/** The service that is asked: what it answers without processing is its own. */
export type Answering = Pick<Service, 'wasNotProcessed'>;

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
  about: { service: Answering; now: () => number; answerLost: (how: LostAnswer) => void },
): Promise<Received> {
  try {
    const externalId = await request();
    return settled({ kind: 'accepted', externalId, at: about.now() });
  } catch (error) {
    const received = receiptOfError(error, about);
    if (received.receipt.kind === 'unknown') about.answerLost(lostHow(error));
    return received;
  }
}

/** `unknown` unless it surely never left, was turned away at the door, or was refused. */
export function receiptOfError(
  error: unknown,
  { service, now }: { service: Answering; now: () => number },
): Received {
  const at = now();
  const notSent = (why: string, reason: SendAgain['reason'], waitMs: number): Received => ({
    receipt: { kind: 'not_sent', reason: why, at },
    again: { reason, notBefore: at + waitMs },
  });
  if (error instanceof TooLateError) return notSent('too late', 'no_time', 0);
  if (error instanceof TokenUnavailableError) return notSent('no token', 'credentials', 1_000);
  if (error instanceof StatusError) {
    const { status, code } = error;
    if (error.meansCredentials) return notSent(`answered ${status}`, 'credentials', 1_000);
    if (service.wasNotProcessed(error)) {
      return notSent(`answered ${status}`, 'not_sent', error.retryAfterMs ?? 1_000);
    }
    if (status >= 400 && status < 500 && status !== 408) {
      // Not on the receipt: it may name people, and an erasure does not rewrite claims.
      return { ...settled({ kind: 'refused', status, code, at }), detail: error.detail };
    }
  }
  if (isHttpError(error) && 'sent' in error && error.sent === 'no') {
    return notSent(nameOf(error), 'not_sent', error instanceof TimeoutError ? 2_000 : 1_000);
  }
  const reason = isHttpError(error) ? error.message : nameOf(error);
  const unread = error instanceof ContractError ? error.answer : null;
  return { ...settled({ kind: 'unknown', reason, at }), unread };
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
