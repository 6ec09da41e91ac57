import type { RequestMode, WatchTuple } from '../../domain/certificates/certificate-rows';
import type { RowCounts } from '../messages';

/** What a driver of rows carries through continue-as-new. Plain data. */
export interface CarriedRows {
  /** Next place that was never handed to a run of requests. */
  next: number;
  again: AgainRow[];
  outstanding: WatchTuple[];
  /** Places whose request has an unknown outcome, with the decisions taken. */
  unknown: [place: number, attempts: number][];
  counts: RowCounts;
  /** Runs of requests so far: numbers their claims. */
  runs: number;
  paused: boolean;
  cancel: 'wait' | 'now' | null;
  /** Rows that may be in flight at once. */
  share: number;
  /** Runs in a row that were turned away. */
  turnedAwayRuns: number;
}

/** A row that goes to the service (again), not before an instant. */
export interface AgainRow {
  place: number;
  attempts: number;
  mode: RequestMode;
  notBefore: number;
  /** Times in a row that its request was not processed. */
  turnedAway: number;
  /** What stands on file about it so far: `new` is nothing. */
  was: 'new' | 'failed' | 'unknown';
}

export function firstRows(from: number, share: number): CarriedRows {
  return {
    next: from,
    again: [],
    outstanding: [],
    unknown: [],
    counts: { issued: 0, failed: 0, expired: 0, unknown: 0, cancelled: 0 },
    runs: 0,
    paused: false,
    cancel: null,
    share,
    turnedAwayRuns: 0,
  };
}
