import { backoffMs } from '../core/service/poll-timing';
import type { MonitorNote } from './health';
import type { SweepOutcome, SweepTerms } from './sweep';

/** Many monitors by one schedule: their list, and one scan of it. */

/** Sweeps of one scan under way at once (decision record 017). */
export const mostSweeps = 50;
export const mostMonitors = 100_000;
/** Changes that others acknowledged are looked for so often. */
const reconcileEveryMs = 7 * 86_400_000;
/** A reconciliation that did not come to its end goes again after this long, twice as long each time. */
const reconcileAgainMs = 60_000;
const longestReconcileAgainMs = 86_400_000;

/** Walks over all states of a monitor, as the store has them. */
export interface WalksOnFile {
  /** The last one that came to its end and left nothing; null: none has, or another one is owed. */
  at: string | null;
  /** Those since then that did not come to their end, or left something that is due to the sinks. */
  unfinished: { at: string; times: number } | null;
}

/** Weekly, when one is owed, and after one that came to nothing: later and later. */
export function isReconcileDue(walks: WalksOnFile | undefined, now: number): boolean {
  const { at = null, unfinished = null } = walks ?? {};
  if (unfinished !== null) {
    const limits = { baseMs: reconcileAgainMs, maxMs: longestReconcileAgainMs };
    return now - Date.parse(unfinished.at) >= backoffMs(unfinished.times, 1, limits);
  }
  return at === null || now - Date.parse(at) >= reconcileEveryMs;
}

/** A monitor that gets a sweep of its own. */
export interface DueMonitor {
  monitorId: string;
  /** A walk over all states is due. */
  reconcile: boolean;
}

/** What probes of one page of a list found. */
export interface ProbeReport {
  probed: number;
  /** Monitors that get a sweep. */
  due: DueMonitor[];
  /** Could not be listed: the next scan tries again. */
  failing: number;
  /** Of those: they do not come back by themselves (unknown to the service, refused). */
  escalated: number;
  /** The token is refused: nothing more is asked in this scan. */
  isCredentials: boolean;
}

/** The last scan of a page of a list, replaced by the next. */
export interface ScannedPage {
  at: string;
  /** Id of the scan. */
  scan: string;
  probed: number;
  /** Monitors that had something open. */
  open: string[];
  notes: MonitorNote[];
}

export interface ScanCounts {
  probed: number;
  /** Sweeps started. */
  sweeps: number;
  /** A sweep of theirs was running already: counted, never stacked. */
  running: number;
  failing: number;
  /** Sweeps that ended with something left to do, or without result. */
  partly: number;
  failed: number;
  /** Monitors and sweeps of them that a person must look at. */
  escalated: number;
  /** Still under way when their slot was given to others. */
  leftRunning: number;
  /** Pages of the list that could not be probed. */
  lostPages: number;
  stored: number;
  acknowledged: number;
}

export function noScanCounts(): ScanCounts {
  return {
    probed: 0,
    sweeps: 0,
    running: 0,
    failing: 0,
    partly: 0,
    failed: 0,
    escalated: 0,
    leftRunning: 0,
    lostPages: 0,
    stored: 0,
    acknowledged: 0,
  };
}

export interface ScanOutcome {
  scan: string;
  list: string;
  /** Why it did not go to its end. */
  stopped: 'credentials' | 'cancelled' | 'interrupted' | null;
  counts: ScanCounts;
  startedAt: string;
  endedAt: string;
}

/** One scan, as it was asked for: the input of the job in `scans/<list>/<instant>`. */
export interface ScanRecord {
  /** `monitor-scan/<list>/<instant>`; of one by hand with the edition of its list. */
  jobId: string;
  workflowId: string;
  list: { name: string; edition: string; monitors: number; pages: number };
  terms: SweepTerms;
  /** Every monitor gets a walk over all states. */
  reconcileAll: boolean;
  createdAt: string;
  createdBy: string;
}

export function scanFolder(jobId: string): string {
  return jobId.replace(/^monitor-scan\//, 'scans/');
}

/** One word for how a scan ended. `failed`: no monitor could be probed. */
export function scanStatus({ stopped, counts }: ScanOutcome): SweepOutcome['status'] {
  if (stopped === 'interrupted') return stopped;
  if (stopped === 'credentials') return 'failed';
  const { probed, failing, failed, partly, lostPages } = counts;
  const failedAttempts = failing + lostPages;
  if (failedAttempts > 0 && failing === probed) return 'failed';
  return failedAttempts + failed + partly > 0 ? 'partly' : 'swept';
}

/** Names go into ids of schedules and workflows, which are in the clear. */
export const listNamePattern = /^[a-z0-9][a-z0-9-]{0,39}$/;

export function scheduleIdOf(name: string): string {
  return `monitor-scan/${name}`;
}
