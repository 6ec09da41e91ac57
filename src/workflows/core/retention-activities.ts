import { proxyActivities } from '@temporalio/workflow';
import type { createRetentionActivities } from '../../activities/core/retention';

/** On the queue of the workflow itself. What they did is on record: all of them may go again. */
export function retentionActivities() {
  return proxyActivities<ReturnType<typeof createRetentionActivities>>({
    startToCloseTimeout: '30m',
    heartbeatTimeout: '30s',
    // What cannot be done now, the next run does.
    retry: { initialInterval: '1s', maximumInterval: '1m', maximumAttempts: 10 },
    priority: { priorityKey: 5 },
  });
}
