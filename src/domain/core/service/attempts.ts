/**
 * The fence around requests that may be charged (decision record 001). An attempt is one decision to send for one
 * subject: its claim is stored before anything is sent, its receipt says what was received, and its resolution what a
 * person or a policy decided.
 */

/** Owner of a claim: a chunk of one workflow, or one send of a job. Chunk names are unique. */
export interface ClaimOwner {
  /** Or the job id. */
  workflowId: string;
  /** Unique, also over continue-as-new; for a job, it begins with the number of its request. */
  chunk: string;
}

export function numberOfChunk(chunk: string): number {
  return Number.parseInt(chunk, 10);
}

export interface Claim {
  owner: ClaimOwner;
  /** `closed`: inserted by a recovery so that its chunk sends no more; means `not_sent`. */
  kind: 'send' | 'closed';
  /** Identifies our claim when the response to the commit was lost. */
  nonce: string;
  /** Epoch milliseconds after which no response can come. */
  answerBy: number;
  claimedAt: number;
  /** An earlier attempt of the subject is still unknown: both may be charged. */
  afterUnknown: boolean;
}

export type Receipt =
  /** `reported`: what its kind stores of the response. */
  | { kind: 'accepted'; externalId: string; at: number; reported?: object }
  | { kind: 'refused'; status: number; code: string | null; at: number }
  | { kind: 'not_sent'; reason: string; at: number }
  | { kind: 'unknown'; reason: string; at: number };

export interface Resolution {
  action: 'reissue' | 'abandon' | 'adopt';
  externalId: string | null;
  by: string;
  note: string;
  at: number;
}

export type Taken = Pick<Attempt, 'n' | 'claim'> & {
  /** Nothing can have been sent under it before. */
  isNew: boolean;
};

export interface Attempt {
  n: number;
  claim: Claim;
  receipt: Receipt | null;
  resolution: Resolution | null;
}

/** What its attempts allow for a subject. `n`: number of the attempt that counts. */
export type SubjectState =
  | { kind: 'free'; afterUnknown: boolean }
  | {
      kind: 'accepted';
      n: number;
      externalId: string;
      at: number;
      owner: ClaimOwner;
      afterUnknown: boolean;
    }
  /** Claimed, with no outcome yet; no response comes after `answerBy`. */
  | { kind: 'in_flight'; n: number; answerBy: number; owner: ClaimOwner }
  /** It may have been accepted, and the id is lost. */
  | {
      kind: 'unknown';
      n: number;
      reason: string;
      owner: ClaimOwner;
      /** An earlier attempt is unknown too: two may be charged. */
      afterUnknown: boolean;
    };

export function subjectState(attempts: readonly Attempt[], nowMs: number): SubjectState {
  return attemptState(latestAttempt(attempts), nowMs);
}

/** The attempt that counts: an undecided one, or else the last sent one. A closed attempt only uses up a number. */
export function latestAttempt(attempts: readonly Attempt[]): Attempt | null {
  const sends = attempts.filter(({ claim }) => claim.kind === 'send');
  const undecided = sends.findLast(
    ({ receipt, resolution }) =>
      resolution === null && (receipt === null || receipt.kind === 'unknown'),
  );
  return undecided ?? sends.at(-1) ?? null;
}

/** The last attempt of a chunk, sent or closed, whatever others claimed later. */
export function attemptOf(attempts: readonly Attempt[], owner: ClaimOwner): Attempt | null {
  return attempts.findLast(({ claim }) => isSameOwner(claim.owner, owner)) ?? null;
}

/** Number of attempts of a workflow that may have been sent. */
export function sentBy(attempts: readonly Attempt[], workflowId: string): number {
  return attempts.filter(
    ({ claim, receipt }) =>
      claim.owner.workflowId === workflowId &&
      claim.kind === 'send' &&
      receipt?.kind !== 'not_sent',
  ).length;
}

export function reissuesOf(attempts: readonly Attempt[]): number {
  return attempts.filter(({ resolution }) => resolution?.action === 'reissue').length;
}

export function reissueByPolicy(note: string, at: number): Resolution {
  return { action: 'reissue', externalId: null, by: 'policy', note, at };
}

/** A new paid order on purpose: both may be charged. */
export function reissueByRerun(by: string, at: number): Resolution {
  return { action: 'reissue', externalId: null, by, note: '--rerun', at };
}

export function undecidedAttempt(attempts: readonly Attempt[]): Attempt | null {
  const latest = latestAttempt(attempts);
  const { kind } = attemptState(latest, 0);
  return kind === 'in_flight' || kind === 'unknown' ? latest : null;
}

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

/** Subjects of purchases: a type and a keyed name (never the document itself), or of what identifies the request. */
export const certificateSubject = (type: string, documentName: string): string =>
  `certificate/${type}/${documentName}`;
/** Of (file, XMLs, engine); external ids are ids of operations. */
export const analysisSubject = (name: string): string => `credit/${name}`;
/** Of (target, strategy, label); also its workflow id. */
export const traceSubject = (name: string): string => `trace/${name}`;
/** Of (file, mode, label). @param number from 1: the next one only after the previous one failed */
export const lensSubject = (name: string, number: number): string => `lens/${name}/${number}`;
export const profileSubject = (name: string): string => `profile/${name}`;
