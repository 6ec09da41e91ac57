import { randomUUID } from 'node:crypto';
import { nextNumber, type Claim, type Receipt } from '../../src/domain/core/service/attempts';
import type { Store } from '../../src/store/store';

export function claimAt(claimedAt: number, workflowId = 'another-work', chunk = ''): Claim {
  const nonce = randomUUID();
  const owner = { workflowId, chunk: `${chunk}${nonce}` };
  const answerBy = claimedAt + 35_000;
  return { owner, kind: 'send', nonce, answerBy, claimedAt, afterUnknown: false };
}

/** A request that left, by whoever, and what came of it. @returns its number */
export async function putAttempt(
  store: Store,
  subject: string,
  { at = 0, receipt = null as Receipt | null, workflowId = 'another-work', chunk = '' } = {},
): Promise<number> {
  const n = nextNumber(await store.attempts.of(subject));
  const claim = claimAt(at, workflowId, chunk);
  await store.attempts.claim(subject, n, claim, 'a-job');
  if (receipt !== null) await store.attempts.putReceipt(subject, { n, claim }, receipt);
  return n;
}

export function accepted(externalId: string, at = 0, reported?: object): Receipt {
  return { kind: 'accepted', externalId, at, ...(reported !== undefined && { reported }) };
}
