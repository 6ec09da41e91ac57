/** Many monitors by one schedule: their list, and one pass over it. */

/** Sweeps of one watch under way at once (PROTOCOLS 9). */
export const mostSweeps = 50;
export const mostMonitors = 100_000;
/** Changes that others acknowledged are looked for so often. */
export const reconcileEveryMs = 7 * 86_400_000;

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
  /** Could not be looked at: the next pass does. Counted here, named in the archive. */
  failing: number;
  /** Of those that were looked at: known not to run. */
  blocked: number;
  /** The token is refused: nothing more is asked in this pass. */
  credentials: boolean;
}

/** `monitor-lists/<name>/passes/<page>.json`: the last look at a page, replaced by the next. */
export interface PassOnFile {
  at: string;
  watch: string;
  looked: number;
  open: string[];
  reconcile: string[];
  failing: { monitorId: string; why: string }[];
  blocked: { monitorId: string; why: string }[];
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

/** One word for how a pass ended, and whether a person must look. */
export function watchStatus({ stopped, counts }: WatchOutcome): 'swept' | 'partly' | 'failed' {
  if (stopped === 'credentials') return 'failed';
  const { failing, failed, partly, lostPages } = counts;
  return failing + failed + partly + lostPages > 0 ? 'partly' : 'swept';
}

/** Names go into ids of schedules and workflows, which are in the clear. */
export const listNamePattern = /^[a-z0-9][a-z0-9-]{0,39}$/;

export function scheduleIdOf(name: string): string {
  return `monitor-watch/${name}`;
}
