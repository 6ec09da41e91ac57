import {
  endlessWords,
  firstPlace,
  onward,
  type Endless,
  type PageSeen,
  type Place,
} from '../core/list-walk';
import type { Severity } from './change';

/** One pass over one monitor: what it is told, what it counts, and which page comes next. */

/** What a sweep is about. `sweep` is its workflow id; no document is in it. */
export interface SweepRef {
  monitorId: string;
  sweep: string;
  /** Who asked for it, for the record. */
  by: string;
}

/** What a person may ask of a sweep or of a schedule. */
export interface SweepTerms {
  /** Only changes of these, and those of a severity that we do not know. Null: all. */
  severities: readonly Severity[] | null;
  /** `severity`: the gravest first, over all pages. `given`: as the service lists them. */
  order: 'given' | 'severity';
  /** Repeats of (monitor, type, severity) within it are told in one digest. Null: each by itself. */
  cooldownMs: number | null;
}

export const plainTerms: SweepTerms = { severities: null, order: 'given', cooldownMs: null };

/** Sums over the pages of a sweep. */
export interface SweepCounts {
  pages: number;
  /** Filed for the first time. */
  filed: number;
  /** All required sinks have them, the last of them since this sweep. */
  delivered: number;
  /** By us. */
  acknowledged: number;
  /** Somebody else was first, or the service does not know them any more. */
  elsewhere: number;
}

/** What a walk came by and left where it was. Sums over one walk. */
export interface Standing {
  /** Tried, in this sweep or lately, and still open or due to a sink; later sweeps go on. */
  stuck: number;
  /** Of those, and of the unreadable: there so often that a person must look. */
  escalated: number;
  /** Items of a list that are no change as far as we can read them. */
  unreadable: number;
}

export function noCounts(): SweepCounts {
  return { pages: 0, filed: 0, delivered: 0, acknowledged: 0, elsewhere: 0 };
}

export function noStanding(): Standing {
  return { stuck: 0, escalated: 0, unreadable: 0 };
}

export function addCounts(sum: SweepCounts, more: SweepCounts): SweepCounts {
  return {
    pages: sum.pages + more.pages,
    filed: sum.filed + more.filed,
    delivered: sum.delivered + more.delivered,
    acknowledged: sum.acknowledged + more.acknowledged,
    elsewhere: sum.elsewhere + more.elsewhere,
  };
}

export function addStanding(a: Standing, b: Standing): Standing {
  return {
    stuck: a.stuck + b.stuck,
    escalated: a.escalated + b.escalated,
    unreadable: a.unreadable + b.unreadable,
  };
}

/** Of two walks that may have come by the same things. */
export function worseStanding(a: Standing, b: Standing): Standing {
  return {
    stuck: Math.max(a.stuck, b.stuck),
    escalated: Math.max(a.escalated, b.escalated),
    unreadable: Math.max(a.unreadable, b.unreadable),
  };
}

/** What the service seems to do with our parameters, told once a sweep. */
export type SweepRemark =
  | 'status ignored'
  | 'severity ignored'
  | 'page size ignored'
  | 'no cursor'
  | 'disabled sink'
  | 'disabled optional sink'
  | 'slow sink'
  | 'digest waits';

/** `fault` of a walk that would go on for ever (decision record 017). */
export function endlessFault(why: Endless): Fault {
  return { fault: 'cursor repeated', message: endlessWords[why] };
}

/** `fault` of a walk over all states: what is open is listed again, what was acknowledged is not. */
export const noCursor: Fault = {
  fault: 'no cursor',
  message:
    'the service says that there is more and names no cursor: what others acknowledged cannot all be seen',
};

