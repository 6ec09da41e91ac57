import { proxyActivities } from '@temporalio/workflow';
import type { createInquiryBatchActivities } from '../../activities/core/inquiry-batches';
import { queueName } from '../../domain/core/queues';

type Activities = ReturnType<typeof createInquiryBatchActivities>;

/** What a batch asks of the store. */
export function inquiryBatchActivities(queueSuffix: string) {
  const common = {
    taskQueue: queueName('investigation', queueSuffix),
    retry: { initialInterval: '1s', maximumInterval: '30s' },
  } as const;

  const { readBatchPart, concludeBatch } = proxyActivities<Activities>({
    ...common,
    startToCloseTimeout: '2m',
  });

  /** @param until as of the activity, which returns by then; the time-out is a backstop */
  const awaitOutcome = (input: Parameters<Activities['awaitOutcome']>[0]) =>
    proxyActivities<Activities>({
      ...common,
      startToCloseTimeout: '1m',
      scheduleToCloseTimeout: Math.max(0, input.until - Date.now()) + 5 * 60_000,
    }).awaitOutcome(input);

  return { readBatchPart, awaitOutcome, concludeBatch };
}
