import { proxyActivities } from '@temporalio/workflow';
import type { createWaitingActivities } from '../../activities/core/waiting';

/** On the queue of the workflow itself: whoever drives it can write the store. */
export const { noteWaiting } = proxyActivities<ReturnType<typeof createWaitingActivities>>({
  startToCloseTimeout: '30s',
  retry: { initialInterval: '1s', maximumInterval: '1m' },
  priority: { priorityKey: 1 },
});
