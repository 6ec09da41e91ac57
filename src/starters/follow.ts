import { WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import type { BatchSummary } from '../domain/certificates';
import {
  batchProgressQuery,
  rowsProgressQuery,
  type BatchProgress,
  type RowCounts,
  type RowsProgress,
} from '../workflows/messages';
import type { EngineClient } from '../temporal/connection';
import { CommandError, exitCodes, tell } from './terminal';

/** A batch as a person sees it: its lanes asked and added up. */
export interface WorkProgress {
  stage: string;
  total: number;
  counts: RowCounts;
  outstanding: number;
  requesting: number;
  again: number;
  waiting: string | null;
  paused: boolean;
  cancelling: boolean;
}

const nothing: RowCounts = { issued: 0, failed: 0, expired: 0, unknown: 0, cancelled: 0 };

/** Asks a running (or closed, not yet deleted) work how it stands. Null when it cannot answer. */
export async function readProgress(
  engine: EngineClient,
  workflowId: string,
): Promise<WorkProgress | null> {
  const handle = engine.client.workflow.getHandle(workflowId);
  try {
    if (workflowId.startsWith('certificate/')) {
      return fromRows('issuing', await handle.query(rowsProgressQuery));
    }
    const batch = await handle.query(batchProgressQuery);
    const lanes = await Promise.all(batch.lanes.map((lane) => laneProgress(engine, lane)));
    return addUp(batch, lanes);
  } catch {
    // No worker to answer, or not there: progress is a courtesy.
    return null;
  }
}

async function laneProgress(
  engine: EngineClient,
  lane: BatchProgress['lanes'][number],
): Promise<RowsProgress | null> {
  if (lane.counts !== null) {
    const idle = { outstanding: 0, requesting: 0, again: 0, paused: false, cancelling: false };
    return { total: lane.items, counts: lane.counts, ...idle, waiting: null };
  }
  return engine.client.workflow
    .getHandle(lane.id)
    .query(rowsProgressQuery)
    .catch(() => null);
}

function fromRows(stage: string, rows: RowsProgress): WorkProgress {
  return { stage, ...rows, waiting: waitingWords(rows.waiting) };
}

function addUp(batch: BatchProgress, lanes: (RowsProgress | null)[]): WorkProgress {
  const sum: WorkProgress = {
    stage: batch.stage,
    total: batch.items,
    counts: { ...nothing },
    outstanding: 0,
    requesting: 0,
    again: 0,
    waiting: waitingWords(batch.waiting),
    paused: batch.paused,
    cancelling: batch.cancelling,
  };
  for (const lane of lanes) {
    if (lane === null) continue;
    for (const word of Object.keys(nothing) as (keyof RowCounts)[]) {
      sum.counts[word] += lane.counts[word];
    }
    sum.outstanding += lane.outstanding;
    sum.requesting += lane.requesting;
    sum.again += lane.again;
    sum.waiting ??= waitingWords(lane.waiting);
  }
  return sum;
}

function waitingWords(waiting: BatchProgress['waiting']): string | null {
  if (waiting === null) return null;
  const words = {
    credentials: 'credentials (the service refuses the token)',
    service: 'the service (it turned the last requests away)',
    paused: 'paused',
    decision: 'a decision (requests were turned away 20 times: `diligence resume` tries again)',
    'rate limit': 'the rate limit',
    'another work': 'another work that is sending the same document',
    retry: 'a retry that the service asked for',
  } as const;
  const left = waiting.until === null ? 0 : Math.round((waiting.until - Date.now()) / 1_000);
  return `${words[waiting.reason]}${left > 0 ? `, ${left} s more` : ''}`;
}

/** `57/60  50 issued, 2 failed ...  12.4 rows/s  about 3 s left`, from what was observed. */
export function progressLine(progress: WorkProgress, rate: number | null): string {
  const { counts, total } = progress;
  const settled = settledOf(counts);
  const parts = [`${settled}/${total}`];
  const words = (Object.keys(counts) as (keyof RowCounts)[])
    .filter((word) => counts[word] > 0)
    .map((word) => `${counts[word]} ${word}`);
  if (words.length > 0) parts.push(words.join(', '));
  if (progress.outstanding > 0) parts.push(`${progress.outstanding} outstanding`);
  if (progress.again > 0) parts.push(`${progress.again} to ask again`);
  if (progress.waiting !== null) parts.push(`waiting: ${progress.waiting}`);
  else if (rate !== null && rate > 0 && settled < total) {
    parts.push(`${rate.toFixed(1)} rows/s`, `about ${timeLeft((total - settled) / rate)} left`);
  }
  if (progress.stage === 'merging') parts.push('putting the results together');
  return parts.join('  ');
}

export function settledOf(counts: RowCounts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

function timeLeft(seconds: number): string {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3_600).toFixed(1)} h`;
}

/** The rate over the last half minute: what a person believes when the pace changes. */
class ObservedRate {
  readonly #seen: { at: number; settled: number }[] = [];

  observe(settled: number): number | null {
    const now = Date.now();
    this.#seen.push({ at: now, settled });
    while ((this.#seen[0]?.at ?? now) < now - 30_000) this.#seen.shift();
    const first = this.#seen[0];
    if (first === undefined || now - first.at < 1_000) return null;
    return ((settled - first.settled) * 1_000) / (now - first.at);
  }
}

/**
 * Shows progress until the work has ended. Ctrl-C leaves it running: the id and the way back are
 * printed and the process ends with 130.
 *
 * @throws CommandError when the workflow failed or was terminated
 */
export async function followWork(
  engine: EngineClient,
  handle: WorkflowHandle,
): Promise<BatchSummary> {
  const { workflowId } = handle;
  const onTerminal = process.stderr.isTTY;
  const rate = new ObservedRate();
  let shown = '';
  let shownAt = 0;
  let ended = false;
  const onInterrupt = (): void => {
    if (onTerminal) process.stderr.write('\n');
    tell(
      `the work goes on: \`diligence status ${workflowId}\`, \`diligence result ${workflowId}\``,
    );
    process.exit(exitCodes.interrupted);
  };
  process.once('SIGINT', onInterrupt);
  const watching = (async () => {
    while (!ended) {
      const progress = await readProgress(engine, workflowId);
      if (progress !== null && !ended) {
        const line = progressLine(progress, rate.observe(settledOf(progress.counts)));
        if (onTerminal)
          process.stderr.write(`\r\x1b[2K${line.slice(0, process.stderr.columns - 1)}`);
        else if (line !== shown && Date.now() - shownAt >= 3_000) {
          tell(line);
          shownAt = Date.now();
        }
        shown = line;
      }
      await new Promise((resolve) => setTimeout(resolve, onTerminal ? 500 : 1_000));
    }
  })();
  try {
    return (await handle.result()) as BatchSummary;
  } catch (error) {
    if (error instanceof WorkflowFailedError) {
      const cause = error.cause?.name ?? 'failed';
      throw new CommandError(
        `${workflowId} did not end well (${cause}): what is on file stays there`,
      );
    }
    throw error;
  } finally {
    ended = true;
    process.removeListener('SIGINT', onInterrupt);
    if (onTerminal) process.stderr.write('\r\x1b[2K');
    void watching;
  }
}
