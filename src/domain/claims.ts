/**
 * The fence around a POST without a key (PROTOCOLS 1). A claim stands for one decision to send one
 * thing; a receipt for what came of it; a ruling for what a person decided about it.
 */

/** Who took a claim: a run of requests of one workflow. Another run of the same workflow differs. */
export interface ClaimOwner {
  workflowId: string;
  /** Unique among all runs of requests of the workflow, over continue-as-new too. */
  run: string;
}

export function isSameOwner(a: ClaimOwner, b: ClaimOwner): boolean {
  return a.workflowId === b.workflowId && a.run === b.run;
}

export interface Claim {
  owner: ClaimOwner;
  /** `closed`: taken by a recovery so that nobody sends under it; by itself a `not_sent`. */
  kind: 'send' | 'closed';
  /** Tells our own put from another's when the answer to the put was lost. */
  nonce: string;
  /** Epoch milliseconds after which the sender no longer sends. */
  notAfter: number;
  claimedAt: number;
  /** True when an earlier decision for the thing is still unknown: both may be charged. */
  afterUnknown: boolean;
}

export type Receipt =
  | { kind: 'accepted'; certidaoId: string; at: number }
  | { kind: 'refused'; status: number; code: string | null; at: number }
  | { kind: 'not_sent'; reason: string; at: number }
  | { kind: 'unknown'; reason: string; at: number };

/** A person's (or the policy's) decision about a claim whose outcome is unknown or not wanted. */
export interface Ruling {
  action: 'reissue' | 'abandon' | 'adopt';
  certidaoId: string | null;
  by: string;
  note: string;
  at: number;
}

/** One decision with all that is known of it. `unreadable` claims count as `send`. */
export interface Decision {
  n: number;
  claim: Claim | 'unreadable';
  receipt: Receipt | null;
  ruling: Ruling | null;
}

/** A thing's decisions, as far as they matter for the next one. */
export interface ThingHistory {
  /** The last decision to send; closed claims are passed over. */
  last: Decision | null;
  /** Numbers used so far, closed ones included: the next decision has the next number. */
  decided: number;
}

/** What may be done about a thing, from its last decision. `n` is that decision's number. */
export type ClaimState =
  /** A new decision may be taken. */
  | { kind: 'free'; afterUnknown: boolean }
  /** The service holds an issuance under this id. */
  | {
      kind: 'accepted';
      n: number;
      certidaoId: string;
      at: number;
      owner: ClaimOwner | null;
      afterUnknown: boolean;
    }
  /** Sent or about to be, and nobody knows yet; nothing leaves after `notAfter`. */
  | { kind: 'in_flight'; n: number; notAfter: number; owner: ClaimOwner | null }
  /** May have been accepted, and the id is lost. */
  | {
      kind: 'unknown';
      n: number;
      reason: string;
      owner: ClaimOwner | null;
      /** Besides itself: one before it is unknown too, so that two may be charged. */
      afterUnknown: boolean;
    };

/** Reads the last decision of a thing. A claim that cannot be read may have been sent. */
export function claimState({ last }: Pick<ThingHistory, 'last'>, nowMs: number): ClaimState {
  if (last === null) return { kind: 'free', afterUnknown: false };
  const { n, claim, receipt, ruling } = last;
  const owner = claim === 'unreadable' ? null : claim.owner;
  const wasAfterUnknown = claim !== 'unreadable' && claim.afterUnknown;
  if (ruling?.action === 'adopt' && ruling.certidaoId !== null && receipt?.kind !== 'accepted') {
    const { certidaoId, at } = ruling;
    return { kind: 'accepted', n, certidaoId, at, owner, afterUnknown: wasAfterUnknown };
  }
  if (ruling?.action === 'reissue' || ruling?.action === 'abandon') {
    const surelyNothing = receipt?.kind === 'refused' || receipt?.kind === 'not_sent';
    return { kind: 'free', afterUnknown: !surelyNothing || wasAfterUnknown };
  }
  if (claim !== 'unreadable' && claim.kind === 'closed') {
    return { kind: 'free', afterUnknown: wasAfterUnknown };
  }
  const unknown = { kind: 'unknown', n, owner, afterUnknown: wasAfterUnknown } as const;
  switch (receipt?.kind) {
    case 'accepted':
      return {
        kind: 'accepted',
        n,
        certidaoId: receipt.certidaoId,
        at: receipt.at,
        owner,
        afterUnknown: wasAfterUnknown,
      };
    case 'refused':
    case 'not_sent':
      return { kind: 'free', afterUnknown: wasAfterUnknown };
    case 'unknown':
      return { ...unknown, reason: receipt.reason };
    case undefined:
      if (claim === 'unreadable') {
        return { ...unknown, reason: 'its claim cannot be read' };
      }
      return nowMs <= claim.notAfter
        ? { kind: 'in_flight', n, notAfter: claim.notAfter, owner }
        : { ...unknown, reason: 'the sender was lost before the answer' };
  }
}
