import { randomUUID } from 'node:crypto';
import { classifyFailure, isCallFailure, isPermanent } from '../../apis/http/classify';
import { ContractError, StatusError, TimeoutError } from '../../apis/http/errors';
import type { BeforeSend } from '../../apis/http/call';
import type {
  Attempt,
  Claim,
  ClaimOwner,
  Receipt,
  Taken,
} from '../../domain/core/service/attempts';
import type { AuditEntry } from '../../domain/core/audit';
import type { AttemptRepository, Claimed } from '../../store/core/attempts';
import { StoreError } from '../../store/store-error';
import { nameOf } from './job-records';
import { unsettled } from './poll-until-settled';
import { withStorePatience, type Patience } from './store-patience';

/** The fence around requests that may be charged (decision record 001). */

/** Time between the last instant of a POST and the moment its claim counts as lost. */
export const claimMarginMs = 5_000;

/** Thrown when a claimed request may no longer be sent. */
export class TooLateError extends Error {
  override readonly name = 'TooLateError';
}

/** Why nothing was sent, and when to retry. */
export interface SendAgain {
  reason: 'no_time' | 'credentials' | 'not_sent';
  notBefore: number;
}

/** The result of a request. */
export interface Received {
  receipt: Receipt;
  again: SendAgain;
  detail?: string | null;
  /** Start of a 2xx body without an id. */
  unread?: Buffer | null;
}

/** `unknown` unless it certainly was not sent, was throttled, or was refused. */
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
    // Not on the receipt: it may name people, and erasure does not rewrite claims.
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

/** Claim of a request without a key; another one has another number. */
export interface KeylessClaim extends Pick<Attempt, 'n'> {
  attempts: AttemptRepository;
  subject: string;
  /** Folder of the sending job. */
  job: string;
  owner: ClaimOwner;
  timeoutMs: number;
  /** An earlier attempt is unknown: both may be charged. */
  afterUnknown: boolean;
  patience: Patience;
}

/**
 * Claims the decided attempt, or says what prevents it.
 *
 * @throws StoreError
 */
export async function claimNext(decided: KeylessClaim): Promise<Taken | NotClaimed> {
  const { attempts, subject, job, n, owner, timeoutMs, afterUnknown, patience } = decided;
  const claim = { ...newClaim(patience.now(), timeoutMs, owner), afterUnknown };
  const claimed = await claimForSure(attempts, subject, { n, claim }, job, patience);
  return claimed === 'ours' ? { n, claim, isNew: true } : claimed;
}

/**
 * Claims for a job. While it is not known whether the claim was committed, it is repeated: the store answers
 * `ours` for a committed one and waits for one in flight. Nothing is sent before.
 *
 * @throws StoreError
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
      // Only this process knows that nothing was sent.
      return withStorePatience(take, { ...patience, forMs: Infinity });
    }
    throw error;
  }
}

/** The sending job, and the number of its request. */
export interface Sender {
  jobId: string;
  /** From 1. */
  number: number;
}

/** Each send has its own chunk name. */
export function ownerOf({ jobId, number }: Sender): ClaimOwner {
  return { workflowId: jobId, chunk: `${number}-${randomUUID()}` };
}

export function newClaim(claimedAt: number, timeoutMs: number, owner: ClaimOwner): Claim {
  const answerBy = claimedAt + timeoutMs + claimMarginMs;
  const nonce = randomUUID();
  return { owner, kind: 'send', nonce, answerBy, claimedAt, afterUnknown: false };
}

/** Why nothing was claimed; `late`: past `sendBy`, or the activity's attempt may have timed out. */
export type NotClaimed = Exclude<Claimed, 'ours'> | 'doubtful' | 'late';

/** The result of one send. */
export type Sent<A> =
  | { kind: 'answered'; taken: Taken; answer: A }
  /** After its claim: it may have been sent. */
  | { kind: 'failed'; taken: Taken; error: unknown; received: Received }
  /** Nothing was sent. */
  | { kind: 'stopped'; why: NotClaimed };

/** Time bounds of a send. */
export interface SendTerms {
  now: () => number;
  /** Epoch milliseconds: nothing is claimed or sent after it. */
  sendBy: number;
  /** False once another worker may have the activity. */
  mayClaim?: () => boolean;
}

/**
 * Sends once, under a claim that is committed right before. The caller stores the receipt.
 *
 * @param send takes a function to await right before it sends
 * @throws errors before the claim
 */
