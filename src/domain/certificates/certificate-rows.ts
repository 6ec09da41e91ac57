import { certificatePace } from '../core/service/poll-timing';
import type { StopWord } from '../job';
import type { RowListRef } from './job';

/** Identifies an execution of a workflow. Run ids begin with their minute, which two may share. */
export function shortRunId(runId: string): string {
  return runId.slice(-12);
}

/** `normal`; `reissue`: policy or person decided to send again despite an unknown outcome. */
export type RequestMode = 'normal' | 'reissue';

export type RequestRow = [place: number, attempts: number, mode: RequestMode];

export interface RequestInput {
  list: RowListRef;
  /** The row driver (`lane-0000`): outcomes are stored under its name. */
  name: string;
  /** Names this chunk within the workflow: the owner of its claims. */
  chunk: string;
  rows: RequestRow[];
  /** Epoch milliseconds: certificates issued since then are reused. */
  reuseSince: number;
  interactive: boolean;
}

export interface AgainRow {
  rowIndex: number;
  attempts: number;
  mode: RequestMode;
  notBefore: number;
  /** Consecutive times that its request was not processed. */
  throttled: number;
  /** Stored outcome so far; `new`: none. */
  was: 'new' | 'failed' | 'unknown';
}

export interface DeferInput {
  list: RowListRef;
  /** The lane and its execution: a restarted one does not know them. */
  lane: string;
  step: number;
}

export interface ChunkInput extends RequestInput {
  /** Epoch milliseconds: the deadline of the job. Nothing is sent after it. */
  sendBy: number;
  /**
   * Rows that this chunk may have outstanding. For each further row it must first take a slot that a poll of the same
   * lane frees in the same process.
   */
  slots: number;
}

export const rowFlags = { possibleDoubleCharge: 1, shared: 2 } as const;

export type UnsentReason =
  /** The chunk ended before the row's turn: no error. */
  | 'no_time'
  /** No permit of the limiter until the chunk ended: no error. */
  | 'no_permit'
  /** No slot became free while the chunk could wait: no error. */
  | 'no_slot'
  /** The service throttled us, or was unreachable: nothing was processed. */
  | 'not_sent'
  /** A row before it failed, and neighbours share their failures. */
  | 'neighbour'
  | 'credentials'
  /** Another job is sending for this purchase subject: check again after its `answerBy`. */
  | 'in_flight'
  | 'store'
  /** Another error of ours before anything was sent. */
  | 'fault'
  | StopWord;

export type RowAnswer =
  | {
      kind: 'accepted';
      rowIndex: number;
      certidaoId: string;
      requestedAt: number;
      attempts: number;
      flags: number;
      /** When to read it first, as far as the worker knows. */
      dueAt?: number;
      /** The poll that took it over in the same process. */
      polledBy?: number;
    }
  /** Stored by the activity: refused (failed) or reused (issued). */
  | { kind: 'settled'; rowIndex: number; status: 'issued' | 'failed'; attempts: number }
  /** `own`: requested by this job; else by another job, and only a person may overrule it. */
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

/** @param now a row is not due before */
export function polledRow(row: Extract<RowAnswer, { kind: 'accepted' }>, now: number): PolledRow {
  const { rowIndex, certidaoId, requestedAt, attempts, flags } = row;
  const dueAt = Math.max(now, row.dueAt ?? requestedAt + certificatePace.firstMs);
  return [rowIndex, certidaoId, requestedAt, dueAt, attempts, flags];
}

/** A chunk of requests starts no new row after this time. */
export const chunkMs = 3_000;
/** Rows that one poll holds. */
export const pollRows = 250;

export interface PollInput {
  list: RowListRef;
  name: string;
  /** Number of this poll in its lane. */
  poll: number;
  rows: PolledRow[];
  rowDeadlineMs: number;
  /** Return after this time in any case. */
  boundMs: number;
  /** Return this long after the first settlement. */
  lingerMs: number;
  /** Return this long after the first settlement whose slot no chunk has taken. */
  slotLingerMs: number;
  /** Another job's certificate issued before this instant is not reused. */
  reuseSince: number;
  interactive: boolean;
}

export type PollResult =
  | [place: number, status: 'issued' | 'failed' | 'expired']
  /** The service failed it as retryable, from this instant on. */
  | [place: number, status: 'retryable', notBefore: number];

export interface PollAnswer {
  settled: PollResult[];
  /** Of them, those that it took over from chunks: these may not have returned yet. */
  tookOver: [place: number, certidaoId: string][];
  due: [place: number, dueAt: number][];
  /** Rows that failed because the service's responses cannot be read. */
  unreadable: number;
  /** Slots of settled rows that chunks have taken already. */
  handedOn: [run: string, places: number][];
  /** Set when all reads were refused or failed: shown to people. */
  readFailure: 'credentials' | 'unreachable' | null;
}
