import { Context } from '@temporalio/activity';
import { storeIncomplete, notSettledYet } from './failures';

const longestPauseMs = 30_000;

/** What a batch of works asks of the store. */
export function createWorksOnFile<S extends string, E extends { endedAt: string }>(on: {
  now: () => number;
  shelf: {
    part(folder: string, part: number): Promise<string[] | null>;
    putOutcome(folder: string, end: E): Promise<unknown>;
  };
  /** Null before the end. */
  statusOf: (workId: string) => Promise<S | null>;
}) {
  const { now, shelf, statusOf } = on;

  /** Ids of the works of one part, and how those that have ended did. */
  async function readBatchPart({ folder, part }: { folder: string; part: number }) {
    const ids = await shelf.part(folder, part);
    if (ids === null) throw storeIncomplete(`part ${part} of ${folder}`);
    const open: string[] = [];
    const ended: S[] = [];
    for (const id of ids) {
      const status = await statusOf(id);
      if (status === null) open.push(id);
      else ended.push(status);
    }
    return { open, ended };
  }

  /**
   * How a work ended that another run or another person has started.
   *
   * @param until epoch milliseconds
   * @returns null when it has not ended by then
   */
  async function awaitOutcome({ workId, until }: { workId: string; until: number }) {
    const status = await statusOf(workId);
    if (status !== null) return status;
    const leftMs = until - now();
    if (leftMs <= 2_000) return null;
    const pauseMs = Math.min(1_000 * Context.current().info.attempt, longestPauseMs);
    throw notSettledYet(Math.min(pauseMs, leftMs - 1_000));
  }

  async function concludeBatch({
    folder,
    ...end
  }: Omit<E, 'endedAt'> & { folder: string }): Promise<void> {
    await shelf.putOutcome(folder, {
      endedAt: new Date(now()).toISOString(),
      ...end,
    } as unknown as E);
  }

  return { readBatchPart, awaitOutcome, concludeBatch };
}