/** What a person reads for a remark. Names the variable that mends it. */
export const remarkWords: Record<SweepRemark, string> = {
  'status ignored':
    'the service lists acknowledged changes although open ones were asked for: it may know the filter by another name than STATUS_PARAM says',
  'severity ignored':
    'the service lists other severities than those asked for: it may know the filter by another name than SEVERITY_PARAM says',
  'page size ignored':
    'the service sends pages of another size than asked for: it may know the parameter by another name than PAGE_SIZE_PARAM says',
  'no cursor': 'the service says that there is more and names no cursor: a later sweep lists again',
  'disabled sink':
    'a sink takes nothing any more (410): changes stay open until it is enabled (`diligence monitor sink --enable webhook`) or another one is configured',
  'disabled optional sink':
    'a sink that nobody waits for takes nothing any more (410): changes are acknowledged without it until it is enabled (`diligence monitor sink --enable webhook`)',
  'slow sink':
    'a sink is so slow that some changes had no turn in the time of their page: they stay open, and nothing is counted against them',
  'digest waits':
    'a message that a cooldown held back could not be told: its changes are acknowledged, and the store holds it until it is',
};

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
  /** Tried as often as a sweep may: the next one goes on. */
  | 'unavailable';

/** In words, without values: what a person reads. */
export interface Fault {
  fault: SweepFault;
  message: string;
}

/** One page of changes, worked off. */
export interface PageReport extends PageSeen {
  counts: SweepCounts;
  standing: Standing;
  /** Of `standing`: tried now, in vain. Each change is, once a sweep: they add up over all walks. */
  tried: Standing;
  /** Of the items on the page: brought to their end now. */
  settled: number;
  /** Of the items on the page: still listed after it, whatever the reason. */
  staying: number;
  /** Nothing was worked off: there is more than one page, and the gravest shall come first. */
  deferred: boolean;
  /** It could be had with so many items; null: with as many as a page may have. */
  size: number | null;
  remarks: readonly SweepRemark[];
  /** The page was not had, or not worked off to its end. */
  fault: Fault | null;
  /** Something was acknowledged, perhaps, and not put down: what it came to is to be looked up. */
  lost: boolean;
  /** Of the first thing that could not be brought through, in words of ours. */
  why?: string;
  /** What a person should know of the monitor itself, in words; of a first page alone. */
  health?: readonly string[];
}

/** A place in a list of changes. */
interface ChangePlace extends Place {
  /** Pages with more items could not be had. Null: as many as a page may have. */
  size: number | null;
}

/** Where a walk over what is open stands. */
export interface Walk extends ChangePlace {
  /** What is still to be walked: the first is being walked. Null: all severities. */
  phases: readonly (Severity | null)[];
  /** The first page may be all there is: then it is worked off at once. */
  peek: boolean;
  /** Something was settled since the walk began at the top. */
  progress: boolean;
  standing: Standing;
}

/** Where a walk over all states stands. */
export interface ReconcileWalk extends ChangePlace {
  /** Asked for; null: no filter. */
  state: 'acknowledged' | null;
  /** It came by something acknowledged. */
  told: boolean;
}

export function beginReconcile(): ReconcileWalk {
  return { ...beginning, state: null, told: false };
}

const beginning: ChangePlace = { ...firstPlace, size: null };

export function beginWalk({ order, severities }: SweepTerms): Walk {
  const byItself = severities?.length === 1 ? (severities[0] ?? null) : null;
  return { ...top([byItself]), peek: order === 'severity' && byItself === null };
}

function top(phases: Walk['phases'], size: number | null = null): Walk {
  return { ...beginning, size, phases, peek: false, progress: false, standing: noStanding() };
}

export type NextPage =
  { kind: 'page'; walk: Walk } | { kind: 'done' } | { kind: 'repeated'; fault: Fault };

/**
 * Which page comes after one that was worked off (decision record 017). What was acknowledged leaves the list,
 * so that the first page holds what is next, whatever the service does with cursors; only what cannot
 * be settled is walked past. A walk that settled something is followed by another, which sees what a
 * cursor shifted over.
 */
