import type { BatchProgress, RowCounts, RowsProgress, WaitingFor } from '../../workflows/messages';
import type { Estimate } from './pace';

/** A batch as a person sees it: its lanes asked and added up. */
export interface WorkProgress extends RowsProgress {
  stage: BatchProgress['stage'];
}

type Waiting = WorkProgress['waiting'];

/** What a person should know first: what needs them, before what passes by itself. */
const reasonsByWeight: readonly WaitingFor[] = [
  'credentials',
  'decision',
  'paused',
  'store',
  'fault',
  'service',
  'another work',
  'rate limit',
  'retry',
];

const reasonWords: Record<WaitingFor, string> = {
  credentials: 'credentials (the service refuses the token)',
  store:
    'the store (it is full, read-only, or not where it was: `diligence doctor` says which; the work goes on when it is back)',
  fault: 'this installation (a worker cannot prepare the requests; its log says why)',
  service: 'the service (it turns requests away, or does not answer)',
  paused: 'paused (`diligence resume` goes on)',
  decision: 'a decision (requests were turned away 20 times: `diligence resume` tries again)',
  'rate limit': 'the rate limit',
  'another work': 'another work that is sending the same document',
  retry: 'a retry that the service asked for',
};

/** Nothing settles because of these, and no rate seen before says when it will. */
const holdingReasons = new Set<WaitingFor>([
  'credentials',
  'decision',
  'paused',
  'store',
  'fault',
  'service',
]);

const noRows: RowCounts = { issued: 0, failed: 0, expired: 0, unknown: 0, cancelled: 0 };

export function progressOfRows(rows: RowsProgress): WorkProgress {
  return { stage: 'issuing', ...rows };
}

/** The batch with what its lanes told; a lane that did not answer is left out. */
export function addUp(batch: BatchProgress, lanes: (RowsProgress | null)[]): WorkProgress {
  const answered = lanes.filter((lane) => lane !== null);
  const sum = (of: (lane: RowsProgress) => number): number =>
    answered.reduce((total, lane) => total + of(lane), 0);
  const counts = { ...noRows };
  for (const word of Object.keys(counts) as (keyof RowCounts)[]) {
    counts[word] = sum((lane) => lane.counts[word]);
  }
  return {
    stage: batch.stage,
    total: batch.items,
    counts,
    outstanding: sum((lane) => lane.outstanding),
    requesting: sum((lane) => lane.requesting),
    again: sum((lane) => lane.again),
    waiting: heaviest([batch.waiting, ...answered.map((lane) => lane.waiting)]),
    paused: batch.paused,
    cancelling: batch.cancelling,
  };
}

/** Of equal reasons the one that ends first: then something happens. */
function heaviest(all: Waiting[]): Waiting {
  const weigh = (one: NonNullable<Waiting>): number => reasonsByWeight.indexOf(one.reason);
  const until = (one: NonNullable<Waiting>): number => one.until ?? 0;
  const present = all.filter((one) => one !== null);
  return present.sort((a, b) => weigh(a) - weigh(b) || until(a) - until(b))[0] ?? null;
}

/** Whether what was observed so far says nothing about what comes. */
export function isHeldUp({ waiting, paused, stage }: WorkProgress): boolean {
  return paused || stage !== 'issuing' || (waiting !== null && holdingReasons.has(waiting.reason));
}

export function settledOf(counts: RowCounts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/**
 * `57/60  50 issued, 2 failed  5 outstanding  12.4 rows/s  about 3 s left`, or what it waits for.
 *
 * @param estimate null where nothing was observed over time
 */
export function progressLine(
  progress: WorkProgress,
  estimate: Estimate | null,
  now: number,
): string {
  const { counts, total, stage, waiting } = progress;
  const settled = settledOf(counts);
  const parts = stage === 'proving access' ? [] : [`${settled}/${total}`];
  const words = (Object.keys(counts) as (keyof RowCounts)[])
    .filter((word) => counts[word] > 0)
    .map((word) => `${counts[word]} ${word}`);
  if (words.length > 0) parts.push(words.join(', '));
  if (progress.outstanding > 0) parts.push(`${progress.outstanding} outstanding`);
  if (progress.again > 0) parts.push(`${progress.again} to ask again`);
  if (progress.cancelling) parts.push('cancelling');
  if (waiting !== null) parts.push(`waiting: ${waitingWords(waiting, now)}`);
  else if (stage === 'proving access') parts.push('asking the service whether it takes the token');
  else if (stage === 'merging') parts.push('putting the results together');
  if (estimate !== null && waiting === null && settled < total) parts.push(...paceWords(estimate));
  return parts.join('  ');
}

function waitingWords({ reason, until }: NonNullable<Waiting>, now: number): string {
  const leftMs = until === null ? 0 : until - now;
  return `${reasonWords[reason]}${leftMs > 500 ? `, next try in ${duration(leftMs)}` : ''}`;
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
