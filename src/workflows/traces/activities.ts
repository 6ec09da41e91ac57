import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type {
  AwaitTraceInput,
  StartTraceInput,
  createTraceActivities,
} from '../../activities/traces/traces';
import { queueName } from '../../domain/core/queues';

type Activities = ReturnType<typeof createTraceActivities>;

/** @param interactive a person waits for it: it goes before batches */
export function traceActivities(queueSuffix: string, interactive: boolean) {
  const common = {
    taskQueue: queueName('investigation', queueSuffix),
    retry: { initialInterval: '1s', maximumInterval: '30s' },
    priority: { priorityKey: interactive ? 1 : 3 },
  } as const;
  /** The deadline is a value; a minute later is the backstop (decision record 021). */
  const waiting = ({ deadlineAt }: StartTraceInput) => ({
    ...common,
    startToCloseTimeout: '15m' as const,
    heartbeatTimeout: '20s' as const,
    scheduleToCloseTimeout: Math.max(0, deadlineAt - Date.now()) + 60_000,
  });

  /** Cancelled, it ends its call first: an id that the service has given is worth the wait. */
  const startTrace = (input: StartTraceInput) =>
    proxyActivities<Activities>({
      ...waiting(input),
      cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    }).startTrace(input);

  const awaitTrace = (input: AwaitTraceInput) =>
    proxyActivities<Activities>(waiting(input)).awaitTrace(input);

  const { concludeTrace } = proxyActivities<Activities>({
    ...common,
    startToCloseTimeout: '1m',
  });
  return { startTrace, awaitTrace, concludeTrace };
}
