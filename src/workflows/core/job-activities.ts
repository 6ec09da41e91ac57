import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import { queueName, type QueueKind } from '../../domain/core/queues';

const retry = { initialInterval: '1s', maximumInterval: '30s' } as const;

/**
 * The activities of one job kind, with their timeouts.
 * A job that a person waits for goes before batches.
 */
export function jobActivities<A>(
  queue: QueueKind,
  { queueSuffix, interactive = true }: { queueSuffix: string; interactive?: boolean },
) {
  const common = {
    taskQueue: queueName(queue, queueSuffix),
    retry,
    priority: { priorityKey: interactive ? 1 : 3 },
  };
  const polling = (
    deadlineAt: number,
    cancellationType: ActivityCancellationType = ActivityCancellationType.TRY_CANCEL,
  ) =>
    proxyActivities<A>({
      ...common,
      // Longer than the longest upload.
      startToCloseTimeout: '30m',
      heartbeatTimeout: '20s',
      // A settled deadline is a value; this timeout a minute later is the backstop (decision record 021).
      scheduleToCloseTimeout: Math.max(0, deadlineAt - Date.now()) + 60_000,
      cancellationType,
    });
  return {
    polling: ({ deadlineAt }: { deadlineAt: number }) => polling(deadlineAt),
    /** On cancellation it completes its request first: the response is worth the wait. */
    requesting: ({ deadlineAt }: { deadlineAt: number }) =>
      polling(deadlineAt, ActivityCancellationType.WAIT_CANCELLATION_COMPLETED),
    /** A few records: after this time they are repeated on another worker. */
    recording: proxyActivities<A>({ ...common, startToCloseTimeout: '30s' }),
  };
}
