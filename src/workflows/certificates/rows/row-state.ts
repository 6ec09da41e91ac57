import type { AgainRow, PolledRow } from '../../../domain/certificates/certificate-rows';
import type { LaneReport } from '../../../domain/certificates/request-budget';
import type { RowCounts } from '../../messages';

/** What a driver of rows carries through continue-as-new. Plain data. */
export interface CarriedRows {
  /** Next place that was never handed to a run of requests. */
  next: number;
  /** Places beyond it that were. */
  ahead: number[];
  again: AgainRow[];
  outstanding: PolledRow[];
  /** Places whose request has an unknown outcome, with the decisions taken. */
  unknown: [rowIndex: number, attempts: number][];
  deferred: Deferred;
  counts: RowCounts;
  /** Runs of requests so far: numbers their claims. */
  chunks: number;
  paused: boolean;
  cancel: 'wait' | 'now' | null;
  /** Too many outcomes of the batch are unknown. */
  held: boolean;
  /** Rows whose request was sent here, and whose outcome became unknown. */
  lost: number;
  /** Rows that may be in flight at once. */
  share: number;
  /** Runs in a row that were turned away. */
  throttledChunks: number;
  /** Left out: it may make as many requests as it needs. */
  allowance?: Allowance;
}

/** What the budget of the batch leaves to one lane. */
export interface Allowance {
  /** Requests that it may make in all. */
  limit: number;
  /** Those that it has made, and those in flight: above the limit when a lost run had made more than was known. */
  made: number;
  /** What the batch was told last; number 0: nothing. */
  report: LaneReport;
  /** The batch has answered it. */
  isGranted: boolean;
  /** What was not needed was given back once. */
  isGivenBack: boolean;
}

export function noAllowance(): Allowance {
  const report = { number: 0, made: 0, rows: 0 };
  return { limit: 0, made: 0, report, isGranted: false, isGivenBack: false };
}

/** What the store holds of rows that go again, or are unknown: too many of them to be carried. */
export interface Deferred {
  /** Rows that go again, by what is stored of their outcome. */
  again: Record<AgainRow['was'], number>;
  /** Epoch milliseconds: none of them goes before. */
  soonest: number;
  unknown: number;
  /** Times that rows were put there or taken back: numbers the next one. */
  steps: number;
}

/** JSON has no Infinity. */
export const never = Number.MAX_SAFE_INTEGER;

export function firstRows(from: number, share: number): CarriedRows {
  return {
    next: from,
    ahead: [],
    again: [],
    outstanding: [],
    unknown: [],
    deferred: { again: { new: 0, failed: 0, unknown: 0 }, soonest: never, unknown: 0, steps: 0 },
    counts: { issued: 0, failed: 0, expired: 0, unknown: 0, cancelled: 0 },
    chunks: 0,
    paused: false,
    cancel: null,
    held: false,
    lost: 0,
    share,
    throttledChunks: 0,
  };
}
