import type { AgainRow, PolledRow } from '../../../domain/certificates/certificate-rows';
import type { LaneReport } from '../../../domain/certificates/request-budget';
import type { RowCounts } from '../../messages';

/** What a row driver carries through continue-as-new. Plain data. */
export interface CarriedRows {
  /** Next row index that was never in a chunk. */
  next: number;
  /** Row indexes beyond it that were. */
  ahead: number[];
  again: AgainRow[];
  outstanding: PolledRow[];
  /** Rows whose outcome is unknown, with the reissues decided. */
  unknown: [rowIndex: number, attempts: number][];
  deferred: Deferred;
  counts: RowCounts;
  /** Chunks so far: numbers their claims. */
  chunks: number;
  paused: boolean;
  cancel: 'wait' | 'now' | null;
  /** Too many outcomes of the batch are unknown: requests stop. */
  held: boolean;
  /** Rows that were sent here and became unknown. */
  lost: number;
  /** Rows that may be in flight at once. */
  share: number;
  /** Consecutive. */
  throttledChunks: number;
  /** Left out: no limit of requests. */
  allowance?: Allowance;
}

/** The lane's part of the batch's budget. */
export interface Allowance {
  /** Requests that it may send in all. */
  limit: number;
  /** Requests sent and in flight: above the limit when a lost chunk had sent more than was known. */
  made: number;
  /** The last report to the batch; number 0: none. */
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

/** Counts of rows deferred to the store: too many to be carried. */
export interface Deferred {
  /** Rows to request again, by stored outcome. */
  again: Record<AgainRow['was'], number>;
  /** Epoch milliseconds: when the first of them is due. */
  soonest: number;
  unknown: number;
  /** Times that rows were stored or read back: numbers the next step. */
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
