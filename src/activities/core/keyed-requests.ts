import { randomUUID } from 'node:crypto';
import { isPermanent } from '../../apis/http/classify';
import type { StatusError } from '../../apis/http/errors';
import type { Claim, Receipt, Taken } from '../../domain/core/attempts';
import type { AuditEntry } from '../../domain/core/audit';
import type { AttemptRepository } from '../../store/core/attempts';
import { claimMarginMs, receiptOfError } from './keyless-requests';

/** The work that sends, and which of its requests it is. */
export interface Sender {
  workId: string;
  /** From 1. */
  number: number;
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
  /** What the audit trail tells of one that was refused; default: nothing. */
  entriesOf?: (refused: Taken, receipt: Receipt) => AuditEntry[];
}

export type KeyedAnswer<A> =
  | { kind: 'answered'; taken: Taken; answer: A }
  /** For good. When it is not new, one before may have been processed all the same. */
  | { kind: 'refused'; taken: Taken; error: StatusError }
  /** Nothing was sent: whoever has stopped the job ends the wait. */
  | { kind: 'stopped' };

/**
 * One send of a request with a key, under the claim that stands or the next one: it may go again, and
 * is seen through once it has left. Its receipt is written by who has the answer, but for what was
 * surely not processed.
 *
 * @param send with what is to be awaited right before it leaves
 * @throws what passes, and whatever came before it left
 */
export async function sendKeyed<A>(
  { subject, job, by, attempts, timeoutMs, now, entriesOf = () => [] }: KeyedRequest,
  send: (beforeSend: () => Promise<void>) => Promise<A>,
): Promise<KeyedAnswer<A>> {
  const under: { taken: Taken | null } = { taken: null };
  try {
    const answer = await send(async () => {
      const taken = await attempts.take(subject, newClaim(now(), timeoutMs, by), job);
      if (typeof taken === 'string') throw new StoppedError();
      under.taken = taken;
    });
    if (under.taken === null) throw new Error('it was sent without a claim');
    return { kind: 'answered', taken: under.taken, answer };
  } catch (error) {
    if (error instanceof StoppedError) return { kind: 'stopped' };
    const { taken } = under;
    if (taken === null) throw error;
    const came = receiptOfError(error, now).receipt;
    if (taken.isNew && came.kind !== 'unknown') {
      const mayPass = came.kind === 'refused' && !isPermanent(error);
      const reason = 'to come later';
      const receipt: Receipt = mayPass ? { kind: 'not_sent', reason, at: came.at } : came;
      await attempts.putReceipt(subject, taken, receipt, entriesOf(taken, receipt));
    }
    if (!isPermanent(error)) throw error;
    return { kind: 'refused', taken, error };
  }
}

/** The claim was not to be had: thrown before anything leaves. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError';
}

/** Whoever sends has a run of its own each time. */
export function newClaim(claimedAt: number, timeoutMs: number, by: Sender): Claim {
  const nonce = randomUUID();
  const answerBy = claimedAt + timeoutMs + claimMarginMs;
  const owner = { workflowId: by.workId, run: `${by.number}-${nonce}` };
  return { owner, kind: 'send', nonce, answerBy, claimedAt, afterUnknown: false };
}
