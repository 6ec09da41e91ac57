/**
 * The fence around every request that may be charged for (decision record 001). An attempt is one
 * decision to send for one subject: its claim stands before anything leaves, its receipt says what
 * came of it, and its resolution what a person or a policy decided about it.
 */

/** Who took a claim: a run of requests of one workflow, or one send of a work. No two have the same run. */
export interface ClaimOwner {
  /** Or the id of the work. */
  workflowId: string;
  /** Unique, over continue-as-new too; of a work, it begins with the number of its request. */
  chunk: string;
}

/** Which of its work's requests a claim is for. */
export function numberOfChunk(chunk: string): number {
  return Number.parseInt(chunk, 10);
}

export interface Claim {
  owner: ClaimOwner;
  /** `closed`: taken by a recovery so that its run sends no more; by itself a `not_sent`. */
  kind: 'send' | 'closed';
  /** Tells our own claim from another's when the answer to the commit was lost. */
  nonce: string;
  /** Epoch milliseconds after which no answer comes any more. */
  answerBy: number;
  claimedAt: number;
  /** True when an earlier attempt for the subject is still unknown: both may be charged. */
  afterUnknown: boolean;
}

export type Receipt =
  /** `reported`: what its kind keeps of the answer. */
  | { kind: 'accepted'; externalId: string; at: number; reported?: object }
  | { kind: 'refused'; status: number; code: string | null; at: number }
  | { kind: 'not_sent'; reason: string; at: number }
  | { kind: 'unknown'; reason: string; at: number };

/** A person's (or the policy's) decision about an attempt whose outcome is unknown or not wanted. */
export interface Resolution {
  action: 'reissue' | 'abandon' | 'adopt';
  externalId: string | null;
  by: string;
  note: string;
  at: number;
}

/** A claim to send under. */
export type Taken = Pick<Attempt, 'n' | 'claim'> & {
  /** Nothing can have left under it before. */
  isNew: boolean;
};

/** One attempt with all that is known of it. */
export interface Attempt {
  n: number;
  claim: Claim;
  receipt: Receipt | null;
  resolution: Resolution | null;
}

/** What may be done about a subject, from its attempts. `n` is the number of the one that counts. */
export type SubjectState =
  /** It may be sent. */
  | { kind: 'free'; afterUnknown: boolean }
  /** The service holds an issuance under this id. */
  | {
      kind: 'accepted';
      n: number;
      externalId: string;
      at: number;
      owner: ClaimOwner;
      afterUnknown: boolean;
    }
  /** Sent or about to be, and nobody knows yet; no answer comes after `answerBy`. */
  | { kind: 'in_flight'; n: number; answerBy: number; owner: ClaimOwner }
  /** May have been accepted, and the id is lost. */
  | {
      kind: 'unknown';
      n: number;
      reason: string;
      owner: ClaimOwner;
      /** Besides itself: one before it is unknown too, so that two may be charged. */
      afterUnknown: boolean;
    };

/** @param attempts all of a subject, in order */
export function subjectState(attempts: readonly Attempt[], nowMs: number): SubjectState {
  return attemptState(latestAttempt(attempts), nowMs);
}

/**
 * The attempt that counts: one that nobody knows the end of, else the last that sent. One that is
 * closed is a number used up, and says nothing else.
 */
export function latestAttempt(attempts: readonly Attempt[]): Attempt | null {
  const sends = attempts.filter(({ claim }) => claim.kind === 'send');
  const undecided = sends.findLast(
    ({ receipt, resolution }) =>
      resolution === null && (receipt === null || receipt.kind === 'unknown'),
  );
  return undecided ?? sends.at(-1) ?? null;
}

/** Of a run, or closed in its name: what it took last, whatever others took after it. */
export function attemptOf(attempts: readonly Attempt[], owner: ClaimOwner): Attempt | null {
  return attempts.findLast(({ claim }) => isSameOwner(claim.owner, owner)) ?? null;
}

/** How often a workflow has sent: its attempts under which a request may have left. */
export function sentBy(attempts: readonly Attempt[], workflowId: string): number {
  return attempts.filter(
    ({ claim, receipt }) =>
      claim.owner.workflowId === workflowId &&
      claim.kind === 'send' &&
      receipt?.kind !== 'not_sent',
  ).length;
}