export function nextPage(walk: Walk, page: PageReport): NextPage {
  const { size } = page;
  const again = (phases: Walk['phases']): NextPage => ({ kind: 'page', walk: top(phases, size) });
  if (page.deferred) return again(['critical', 'warn', 'info', null]);
  if (page.remarks.includes('severity ignored') && walk.phases.length > 1) return again([null]);
  const mayHaveMore = page.hasMore || page.nextCursor !== null;
  if (mayHaveMore && page.settled > 0 && page.staying === 0) return again(walk.phases);
  const progress = walk.progress || page.settled > 0;
  const next = onward(walk, page);
  if (next.kind === 'endless') return { kind: 'repeated', fault: endlessFault(next.why) };
  if (next.kind === 'page') {
    const standing = standingAfter(walk, page);
    return { kind: 'page', walk: { ...next.place, size, peek: false, progress, standing } };
  }
  if (progress && (walk.cursor !== null || page.hasMore)) return again(walk.phases);
  const phases = walk.phases.slice(1);
  return phases.length === 0 ? { kind: 'done' } : again(phases);
}

/** A cursor that the service named after the end, and does not take: the end it is. */
export function isPastEnd({ spare }: Place, fault: Fault | null): boolean {
  return spare && (fault?.fault === 'refused' || fault?.fault === 'no monitor');
}

/** What a walk has come by and not tried, the page included that was worked off last. */
export function standingAfter({ standing }: Walk, page: PageReport): Standing {
  return addStanding(standing, untried(page));
}

export function untried({ standing, tried }: Pick<PageReport, 'standing' | 'tried'>): Standing {
  return {
    stuck: standing.stuck - tried.stuck,
    escalated: standing.escalated - tried.escalated,
    unreadable: standing.unreadable - tried.unreadable,
  };
}

/** How a pass over a monitor ended. */
export interface SweepOutcome {
  monitorId: string;
  sweep: string;
  /** `partly`: something stands there still, or what others acknowledged could not be walked. */
  status: 'swept' | 'partly' | 'failed';
  /** Why it did not go to its end. */
  stopped: 'cancelled' | null;
  fault: Fault | null;
  counts: SweepCounts;
  standing: Standing;
  /** Null: no walk over all states was due. */
  reconciled: Reconciled | null;
  remarks: readonly SweepRemark[];
  /** What a person should know of the monitor itself: that it may not run, that nobody knows. */
  health?: readonly string[];
  startedAt: string;
  endedAt: string;
}

/** A walk over all states. */
export interface Reconciled {
  pages: number;
  /** Acknowledged by others, and not on file before. */
  found: number;
  /** Acknowledged by others, and still due to a sink: a later walk tries again. */
  owed: number;
  fault: Fault | null;
}

export function faultWords(fault: Fault | null): string | null {
  return fault && `${fault.fault}: ${fault.message}`;
}

/** What a sweep left or came by, in words; empty when it came through. */
export function troublesOf({
  standing: { stuck, escalated, unreadable },
  fault,
  remarks,
}: Pick<SweepOutcome, 'standing' | 'fault' | 'remarks'>): string[] {
  const person = escalated === 0 ? '' : ` (${escalated} need a person)`;
  const words = faultWords(fault);
  return [
    ...(words === null ? [] : [words]),
    ...(stuck === 0
      ? []
      : [`${stuck} change${stuck === 1 ? '' : 's'} could not be brought through${person}`]),
    ...(unreadable === 0
      ? []
      : [
          `${unreadable} item${unreadable === 1 ? '' : 's'} of the list cannot be read${stuck === 0 ? person : ''}: \`diligence status MONITOR\` names them`,
        ]),
    ...remarks.map((remark) => remarkWords[remark]),
  ];
}

/** One sweep of a monitor at a time: the id is the lock (decision record 017). */
export function sweepWorkflowId(monitorId: string): string {
  return `monitor-sweep/${monitorId}`;
}
