import { Context } from '@temporalio/activity';
import type { ChildCounts, ChildJob } from '../../domain/core/job-batch';
import type { JobEnd } from '../../domain/job';
import { JobBatchRepository } from '../../store/core/jobs/job-batches';
import type { Store } from '../../store/store';
import { notSettledYet } from './failures';

const longestPauseMs = 30_000;
/** A child job may be stored by its own first activity, which needs a worker. */
const absentMs = 60_000;

export interface ReadRows {
  /** Child jobs without an outcome. */
  open: Pick<ChildJob, 'jobId' | 'terms'>[];
  ended: string[];
  /** The last item read; null: no more. */
  last: number | null;
}

export interface AwaitChildInput {
  jobId: string;
  /** This batch has started it. */
  isOwn: boolean;
  /** Epoch milliseconds. */
  until: number;
}

/** Store activities of a batch of jobs. */
export function createJobBatchActivities({ store, now }: { store: Store; now: () => number }) {
  const batches = new JobBatchRepository(store);

  /** The rows after an item. Skips what had ended before the batch. */
  async function readRows({
    folder,
    after,
    limit,
  }: {
    folder: string;
    after: number;
    limit: number;
  }): Promise<ReadRows> {
    const rows = await batches.children(folder, after, limit);
    const requested = rows.filter(({ child }) => !child.before);
    const open: ReadRows['open'] = [];
    const ended: string[] = [];
    for (const { child, status } of requested) {
      const { jobId, terms } = child;
      if (status === null) open.push({ jobId, terms });
      else ended.push(status);
    }
    const last = rows.length < limit ? null : (rows.at(-1)?.item ?? null);
    return { open, ended, last };
  }

  /**
   * Waits for the status of a child job that this execution has not started.
   *
   * @returns null when it has not ended by `until`; `followed` when another job does the same
   */
  async function awaitChild({ jobId, isOwn, until }: AwaitChildInput): Promise<string | null> {
    const { attempt, scheduledTimestampMs } = Context.current().info;
    const { isStored, status } = await batches.backlog(jobId);
    if (status !== null) return status;
    const waitedMs = now() - scheduledTimestampMs;
    if (!isStored && !isOwn && waitedMs >= absentMs) return 'followed';
    const leftMs = until - now();
    if (leftMs <= 2_000) return null;
    const pauseMs = Math.min(1_000 * attempt, longestPauseMs);
    throw notSettledYet(Math.min(pauseMs, leftMs - 1_000));
  }

  function finalizeBatch({
    folder,
    cancelled,
    counts,
  }: {
    folder: string;
    cancelled: boolean;
    counts: ChildCounts;
  }): Promise<JobEnd> {
    const endedAt = new Date(now()).toISOString();
    return batches.finalize(folder, { endedAt, cancelled, counts });
  }

  return { readRows, awaitChild, finalizeBatch };
}
