import { proxyActivities } from '@temporalio/workflow';
import type { createWaitingActivities } from '../../activities/core/waiting';

/** On the workflow's own queue: its workers can write the store. */
export const { noteWaiting } = proxyActivities<ReturnType<typeof createWaitingActivities>>({
  startToCloseTimeout: '30s',
  retry: { initialInterval: '1s', maximumInterval: '1m' },
  priority: { priorityKey: 1 },
});
