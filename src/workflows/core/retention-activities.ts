import { proxyActivities } from '@temporalio/workflow';
import type { createRetentionActivities } from '../../activities/core/retention';

/** On the workflow's own queue. All are idempotent and may be retried. */
export function retentionActivities() {
  return proxyActivities<ReturnType<typeof createRetentionActivities>>({
    startToCloseTimeout: '30m',
    heartbeatTimeout: '30s',
    // The next execution does what fails here.
    retry: { initialInterval: '1s', maximumInterval: '1m', maximumAttempts: 10 },
    priority: { priorityKey: 5 },
  });
}
