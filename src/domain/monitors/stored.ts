import type { Change } from './change';

/** Stored data about monitors and their changes. Times are ISO 8601 instants, ours in UTC. */

export interface ReportedChange {
  change: Change;
  answer: unknown;
}

/** `open`: found by a sweep; `elsewhere`: acknowledged before, found by a reconciliation. */
export type FoundAs = 'open' | 'elsewhere';

export interface SweepMark {
  sweep: string;
  at: string;
}

/** One change as first observed. Only an erasure changes it. */
export interface StoredChange extends ReportedChange {
  monitorId: string;
  foundAs: FoundAs;
  seenAt: string;
  sweep: string;
  /** Its content was erased: `answer` is null, and its type unknown. */
  erased?: true;
}

export interface DeliveryMark extends SweepMark {
  /** Delivery attempt of this change to this sink, from 1. */
  attempt: number;
  /** Held by a cooldown: delivered in a digest. */
  inDigest?: true;
}

export interface AcknowledgementMark extends SweepMark {
  /** `gone`: the service no longer knows it (404). */
  by: 'us' | 'elsewhere' | 'gone';
  /** As the service reports it; null: not reported. */
  acknowledgedAt: string | null;
  required: readonly string[];
}

/** A failed delivery or acknowledgement. Counted over sweeps until it is acknowledged. */
export interface DeliveryFailure {
  count: number;
  firstAt: string;
  lastAt: string;
  sweep: string;
  step: 'deliver' | 'acknowledge';
  sink: string | null;
  why: string;
  /** Earliest retry; null: at the next sweep. */
  againAt: string | null;
}

export type NewDeliveryFailure = Omit<DeliveryFailure, 'count' | 'firstAt'> & { changeId: string };

/** A failure is retried once a sweep, and not before the instant that its sink named. @param at epoch milliseconds */
export function mayBeTried(
  failure: Pick<DeliveryFailure, 'sweep' | 'againAt'> | null,
  sweep: string,
  at: number,
): boolean {
  if (failure === null) return true;
  if (failure.sweep === sweep) return false;
  return failure.againAt === null || Date.parse(failure.againAt) <= at;
}

export interface ReviewMark {
  at: string;
  by: string;
  note: string;
}

export interface ChangeFile {
  stored: StoredChange;
  isNew: boolean;
  delivered: Readonly<Record<string, DeliveryMark>>;
  acknowledged: AcknowledgementMark | null;
  failure: DeliveryFailure | null;
}

export interface MonitorOnFile<Reported> {
  at: string;
  by: 'read' | 'update';
  monitor: Reported;
  answer: unknown;
}

export type UnknownHealth =
  | 'not_read'
  | 'unreadable'
  /** It has no such call: `monitors.readPath` is an assumption. */
  | 'no_route'
  | 'refused';

export type HealthOnFile =
  | {
      kind: 'known';
      at: string;
      state: string | null;
      executionAllowed: boolean | null;
      blockingReason: string | null;
      health: string | null;
      subscription: string | null;
      consecutiveFailures: number | null;
      lastCycleAt: string | null;
    }
  /** `status`: of the response, if any. */
  | { kind: 'unknown'; at: string; why: UnknownHealth; status: number | null };
