import { Context } from '@temporalio/activity';
import type { Store } from '../../store/store';
import { storeIncomplete, notSettledYet } from './failures';

const longestPauseMs = 30_000;

/** What a batch of works asks of the store. */
export function createBatchActivities<E extends { endedAt: string }>(
  { store, now }: { store: Store; now: () => number },
  batches: {
    part(folder: string, part: number): Promise<string[] | null>;
    putOutcome(folder: string, end: E): Promise<unknown>;
  },
) {
  /** Ids of the works of one part, and how those that have ended did. */
  async function readBatchPart({ folder, part }: { folder: string; part: number }) {
    const ids = await batches.part(folder, part);
    if (ids === null) throw storeIncomplete(`part ${part} of ${folder}`);
    const ended = await store.jobs.ended(ids);
    return { open: ids.filter((id) => !ended.has(id)), ended: [...ended.values()] };
  }

  /**
   * How a work ended that another run or another person has started.
   *
   * @param until epoch milliseconds
   * @returns null when it has not ended by then
   */
  async function awaitOutcome({ workId, until }: { workId: string; until: number }) {
    const status = (await store.jobs.ended([workId])).get(workId);
    if (status !== undefined) return status;
    const leftMs = until - now();
    if (leftMs <= 2_000) return null;
    const pauseMs = Math.min(1_000 * Context.current().info.attempt, longestPauseMs);
    throw notSettledYet(Math.min(pauseMs, leftMs - 1_000));
  }

  async function concludeBatch({
    folder,
    ...end
  }: Omit<E, 'endedAt'> & { folder: string }): Promise<void> {
    await batches.putOutcome(folder, {
      endedAt: new Date(now()).toISOString(),
      ...end,
    } as unknown as E);
  }

  return { readBatchPart, awaitOutcome, concludeBatch };
}
