import { proxyActivities } from '@temporalio/workflow';
import type { createJobBatchActivities } from '../../activities/core/job-batches';
import { queueName, type QueueKind } from '../../domain/core/queues';

type Activities = ReturnType<typeof createJobBatchActivities>;

/** Store activities of a batch of jobs. */
export function jobBatchActivities(queue: QueueKind, queueSuffix: string) {
  const common = {
    taskQueue: queueName(queue, queueSuffix),
    retry: { initialInterval: '1s', maximumInterval: '30s' },
  } as const;
  const { readRows, finalizeBatch } = proxyActivities<Activities>({
    ...common,
    startToCloseTimeout: '2m',
  });

  /** Returns by `until`; the timeout is a backstop. */
  const awaitChild = (input: Parameters<Activities['awaitChild']>[0]) =>
    proxyActivities<Activities>({
      ...common,
      startToCloseTimeout: '1m',
      scheduleToCloseTimeout: Math.max(0, input.until - Date.now()) + 5 * 60_000,
    }).awaitChild(input);

  return { readRows, awaitChild, finalizeBatch };
}
