import type { PageSeen } from '../core/service/list-walk';
import type { Severity } from './change';

/** One sweep of one monitor: its terms, what it counts, and which page comes next. */

export interface SweepRef {
  monitorId: string;
  /** Name of this sweep, which its marks carry: `monitor-sweep/<monitor>/<instant>`. No document is in it. */
  sweep: string;
  /** Who asked for it, for the audit trail. */
  by: string;
}

/** One sweep, as it was asked for: the input of the job in `sweeps/<monitor>/<instant>`. */
export interface SweepRecord {
  /** `monitor-sweep/<monitor>/<instant>`. */
  jobId: string;
  monitorId: string;
  terms: SweepTerms;
  /** A walk over all states is due: what others acknowledged first is stored. */
  reconcile: boolean;
  createdAt: string;
  createdBy: string;
}

export function sweepFolder(jobId: string): string {
  return jobId.replace(/^monitor-sweep\//, 'sweeps/');
}

export function sweepIdAt(monitorId: string, createdAt: string): string {
  return `${sweepWorkflowId(monitorId)}/${createdAt.replaceAll(/[-:.]/g, '')}`;
}

/** What a person may ask of a sweep or of a schedule. */
export interface SweepTerms {
  /** Only changes of these, and those of a severity that we do not know. Null: all. */
  severities: readonly Severity[] | null;
  /** Repeats of (monitor, type, severity) within it are sent in one digest. Null: each by itself. */
  cooldownMs: number | null;
}

export const plainTerms: SweepTerms = { severities: null, cooldownMs: null };

/** Sums over the pages of a sweep. */
export interface SweepCounts {
  pages: number;
  /** Stored for the first time. */
  stored: number;
  /** All required sinks have them, the last of them since this sweep. */
  delivered: number;
  /** By us. */
  acknowledged: number;
  /** Somebody else was first, or the service does not know them any more. */
  elsewhere: number;
}

export function noCounts(): SweepCounts {
  return { pages: 0, stored: 0, delivered: 0, acknowledged: 0, elsewhere: 0 };
}

/** What the store holds as unfinished for a monitor when its sweep ends. */
export interface Backlog {
  /** Changes and digests whose last delivery or acknowledgement failed; later sweeps try again. */
  undelivered: number;
  /** Items that this sweep was listed and that are no changes as far as we can read them. */
  unreadable: number;
  /** Of both: unfinished for so many sweeps that a person must look. */
  escalated: number;
}

export const emptyBacklog: Backlog = { undelivered: 0, unreadable: 0, escalated: 0 };

/** What a person reads for a warning. Names the variable or command that helps. */
export const warningWords = {
  'status ignored':
    'the service lists acknowledged changes although open ones were asked for: it may know the filter by another name than lists.statusParam says',
  'severity ignored':
    'the service lists other severities than the one asked for: it may know the filter by another name than lists.severityParam says',
  'page size ignored':
    'the service sends pages of another size than asked for: it may know the parameter by another name than lists.pageSizeParam says',
  'no cursor': 'the service says that there is more and names no cursor: a later sweep lists again',
  'disabled sink':
    'a sink takes nothing any more (410): changes stay open until it is enabled (`diligence monitor sink --enable webhook`) or another one is configured',
  'disabled optional sink':
    'a sink that is not required takes nothing any more (410): changes are acknowledged without it until it is enabled (`diligence monitor sink --enable webhook`)',
  'slow sink':
    'a sink is so slow that some changes were not attempted in the time of their page: they stay open for a later sweep',
  'digest waits':
    'a digest could not be delivered: its changes are acknowledged, and the store holds it until it is',
} as const;
export type SweepWarning = keyof typeof warningWords;

/** These leave changes open, or not delivered. */
const unfinished: readonly SweepWarning[] = ['no cursor', 'slow sink', 'digest waits'];

/** Why a sweep came to nothing. */
export type SweepFault =
  /** The service does not know the monitor (404). */
  | 'no monitor'
  | 'credentials'
  /** A cursor or a page came again within one walk, or nothing came. */
  | 'cursor repeated'
  /** There is more, and no way to it. */
  | 'no cursor'
  /** Another 4xx. */
  | 'refused'
  /** Tried as often as a sweep may: the next one continues. */
  | 'unavailable';

/** In words, without values: what a person reads. */
export interface Fault {
  fault: SweepFault;
  message: string;
}

/** `fault` of a reconciliation: what is open is listed again, what was acknowledged is not. */
export const noCursor: Fault = {
  fault: 'no cursor',
  message:
    'the service says that there is more and names no cursor: what others acknowledged cannot all be seen',
};

/** What pages of a sweep came to, added up. */
export interface SweepSums {
  counts: SweepCounts;
  warnings: readonly SweepWarning[];
  /** Something may have been acknowledged without our mark: a reconciliation is due. */
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

/** One page of changes, recorded, delivered and acknowledged as far as that goes. */
export interface PageReport extends PageSeen, SweepSums {
  /** Of the items on the page: acknowledged now. */
  settled: number;
  /** Of the items on the page: still listed after it, whatever the reason. */
  staying: number;
  /** It could be had with so many items; null: with as many as a page may have. */
  size: number | null;
  /** The page could not be listed, or not worked off to its end. */
  fault: Fault | null;
}

/** What a walk over all states came to. */
export interface Reconciled {
  pages: number;
  /** Acknowledged by others, and not stored before. */
  found: number;
  /** Acknowledged by others, and still pending at a sink: a later walk tries again. */
  pending: number;
  fault: Fault | null;
}

/** How a sweep ended, before the store says what is left. */
export interface SweepEnd {
  counts: SweepCounts;
  warnings: readonly SweepWarning[];
  fault: Fault | null;
  /** Null: no walk over all states was due, or it did not come to an end. */
  reconciled: Reconciled | null;
  stopped: 'cancelled' | null;
}

export interface SweepOutcome extends Omit<SweepEnd, 'warnings'> {
  monitorId: string;
  sweep: string;
  /** `partly`: something is unfinished. `failed`: so is all of it. `interrupted`: from outside. */
  status: 'swept' | 'partly' | 'failed' | 'interrupted';
  backlog: Backlog;
  /** What it left or met, in words; empty when it came through. */
  warnings: readonly string[];
  /** What a person should know of the monitor itself, in words. */
  health: readonly string[];
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

/** How a sweep ended, with what the store says of it. */
export function sweepOutcome(
  { createdAt, monitorId, jobId }: SweepRecord,
  end: SweepEnd,
  left: Pick<SweepOutcome, 'backlog' | 'warnings' | 'health'>,
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

export function faultWords({ fault, message }: Fault): string {
  return `${fault}: ${message}`;
}

/** What a sweep left or met, in words; empty when it came through. */
export function sweepWarnings(
  monitorId: string,
  { fault, warnings }: Pick<SweepEnd, 'fault' | 'warnings'>,
  { undelivered, unreadable, escalated }: Backlog,
): string[] {
  const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;
  return [
    ...(fault === null ? [] : [faultWords(fault)]),
    ...(undelivered === 0
      ? []
      : [`${counted(undelivered, 'message')} could not be delivered or acknowledged`]),
    ...(unreadable === 0
      ? []
      : [
          `${counted(unreadable, 'item')} of the list cannot be read: \`diligence show ${sweepWorkflowId(monitorId)}\` names them`,
        ]),
    ...(escalated === 0 ? [] : [`${escalated} of them need a person`]),
    ...warnings.map((warning) => warningWords[warning]),
  ];
}

/** One sweep of a monitor at a time: the id is the lock (decision record 017). */
export function sweepWorkflowId(monitorId: string): string {
  return `monitor-sweep/${monitorId}`;
}