export async function sendUnder<A>(
  take: () => Promise<Taken | NotClaimed>,
  send: (beforeSend: BeforeSend) => Promise<A>,
  { now, sendBy, mayClaim = () => true }: SendTerms,
): Promise<Sent<A>> {
  const under: { taken: Taken | null } = { taken: null };
  try {
    const answer = await send(async () => {
      if (now() >= sendBy || !mayClaim()) throw new StoppedError('late');
      const taken = await take();
      if (typeof taken === 'string') throw new StoppedError(taken);
      under.taken = taken;
      // A frozen process may resume too late.
      const { claim, isNew } = taken;
      const lastStart = isNew ? Math.min(claim.claimedAt + claimMarginMs, sendBy) : sendBy;
      return () => {
        if (now() > lastStart) throw new TooLateError();
      };
    });
    if (under.taken === null) throw new Error('it was sent without a claim');
    return { kind: 'answered', taken: under.taken, answer };
  } catch (error) {
    if (error instanceof StoppedError) return { kind: 'stopped', why: error.why };
    const { taken } = under;
    if (taken === null) throw error;
    return { kind: 'failed', taken, error, received: receiptOfError(error, now) };
  }
}

/**
 * Sends a request without a key once, whose response holds the id of the created resource. The caller stores the
 * receipt.
 *
 * @param beside a write that is flushed with the claim
 */
export async function sendKeyless(
  decided: KeylessClaim,
  send: (beforeSend: BeforeSend) => Promise<string>,
  terms: Omit<SendTerms, 'now'>,
  beside?: Promise<unknown>,
) {
  const { now } = decided.patience;
  const take = async () => (await Promise.all([claimNext(decided), beside]))[0];
  const sent = await sendUnder(take, send, { now, ...terms });
  if (sent.kind === 'stopped') return sent;
  const { claim } = sent.taken;
  if (sent.kind === 'answered') {
    const receipt: Receipt = { kind: 'accepted', externalId: sent.answer, at: now() };
    return { kind: 'sent', claim, ...settled(receipt) } as const;
  }
  return { kind: 'sent', claim, ...sent.received } as const;
}

/** A request with a key, and its claim. */
export interface KeyedRequest {
  subject: string;
  /** Folder of the sending job. */
  job: string;
  by: Sender;
  attempts: AttemptRepository;
  timeoutMs: number;
  now: () => number;
  /** As of `SendTerms`. */
  sendBy: number;
  /** Audit entries of a refusal; default: none. */
  entriesOf?: (refused: Taken, receipt: Receipt) => AuditEntry[];
}

export type KeyedAnswer<A> =
  | Exclude<Sent<A>, { kind: 'failed' }>
  /** Permanent. When it is not new, an earlier send may have been processed. */
  | { kind: 'refused'; taken: Taken; error: StatusError };

/**
 * Sends a request with a key once, under the open claim or the next one: it may be repeated, and is completed
 * once sent. The caller stores the receipt, except when the request certainly was not processed.
 *
 * @throws transient errors, and any error before it was sent
 */
export async function sendKeyed<A>(
  { subject, job, by, attempts, timeoutMs, now, sendBy, entriesOf = () => [] }: KeyedRequest,
  send: (beforeSend: BeforeSend) => Promise<A>,
): Promise<KeyedAnswer<A>> {
  const take = (): Promise<Taken | NotClaimed> =>
    attempts.take(subject, newClaim(now(), timeoutMs, ownerOf(by)), job);
  const sent = await sendUnder(take, send, { now, sendBy });
  if (sent.kind !== 'failed') return sent;
  const { taken, error, received } = sent;
  const came = received.receipt;
  if (taken.isNew && came.kind !== 'unknown') {
    const mayPass = came.kind === 'refused' && !isPermanent(error);
    const reason = 'to come later';
    const receipt: Receipt = mayPass ? { kind: 'not_sent', reason, at: came.at } : came;
    await attempts.putReceipt(subject, taken, receipt, entriesOf(taken, receipt));
  }
  if (error instanceof TooLateError) return { kind: 'stopped', why: 'late' };
  if (!isPermanent(error)) throw error;
  return { kind: 'refused', taken, error };
}

/** Nothing was sent: its job is cancelled, or the send is deferred. */
export function unsentReading(why: NotClaimed, status: string) {
  return why === 'cancelled' ? ({ kind: 'stopped' } as const) : unsettled(status);
}

/** Outcome of a job whose response was lost, and whose request may be repeated with its key. */
export const answerLost = {
  status: 'unknown_outcome',
  error: {
    code: 'answer_lost',
    message: 'a request may have arrived: the same command sends it again with the same key',
  },
} as const;

/** Thrown before anything is sent. */
class StoppedError extends Error {
  override readonly name = 'StoppedError';
  readonly why: NotClaimed;

  constructor(why: NotClaimed) {
    super(why);
    this.why = why;
  }
}
