import type { PageSeen } from '../core/service/list-walk';
import type { Severity } from './change';
import type { HealthNote } from './health';

export interface SweepRef {
  monitorId: string;
  /** Name of this sweep in its marks: `monitor-sweep/<monitor>/<instant>`. Without documents. */
  sweep: string;
  by: string;
}

export interface SweepRecord {
  jobId: string;
  monitorId: string;
  terms: SweepTerms;
  /** A reconciliation is due: changes that others acknowledged are stored. */
  reconcile: boolean;
  createdAt: string;
  createdBy: string;
}

export interface SweepTerms {
  /** Only these and unknown severities. Null: all. */
  severities: readonly Severity[] | null;
  /** Repeats of (monitor, type, severity) within it go into one digest. Null: no digests. */
  cooldownMs: number | null;
}

export const plainTerms: SweepTerms = { severities: null, cooldownMs: null };

export function noCounts() {
  return {
    pages: 0,
    stored: 0,
    /** All required sinks have them, the last of them in this sweep. */
    delivered: 0,
    acknowledged: 0,
    /** Acknowledged by others, or gone. */
    elsewhere: 0,
  };
}
export type SweepCounts = ReturnType<typeof noCounts>;

export const emptyBacklog = {
  /** Changes and digests whose last delivery or acknowledgement failed; later sweeps retry. */
  undelivered: 0,
  unreadable: 0,
  /** Of both: unfinished for so many sweeps that they need attention. */
  escalated: 0,
};
export type Backlog = typeof emptyBacklog;

export const sweepWarnings = [
  'status ignored',
  'severity ignored',
  'page size ignored',
  /** There is more, without a cursor: a later sweep lists again. */
  'no cursor',
  /** It takes nothing any more (410): changes stay open. */
  'disabled sink',
  /** The same, of one that is not required: changes are acknowledged without it. */
  'disabled optional sink',
  /** Some changes were not attempted in the time of their page. */
  'slow sink',
  /** A digest could not be delivered; the store holds it. */
  'digest waits',
] as const;
export type SweepWarning = (typeof sweepWarnings)[number];

/** These leave changes open, or undelivered. */
const unfinished: readonly SweepWarning[] = ['no cursor', 'slow sink', 'digest waits'];

export type SweepFault =
  | 'no monitor'
  | 'credentials'
  /** A cursor or page was repeated, or only empty pages came. */
  | 'cursor repeated'
  | 'no cursor'
  | 'refused'
  /** All retries failed: the next sweep continues. */
  | 'unavailable';

export interface Fault {
  fault: SweepFault;
  /** For programs and logs, without values: what the call came to. */
  message: string;
}

/** Error of a reconciliation: open changes are listed again, acknowledged ones are not. */
export const noCursor: Fault = {
  fault: 'no cursor',
  message:
    'the service says that there is more and names no cursor: not all changes acknowledged by others can be listed',
};

export interface SweepSums {
  counts: SweepCounts;
  warnings: readonly SweepWarning[];
  /** A change may have been acknowledged without our mark: a reconciliation is due. */
  unsure: boolean;
}

export function addSums(one: SweepSums, more: SweepSums): SweepSums {
  const names = Object.keys(one.counts) as (keyof SweepCounts)[];
  const counts = names.map((name) => [name, one.counts[name] + more.counts[name]] as const);
  return {
    counts: Object.fromEntries(counts) as Record<keyof SweepCounts, number>,
    warnings: [...new Set([...one.warnings, ...more.warnings])],
    unsure: one.unsure || more.unsure,
  };
}

export interface PageReport extends PageSeen, SweepSums {
  settled: number;
  /** Items of the page still listed afterwards. */
  staying: number;
  size: number | null;
  fault: Fault | null;
}

export interface Reconciled {
  pages: number;
  found: number;
  /** Acknowledged by others, and still pending at a sink: a later one retries. */
  pending: number;
  fault: Fault | null;
}

export interface SweepEnd {
  counts: SweepCounts;
  warnings: readonly SweepWarning[];
  fault: Fault | null;
  reconciled: Reconciled | null;
  stopped: 'cancelled' | null;
}

/** What a sweep left or met; none of it: complete. */
export interface SweepLeft extends Pick<SweepEnd, 'fault' | 'warnings'> {
  backlog: Backlog;
}

export interface SweepOutcome extends SweepEnd, SweepLeft {
  monitorId: string;
  sweep: string;
  /** `partly`: something is unfinished. `failed`: everything is. `interrupted`: from outside. */
  status: 'swept' | 'partly' | 'failed' | 'interrupted';
  health: readonly HealthNote[];
  startedAt: string;
  endedAt: string;
}

export function sweepStatus(end: SweepEnd, backlog: Backlog): SweepOutcome['status'] {
  const { counts, warnings, fault, reconciled, stopped } = end;
  const isLeft =
    stopped !== null ||
    backlog.undelivered + backlog.unreadable > 0 ||
    warnings.some((warning) => unfinished.includes(warning));
  if (fault === null) return isLeft ? 'partly' : 'swept';
  const done = counts.delivered + counts.acknowledged + counts.elsewhere;
  return done + (reconciled?.found ?? 0) === 0 ? 'failed' : 'partly';
}

export function sweepOutcome(
  { createdAt, monitorId, jobId }: SweepRecord,
  end: SweepEnd,
  left: Pick<SweepOutcome, 'backlog' | 'health'>,
  endedAt: string,
): SweepOutcome {
  return {
    ...end,
    ...left,
    monitorId,
    sweep: jobId,
    status: sweepStatus(end, left.backlog),
    startedAt: createdAt,
    endedAt,
  };
}

export function isComplete({ backlog, fault, warnings }: SweepLeft): boolean {
  const { escalated, undelivered, unreadable } = backlog;
  return fault === null && warnings.length === 0 && undelivered + unreadable + escalated === 0;
}

/** One sweep of a monitor at a time: the id is the lock (decision record 017). */
export function sweepWorkflowId(monitorId: string): string {
  return `monitor-sweep/${monitorId}`;
}
