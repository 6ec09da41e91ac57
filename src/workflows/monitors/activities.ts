import { proxyActivities } from '@temporalio/workflow';
import type { createMonitorProbeActivities } from '../../activities/monitors/probe-monitors';
import type { createMonitorReconcileActivities } from '../../activities/monitors/reconcile';
import type { createMonitorSweepActivities } from '../../activities/monitors/sweep-pages';
import { queueName } from '../../domain/core/queues';

type Activities = ReturnType<typeof createMonitorProbeActivities> &
  ReturnType<typeof createMonitorReconcileActivities> &
  ReturnType<typeof createMonitorSweepActivities>;

/** The activities of monitors; all are idempotent and may be retried. @param interactive a person waits */
export function monitorActivities(queueSuffix: string, interactive: boolean) {
  return proxyActivities<Activities>({
    taskQueue: queueName('investigation', queueSuffix),
    startToCloseTimeout: '30m',
    heartbeatTimeout: '20s',
    // The next sweep does what fails here.
    retry: { initialInterval: '1s', maximumInterval: '30s', maximumAttempts: 10 },
    priority: { priorityKey: interactive ? 1 : 3 },
  });
}
