import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { createProfileActivities } from '../../activities/profiles/profiles';
import { queueName } from '../../domain/core/queues';

type Activities = ReturnType<typeof createProfileActivities>;

/** @param interactive a person waits for it: it goes before batches */
export function profileActivities(queueSuffix: string, interactive = true) {
  const common = {
    taskQueue: queueName('investigation', queueSuffix),
    retry: { initialInterval: '1s', maximumInterval: '30s' },
    priority: { priorityKey: interactive ? 1 : 3 },
  } as const;

  /** The deadline is a value; a minute later is the backstop (decision record 021). */
  const lookUpProfile = (input: Parameters<Activities['lookUpProfile']>[0]) =>
    proxyActivities<Activities>({
      ...common,
      startToCloseTimeout: '15m',
      heartbeatTimeout: '20s',
      // An answer that is on its way is put on file before the end is.
      cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
      scheduleToCloseTimeout: Math.max(0, input.deadlineAt - Date.now()) + 60_000,
    }).lookUpProfile(input);

  const { concludeProfile } = proxyActivities<Activities>({
    ...common,
    startToCloseTimeout: '1m',
  });
  return { lookUpProfile, concludeProfile };
}
