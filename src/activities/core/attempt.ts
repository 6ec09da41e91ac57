import { randomUUID } from 'node:crypto';
import { classifyFailure, isCallFailure, isPermanent } from '../../apis/http/classify';
import { ContractError, StatusError, TimeoutError } from '../../apis/http/errors';
import type { Attempt, Claim, Receipt, Taken } from '../../domain/core/attempts';
import type { AuditEntry } from '../../domain/core/audit';
import type { AttemptRepository, Claimed } from '../../store/core/attempts';
import { StoreError } from '../../store/store-error';
import type { LostAnswer } from '../dependencies';
import { withStorePatience, type Patience } from './store-patience';

/** The fence around requests that may be charged for (decision record 001). */

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

/** The job that sends, and which of its requests it is. */
export interface Sender {
  workId: string;
  /** From 1. */
  number: number;
}

/** Whoever sends has a run of its own each time. */
export function newClaim(claimedAt: number, timeoutMs: number, by: Sender): Claim {
  const nonce = randomUUID();
  const answerBy = claimedAt + timeoutMs + claimMarginMs;
  const owner = { workflowId: by.workId, run: `${by.number}-${nonce}` };
  return { owner, kind: 'send', nonce, answerBy, claimedAt, afterUnknown: false };
}

/** What came of one send. */
export type Sent<A> =
  | { kind: 'answered'; taken: Taken; answer: A }
  /** After its claim: it may have left. */
  | { kind: 'failed'; taken: Taken; error: unknown; received: Received }
  /** The claim was not to be had, or came too late: nothing was sent. */
  | { kind: 'stopped' };

/**
 * Sends once, under a claim that is taken right before the request leaves. The receipt is the caller's.
 *
 * @param take null: the claim is not to be had
 * @param send with what is to be awaited right before it leaves
 * @throws what came before the claim
 */
export async function sendUnder<A>(
  take: () => Promise<Taken | null>,
  send: (beforeSend: () => Promise<void>) => Promise<A>,
  now: () => number,
): Promise<Sent<A>> {
  const under: { taken: Taken | null } = { taken: null };
  try {
    const answer = await send(async () => {
      const taken = await take();
      if (taken === null) throw new StoppedError();
      under.taken = taken;
      // A process that was frozen comes back too late.
      if (taken.isNew && now() > taken.claim.claimedAt + claimMarginMs) throw new TooLateError();
    });
    if (under.taken === null) throw new Error('it was sent without a claim');
    return { kind: 'answered', taken: under.taken, answer };
  } catch (error) {
    if (error instanceof StoppedError) return { kind: 'stopped' };
    const { taken } = under;
    if (taken === null) throw error;
    return { kind: 'failed', taken, error, received: receiptOfError(error, now) };
  }
}

/** What a request with a key is sent for, and under what. */
export interface KeyedRequest {
  subject: string;
  /** Folder of the job that sends it. */
  job: string;
  by: Sender;
  attempts: AttemptRepository;
  timeoutMs: number;
  now: () => number;
  /** What the audit trail says of one that was refused; default: nothing. */
  entriesOf?: (refused: Taken, receipt: Receipt) => AuditEntry[];
}

export type KeyedAnswer<A> =
  | Exclude<Sent<A>, { kind: 'failed' }>
  /** For good. When it is not new, one before may have been processed all the same. */
  | { kind: 'refused'; taken: Taken; error: StatusError };

/**
 * One send of a request with a key, under the claim that stands or the next one: it may go again, and
 * is seen through once it has left. Its receipt is written by who has the answer, but for what was
 * surely not processed.
 *
 * @throws what is transient, and whatever came before it left
 */
export async function sendKeyed<A>(
  { subject, job, by, attempts, timeoutMs, now, entriesOf = () => [] }: KeyedRequest,
  send: (beforeSend: () => Promise<void>) => Promise<A>,
): Promise<KeyedAnswer<A>> {
  const take = async (): Promise<Taken | null> => {
    const taken = await attempts.take(subject, newClaim(now(), timeoutMs, by), job);
    return typeof taken === 'string' ? null : taken;
  };
  const sent = await sendUnder(take, send, now);
  if (sent.kind !== 'failed') return sent;
  const { taken, error, received } = sent;
  const came = received.receipt;
  if (taken.isNew && came.kind !== 'unknown') {
    const mayPass = came.kind === 'refused' && !isPermanent(error);
    const reason = 'to come later';
    const receipt: Receipt = mayPass ? { kind: 'not_sent', reason, at: came.at } : came;
    await attempts.putReceipt(subject, taken, receipt, entriesOf(taken, receipt));
  }
  if (error instanceof TooLateError) return { kind: 'stopped' };
  if (!isPermanent(error)) throw error;
  return { kind: 'refused', taken, error };
}

/** How a job ends whose answer was lost, and whose request may go again with its key. */
export const answerLost = {
  status: 'unknown_outcome',
  error: {
    code: 'answer_lost',
    message: 'a request may have arrived: the same command asks again with the same key',
  },
} as const;

/** Thrown before anything leaves. */
class StoppedError extends Error {
  override readonly name = 'StoppedError';
}

export function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'Error';
}

function lostHow(error: unknown): LostAnswer {
  if (error instanceof StatusError) return 'status';
  return error instanceof ContractError ? 'unreadable' : 'no_answer';
}
