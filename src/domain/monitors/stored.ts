import type { Change } from './change';

/** What stays on file about monitors and their changes. Times are ISO 8601 instants, ours in UTC. */

/** A change as a page told it: in our words, and as it came. */
export interface ReportedChange {
  change: Change;
  answer: unknown;
}

/** `open`: found by a sweep; `elsewhere`: acknowledged before we had seen it, found by a walk. */
export type FoundAs = 'open' | 'elsewhere';

/** Who has stored something: the workflow id of the sweep (no document in it), and when. */
export interface SweepMark {
  sweep: string;
  at: string;
}

/** One change as it was first seen. Never changed after, but for an erasure. */
export interface StoredChange extends ReportedChange {
  monitorId: string;
  foundAs: FoundAs;
  seenAt: string;
  sweep: string;
  /** What it tells was erased: `answer` is null, and its type unknown. */
  erased?: true;
}

/** A sink has it. */
export interface DeliveryMark extends SweepMark {
  /** Of this change to this sink, from 1. */
  attempt: number;
  /** Held back by a cooldown: it is told in a digest. */
  inDigest?: true;
}

export interface AcknowledgementMark extends SweepMark {
  /** `gone`: the service does not know it any more (404). */
  by: 'us' | 'elsewhere' | 'gone';
  /** As the service tells it; null when it does not. */
  acknowledgedAt: string | null;
  /** Sinks that were required then. */
  required: readonly string[];
}

/** What a change could not be brought through. Counted over sweeps until it is acknowledged. */
export interface DeliveryFailure {
  count: number;
  firstAt: string;
  lastAt: string;
  sweep: string;
  step: 'deliver' | 'acknowledge';
  /** Null of an acknowledgement. */
  sink: string | null;
  why: string;
  /** Not to be tried before; null: at the next sweep. */
  againAt: string | null;
}

/** What a change, or a digest by its id, could not be brought through now. */
export type NewDeliveryFailure = Omit<DeliveryFailure, 'count' | 'firstAt'> & { changeId: string };

/**
 * What failed is tried once a sweep, and not before the instant that its sink has named.
 *
 * @param at milliseconds since 1970
 */
export function mayBeTried(
  failure: Pick<DeliveryFailure, 'sweep' | 'againAt'> | null,
  sweep: string,
  at: number,
): boolean {
  if (failure === null) return true;
  if (failure.sweep === sweep) return false;
  return failure.againAt === null || Date.parse(failure.againAt) <= at;
}

/** A person has looked at a change. */
export interface ReviewMark {
  at: string;
  by: string;
  note: string;
}

/** Everything on file about a change. Marks of sinks by their names. */
export interface ChangeFile {
  stored: StoredChange;
  /** This call stored it: nobody had seen it before. */
  isNew: boolean;
  delivered: Readonly<Record<string, DeliveryMark>>;
  acknowledged: AcknowledgementMark | null;
  failure: DeliveryFailure | null;
}

/** What the service last told of a monitor, with the instant. */
export interface MonitorOnFile<Reported> {
  at: string;
  /** Of a read, or of the answer to an update. */
  by: 'read' | 'update';
  monitor: Reported;
  answer: unknown;
}

/** Whether it is known that a monitor may run. */
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
  /** `why`: in words; `status`: what the service answered, when it did. */
  | { kind: 'unknown'; at: string; why: string; status: number | null };
