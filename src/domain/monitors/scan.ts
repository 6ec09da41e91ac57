import { backoffMs } from '../core/service/poll-timing';
import type { HealthNote } from './health';
import type { SweepLeft, SweepOutcome, SweepTerms } from './sweep';

export const mostSweeps = 50;
export const mostMonitors = 100_000;
const reconcileEveryMs = 7 * 86_400_000;
/** Delay after an incomplete reconciliation, doubling each time. */
const reconcileAgainMs = 60_000;
const longestReconcileAgainMs = 86_400_000;

export interface WalksOnFile {
  /** The last complete one with nothing pending; null: none, or another one is due. */
  at: string | null;
  /** Incomplete ones since then, or with pending deliveries. */
  unfinished: { at: string; times: number } | null;
}

/** Weekly, when one is scheduled, and after a failure, with growing delays. */
export function isReconcileDue(walks: WalksOnFile | undefined, now: number): boolean {
  const { at = null, unfinished = null } = walks ?? {};
  if (unfinished !== null) {
    const limits = { baseMs: reconcileAgainMs, maxMs: longestReconcileAgainMs };
    return now - Date.parse(unfinished.at) >= backoffMs(unfinished.times, 1, limits);
  }
  return at === null || now - Date.parse(at) >= reconcileEveryMs;
}

export interface DueMonitor {
  monitorId: string;
  reconcile: boolean;
}

export interface ProbeReport {
  probed: number;
  due: DueMonitor[];
  /** Could not be listed: the next scan tries again. */
  failing: number;
  /** Those that do not recover by themselves (unknown to the service, refused). */
  escalated: number;
  /** The token is refused: no further call in this scan. */
  isCredentials: boolean;
}

/** What a scan notes on a monitor. `unfinished`: left by its last sweep, until one succeeds. */
export type ScanNote = HealthNote | { kind: 'unfinished'; left: SweepLeft };
export type MonitorNote = ScanNote & { monitorId: string };

export interface ScannedPage {
  at: string;
  scan: string;
  probed: number;
  open: string[];
  notes: MonitorNote[];
}

export function noScanCounts() {
  return {
    probed: 0,
    sweeps: 0,
    /** A sweep of the monitor was running already: counted, not started again. */
    running: 0,
    failing: 0,
    partly: 0,
    failed: 0,
    escalated: 0,
    /** Still running when their slots were freed. */
    leftRunning: 0,
    lostPages: 0,
    stored: 0,
    acknowledged: 0,
  };
}
export type ScanCounts = ReturnType<typeof noScanCounts>;

export interface ScanOutcome {
  scan: string;
  list: string;
  stopped: 'credentials' | 'cancelled' | 'interrupted' | null;
  counts: ScanCounts;
  startedAt: string;
  endedAt: string;
}

export interface ScanRecord {
  /** `monitor-scan/<list>/<instant>`; started by a person, with the edition of its list. */
  jobId: string;
  workflowId: string;
  list: { name: string; edition: string; monitors: number; pages: number };
  terms: SweepTerms;
  reconcileAll: boolean;
  createdAt: string;
  createdBy: string;
}

/** Status of a scan. `failed`: no monitor could be probed. */
export function scanStatus({ stopped, counts }: ScanOutcome): SweepOutcome['status'] {
  if (stopped === 'interrupted') return stopped;
  if (stopped === 'credentials') return 'failed';
  const { probed, failing, failed, partly, lostPages } = counts;
  const failedAttempts = failing + lostPages;
  if (failedAttempts > 0 && failing === probed) return 'failed';
  return failedAttempts + failed + partly > 0 ? 'partly' : 'swept';
}

/** Names are in ids of schedules and workflows, in the clear. */
export const listNamePattern = /^[a-z0-9][a-z0-9-]{0,39}$/;

export function scheduleIdOf(name: string): string {
  return `monitor-scan/${name}`;
}
