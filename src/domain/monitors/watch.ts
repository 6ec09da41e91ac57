import { backoffMs } from '../core/poll-timing';
import { faultWords, troublesOf, type SweepOutcome } from './sweep';

/** Many monitors by one schedule: their list, and one pass over it. */

/** Sweeps of one watch under way at once (decision record 017). */
export const mostSweeps = 50;
export const mostMonitors = 100_000;
/** Changes that others acknowledged are looked for so often. */
export const reconcileEveryMs = 7 * 86_400_000;
/** A walk that did not come to its end goes again after this long, twice as long each time. */
const walkAgainMs = 60_000;
const longestWalkAgainMs = 86_400_000;

/** Walks over all states of a monitor, as they stand on file. */
export interface WalksOnFile {
  /** The last one that came to its end and left nothing; null: none has, or another one is owed. */
  at: string | null;
  /** Those since then that did not come to their end, or left something that is due to the sinks. */
  unfinished: { at: string; times: number } | null;
}

/** Weekly, when one is owed, and after one that came to nothing: later and later. */
export function isWalkDue(walks: WalksOnFile | undefined, now: number): boolean {
  const { at = null, unfinished = null } = walks ?? {};
  if (unfinished !== null) {
    const limits = { baseMs: walkAgainMs, maxMs: longestWalkAgainMs };
    return now - Date.parse(unfinished.at) >= backoffMs(unfinished.times, 1, limits);
  }
  return at === null || now - Date.parse(at) >= reconcileEveryMs;
}

/** A monitor that gets a sweep of its own. */
export interface DueMonitor {
  monitorId: string;
  /** Something is open there, or may be. */
  isOpen: boolean;
  /** A walk over all states is due. */
  reconcile: boolean;
}

/** What a look at one page of a list found. */
export interface LookReport {
  looked: number;
  /** Monitors that get a sweep. */
  due: DueMonitor[];
  /** Could not be looked at: the next pass does. Counted here, named in the store. */
  failing: number;
  /** Of those: they do not come back by themselves (unknown to the service, refused). */
  escalated: number;
  /** Of those that were looked at: known not to run. */
  blocked: number;
  /** The token is refused: nothing more is asked in this pass. */
  credentials: boolean;
  /** The pass on file names what earlier sweeps left: how the next ones end is to be noted. */
  noted: boolean;
}

/** How the sweep of a monitor ended, for the pass on file. */
export interface SweepNote {
  monitorId: string;
  /** In words; null: it had none. */
  fault: string | null;
  /** What it left or came by, in words; empty when it came through. */
  left: readonly string[];
}

export function sweepNote(monitorId: string, outcome: SweepOutcome | null): SweepNote {
  if (outcome !== null) {
    return { monitorId, fault: faultWords(outcome.fault), left: troublesOf(outcome) };
  }
  const fault = 'its sweep was ended before its end';
  return { monitorId, fault, left: [fault] };
}

/** The last look at a page of a list, replaced by the next. */
export interface PassOnFile {
  at: string;
  watch: string;
  looked: number;
  open: string[];
  reconcile: string[];
  failing: { monitorId: string; why: string }[];
  blocked: { monitorId: string; why: string }[];
  /** Whether they may run is not known; passes from before this was kept have none. */
  unknown?: { monitorId: string; why: string }[];
  /** What the last sweep of each left or came by. Stays until a sweep of it comes through. */
  left?: { monitorId: string; why: string }[];
  /** They may run, and the service's own looks at them fail. */
  unwell?: { monitorId: string; why: string }[];
}

export interface WatchCounts {
  looked: number;
  /** Sweeps begun. */
  sweeps: number;
  /** A sweep of theirs was running already: told, never stacked. */
  running: number;
  failing: number;
  blocked: number;
  /** Sweeps that ended with something left to do, or without result. */
  partly: number;
  failed: number;
  /** Monitors and sweeps of them that a person must look at. */
  escalated: number;
  /** Still under way when their place was given to others. */
  leftRunning: number;
  /** Pages of the list that could not be looked at. */
  lostPages: number;
  filed: number;
  acknowledged: number;
}

export function noWatchCounts(): WatchCounts {
  return {
    looked: 0,
    sweeps: 0,
    running: 0,
    failing: 0,
    blocked: 0,
    partly: 0,
    failed: 0,
    escalated: 0,
    leftRunning: 0,
    lostPages: 0,
    filed: 0,
    acknowledged: 0,
  };
}

/** How a pass over a list ended. */
export interface WatchOutcome {
  watch: string;
  list: string;
  /** Why it did not go to its end. */
  stopped: 'credentials' | 'cancelled' | null;
  counts: WatchCounts;
  startedAt: string;
  endedAt: string;
}

/** One word for how a pass ended. `failed`: no monitor could be looked at. */
export function watchStatus({ stopped, counts }: WatchOutcome): 'swept' | 'partly' | 'failed' {
  if (stopped === 'credentials') return 'failed';
  const { looked, failing, failed, partly, lostPages } = counts;
  const inVain = failing + lostPages;
  if (inVain > 0 && failing === looked) return 'failed';
  return inVain + failed + partly > 0 ? 'partly' : 'swept';
}

/** Names go into ids of schedules and workflows, which are in the clear. */
export const listNamePattern = /^[a-z0-9][a-z0-9-]{0,39}$/;

export function scheduleIdOf(name: string): string {
  return `monitor-watch/${name}`;
}
