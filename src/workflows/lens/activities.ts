import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type {
  AwaitLensInput,
  SubmitLensInput,
  createLensActivities,
} from '../../activities/lens/lens';
import type { createLensArtifactActivities } from '../../activities/lens/artifacts';
import { queueName } from '../../domain/core/queues';
import type { WaitOrder } from '../../domain/core/settled-wait';

type Activities = ReturnType<typeof createLensActivities> &
  ReturnType<typeof createLensArtifactActivities>;

export function lensActivities(queueSuffix: string, interactive: boolean) {
  const common = {
    taskQueue: queueName('investigation', queueSuffix),
    retry: { initialInterval: '1s', maximumInterval: '30s' },
    priority: { priorityKey: interactive ? 1 : 3 },
  } as const;
  /** The deadline is a value; a minute later is the backstop (decision record 021). */
  const waiting = ({ deadlineAt }: WaitOrder) => ({
    ...common,
    // Longer than the longest upload.
    startToCloseTimeout: '30m' as const,
    heartbeatTimeout: '20s' as const,
    scheduleToCloseTimeout: Math.max(0, deadlineAt - Date.now()) + 60_000,
  });

  /** Cancelled, it ends its request first: an id that the service has given is worth the wait. */
  const submitLens = (input: SubmitLensInput) =>
    proxyActivities<Activities>({
      ...waiting(input),
      cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    }).submitLens(input);

  const awaitLens = (input: AwaitLensInput) =>
    proxyActivities<Activities>(waiting(input)).awaitLens(input);

  const fileLens = (input: Parameters<Activities['fileLens']>[0]) =>
    proxyActivities<Activities>(waiting(input)).fileLens(input);

  /** One look; without an answer the analysis is told as it was seen before. */
  const { lookAtLens } = proxyActivities<Activities>({
    ...common,
    startToCloseTimeout: '1m',
    scheduleToCloseTimeout: '2m',
  });

  const { concludeLens } = proxyActivities<Activities>({
    ...common,
    startToCloseTimeout: '1m',
  });
  return { submitLens, awaitLens, fileLens, lookAtLens, concludeLens };
}
