import type { Progress } from '../jobs/progress';
import { printable } from '../jobs/text';
import type { Estimate } from './pace';

/** Reasons of which a person should know more; others are shown as they are. */
const reasonWords: Readonly<Record<string, string>> = {
  credentials: 'credentials (the service refuses the token)',
  store:
    'the store (it is full, read-only, or not where it was: `diligence doctor` says which; the job goes on when it is back)',
  fault: 'this installation (a worker cannot prepare the requests; its log says why)',
  service: 'the service (it turns requests away, or does not answer)',
  paused: 'paused (`diligence resume` goes on)',
  decision: 'a decision (requests were turned away 20 times: `diligence resume` tries again)',
  unknown:
    'a person (as many rows are unknown as --max-unknown lets be: look at the service; `diligence resume` goes on)',
  budget:
    'a person (as many requests were made as --budget allows: `diligence resume` lets as many be made again)',
  'rate limit': 'the rate limit',
  'another work': 'another job that is sending the same document',
  retry: 'a retry that the service asked for',
};

/** Nothing settles because of these, and no rate seen before says when it will. */
const holdingReasons = new Set([
  'credentials',
  'decision',
  'unknown',
  'budget',
  'paused',
  'store',
  'fault',
  'service',
]);

/** Whether what was observed so far says nothing about what comes. */
export function isHeldUp({ waiting, paused, stage }: Progress): boolean {
  return paused || stage in stageWords || (waiting !== null && holdingReasons.has(waiting.reason));
}

export function settledOf(counts: Progress['counts']): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** Of what has rows: nothing settles in these. */
const stageWords: Readonly<Record<string, string>> = {
  'proving access': 'checking the token',
  merging: 'putting the results together',
};

/**
 * `57/60  50 issued, 2 failed  5 outstanding  12.4 rows/s  about 3 s left`, or what it waits for.
 *
 * @param estimate null where nothing was observed over time
 */
export function progressLine(progress: Progress, estimate: Estimate | null, now: number): string {
  const { counts, details, total, stage, waiting } = progress;
  const settled = settledOf(counts);
  const isOne = total === null;
  const parts = isOne ? [stage] : stage === 'proving access' ? [] : [`${settled}/${total}`];
  const words = Object.keys(counts)
    .filter((word) => (counts[word] ?? 0) > 0)
    .map((word) => `${counts[word]} ${word}`);
  if (words.length > 0) parts.push(words.join(', '));
  if (progress.outstanding > 0) parts.push(`${progress.outstanding} outstanding`);
  if (progress.again > 0) parts.push(`${progress.again} to ask again`);
  parts.push(...details);
  if (progress.cancelling) parts.push('cancelling');
  if (waiting !== null) parts.push(`waiting: ${waitingWords(waiting, now)}`);
  else if (progress.paused) parts.push(reasonWords['paused'] ?? 'paused');
  else if (!isOne && stage in stageWords) parts.push(stageWords[stage] ?? stage);
  if (!isOne && estimate !== null && waiting === null && settled < total) {
    parts.push(...paceWords(estimate));
  }
  return printable(parts.join('  '));
}

function waitingWords({ reason, until }: NonNullable<Progress['waiting']>, now: number): string {
  const leftMs = until === null ? 0 : until - now;
  const words = reasonWords[reason] ?? reason;
  return `${words}${leftMs > 500 ? `, next try in ${duration(leftMs)}` : ''}`;
}

function paceWords({ rowsPerSecond, leftMs, stalledMs }: Estimate): string[] {
  if (stalledMs !== null) return [`nothing has settled for ${duration(stalledMs)}`];
  if (rowsPerSecond === null) return [];
  const rate = rateWords(rowsPerSecond);
  return leftMs === null ? [rate] : [rate, `about ${duration(leftMs)} left`];
}

function rateWords(rowsPerSecond: number): string {
  if (rowsPerSecond >= 1) return `${rowsPerSecond.toFixed(1)} rows/s`;
  if (rowsPerSecond >= 1 / 60) return `${(rowsPerSecond * 60).toFixed(1)} rows/min`;
  return `${(rowsPerSecond * 3_600).toFixed(1)} rows/h`;
}

/** In steps that grow with it: nobody believes seconds of an hour. */
export function duration(ms: number): string {
  const seconds = ms / 1_000;
  if (seconds < 9.5) return `${Math.max(1, Math.round(seconds))} s`;
  if (seconds < 87.5) return `${Math.round(seconds / 5) * 5} s`;
  if (seconds < 5_370) return `${Math.round(seconds / 60)} min`;
  return `${(Math.round(seconds / 1_800) / 2).toFixed(1)} h`;
}