/** Every id that the service gave, or a person adopted. */
export function externalIdsOf(attempts: readonly Attempt[]): string[] {
  return attempts.flatMap(({ receipt, resolution }) => [
    ...(receipt?.kind === 'accepted' ? [receipt.externalId] : []),
    ...(resolution?.externalId == null ? [] : [resolution.externalId]),
  ]);
}

/** How often it was decided that it is made anew. */
export function reissuesOf(attempts: readonly Attempt[]): number {
  return attempts.filter(({ resolution }) => resolution?.action === 'reissue').length;
}

/** Nobody is asked: it is sent again, as the rules of its kind say. */
export function reissueByPolicy(note: string, at: number): Resolution {
  return { action: 'reissue', externalId: null, by: 'policy', note, at };
}

/** It is ordered anew on purpose: both may be charged for. */
export function reissueByRerun(by: string, at: number): Resolution {
  return { action: 'reissue', externalId: null, by, note: '--rerun', at };
}

/** Of which nobody knows the end yet; null: none. */
export function undecidedAttempt(attempts: readonly Attempt[]): Attempt | null {
  const latest = latestAttempt(attempts);
  const { kind } = attemptState(latest, 0);
  return kind === 'in_flight' || kind === 'unknown' ? latest : null;
}

/** The number of the next attempt. */
export function nextNumber(attempts: readonly Attempt[]): number {
  return (attempts.at(-1)?.n ?? 0) + 1;
}

export function attemptState(attempt: Attempt | null, nowMs: number): SubjectState {
  if (attempt === null) return { kind: 'free', afterUnknown: false };
  const { n, claim, receipt, resolution } = attempt;
  const { owner, afterUnknown } = claim;
  if (
    resolution?.action === 'adopt' &&
    resolution.externalId !== null &&
    receipt?.kind !== 'accepted'
  ) {
    const { externalId, at } = resolution;
    return { kind: 'accepted', n, externalId, at, owner, afterUnknown };
  }
  if (resolution?.action === 'reissue' || resolution?.action === 'abandon') {
    const surelyNothing = receipt?.kind === 'refused' || receipt?.kind === 'not_sent';
    return { kind: 'free', afterUnknown: !surelyNothing || afterUnknown };
  }
  if (claim.kind === 'closed') return { kind: 'free', afterUnknown };
  switch (receipt?.kind) {
    case 'accepted': {
      const { externalId, at } = receipt;
      return { kind: 'accepted', n, externalId, at, owner, afterUnknown };
    }
    case 'refused':
    case 'not_sent':
      return { kind: 'free', afterUnknown };
    case 'unknown':
      return { kind: 'unknown', n, reason: receipt.reason, owner, afterUnknown };
    case undefined:
      return nowMs <= claim.answerBy
        ? { kind: 'in_flight', n, answerBy: claim.answerBy, owner }
        : {
            kind: 'unknown',
            n,
            reason: 'the sender was lost before the answer',
            owner,
            afterUnknown,
          };
  }
}

function isSameOwner(a: ClaimOwner, b: ClaimOwner): boolean {
  return a.workflowId === b.workflowId && a.chunk === b.chunk;
}

/**
 * What is bought at most once at a time: a certificate of one type about one document.
 *
 * @param documentName `IdKey.nameOf('document', ...)`: never the document itself
 */
export function certificateSubject(type: string, documentName: string): string {
  return `certificate/${type}/${documentName}`;
}

/**
 * An analysis by the credit service; external ids are those of operations.
 *
 * @param name keyed name of (file, XMLs, engine)
 */
export function analysisSubject(name: string): string {
  return `credit/${name}`;
}

/**
 * A search; the id of its workflow too.
 *
 * @param name keyed name of (target, strategy, label)
 */
export function traceSubject(name: string): string {
  return `trace/${name}`;
}

/**
 * An analysis of a picture; each has a key of its own.
 *
 * @param name keyed name of (file, mode, label)
 * @param number from 1: another one only when the one before has come to nothing
 */
export function lensSubject(name: string, number: number): string {
  return `lens/${name}/${number}`;
}

/** @param name keyed name of the CPF: a profile is looked up again, and each time may be charged for */
export function profileSubject(name: string): string {
  return `profile/${name}`;
}
