import type { StopWord } from '../job';
import type { RowListRef } from './job';

/**
 * What lanes and their activities say to each other: rows by number, as tuples, since thousands of
 * them travel through the history (decision record 004).
 */

/** Tells one run of a workflow from others. Ids of runs begin with their minute, which two of them may share. */
export function shortRunId(runId: string): string {
  return runId.slice(-12);
}

/** `normal`; `reissue`: the policy or a person has decided to send again over an unknown. */
export type RequestMode = 'normal' | 'reissue';

export type RequestRow = [place: number, attempts: number, mode: RequestMode];

export interface RequestInput {
  list: RowListRef;
  /** The driver of the rows (`lane-0000`): outcomes are stored under its name. */
  name: string;
  /** Names this run of requests within the workflow: the owner of its claims. */
  chunk: string;
  rows: RequestRow[];
  /** Epoch milliseconds: what was issued since then is reused instead of bought again. */
  reuseSince: number;
  interactive: boolean;
}

/** A row that goes to the service (again), not before an instant. */
export interface AgainRow {
  rowIndex: number;
  attempts: number;
  mode: RequestMode;
  notBefore: number;
  /** Times in a row that its request was not processed. */
  turnedAway: number;
  /** What is stored of its outcome so far: `new` is nothing. */
  was: 'new' | 'failed' | 'unknown';
}

/** Rows that a lane puts into the store for later: those that go again, or are unknown. */
export interface DeferInput {
  list: RowListRef;
  /** The lane, and its execution: one that starts anew knows nothing of them. */
  lane: string;
  /** Counts the times that the lane puts or takes. */
  step: number;
}

export interface ChunkInput extends RequestInput {
  /** Epoch milliseconds: the deadline of the job. No row is sent from then on. */
  sendBy: number;
  /**
   * Rows that may be outstanding by this run as it is. For each one more it must first take a place
   * that a watch of the same lane has freed meanwhile, in the same process.
   */
  slots: number;
}

/** Bits that follow a row to its outcome. */
export const rowFlags = { possibleDoubleCharge: 1, shared: 2 } as const;

/** Why a row comes back without having been sent. */
export type UnsentReason =
  /** The run's time was over before the row's turn came: nothing is wrong. */
  | 'no_time'
  /** The rate of calls allowed for it was used up as long as the run lasted: nothing is wrong. */
  | 'no_permit'
  /** No place became free for it while the run could wait: nothing is wrong. */
  | 'no_slot'
  /** The service told us to wait, or could not be reached: nothing was processed. */
  | 'not_sent'
  /** The token was refused. */
  | 'credentials'
  /** Another work is sending this very thing: look again when its time is over. */
  | 'in_flight'
  /** The store does not answer: nothing leaves without a claim on record. */
  | 'store'
  /** Another part of ours failed before anything left. */
  | 'fault'
  /** A person has stopped the job. */
  | StopWord;

export type RowAnswer =
  | {
      kind: 'accepted';
      rowIndex: number;
      certidaoId: string;
      requestedAt: number;
      /** Decisions taken for the row so far, this one included. */
      attempts: number;
      flags: number;
      /** When to read it for the first time, as far as the worker knows. */
      dueAt?: number;
    }
  /** Stored by the activity itself: refused (failed) or reused (issued). */
  | { kind: 'settled'; rowIndex: number; status: 'issued' | 'failed'; attempts: number }
  /** `own`: a request of this work; else another job's, which only a person may overrule. */
  | { kind: 'unknown'; rowIndex: number; attempts: number; own: boolean }
  | {
      kind: 'unsent';
      rowIndex: number;
      attempts: number;
      reason: UnsentReason;
      notBefore: number;
    };

export type PolledRow = [
  place: number,
  certidaoId: string,
  requestedAt: number,
  dueAt: number,
  attempts: number,
  flags: number,
];

export interface PollInput {
  list: RowListRef;
  /** The driver of the rows, as above. */
  name: string;
  rows: PolledRow[];
  /** Milliseconds that a row may take from its request to its outcome. */
  rowDeadlineMs: number;
  /** Return after this long in any case. */
  boundMs: number;
  /** Return this long after the first settlement. */
  lingerMs: number;
  /** Return this long after the first settlement whose place no run has taken. */
  slotLingerMs: number;
  /** What another work asked for and was issued before this instant is not good enough. */
  reuseSince: number;
  interactive: boolean;
}

export type PollResult =
  | [place: number, status: 'issued' | 'failed' | 'expired']
  /** The service failed it and says that asking again may help, from this instant on. */
  | [place: number, status: 'retryable', notBefore: number];

export interface PollAnswer {
  settled: PollResult[];
  /** Rows still outstanding whose next read has moved. */
  due: [place: number, dueAt: number][];
  /** Places of settled rows that runs have taken already. */
  handedOn: [run: string, places: number][];
  /** Set when reads were refused or failed all the time: shown to people. */
  readFailure: 'credentials' | 'unreachable' | null;
}
