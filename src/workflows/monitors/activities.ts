import { proxyActivities } from '@temporalio/workflow';
import type { createMonitorLookActivities } from '../../activities/monitors/looks';
import type { createMonitorNoteActivities } from '../../activities/monitors/notes';
import type { createMonitorReconcileActivities } from '../../activities/monitors/reconciles';
import type { createMonitorStuckActivities } from '../../activities/monitors/stuck';
import type { createMonitorSweepActivities } from '../../activities/monitors/sweeps';
import { queueName } from '../../domain/core/queues';

/**
 * The activities of monitors with their timeouts. All of them may go again: what they did is on file.
 *
 * @param interactive a person waits
 */
export function monitorActivities(queueSuffix: string, interactive: boolean) {
  const common = {
    taskQueue: queueName('investigation', queueSuffix),
    heartbeatTimeout: '20s',
    // What a sweep cannot do now, the next one does.
    retry: { initialInterval: '1s', maximumInterval: '30s', maximumAttempts: 10 },
    priority: { priorityKey: interactive ? 1 : 3 },
  } as const;
  const { sweepPage } = proxyActivities<ReturnType<typeof createMonitorSweepActivities>>({
    ...common,
    startToCloseTimeout: '15m',
  });
  const { lookAtMonitors } = proxyActivities<ReturnType<typeof createMonitorLookActivities>>({
    ...common,
    startToCloseTimeout: '15m',
  });
  const { reconcilePages, concludeReconcile } = proxyActivities<
    ReturnType<typeof createMonitorReconcileActivities>
  >({ ...common, startToCloseTimeout: '30m' });
  const { tellStuck } = proxyActivities<ReturnType<typeof createMonitorStuckActivities>>({
    ...common,
    startToCloseTimeout: '5m',
  });
  const { noteSweeps } = proxyActivities<ReturnType<typeof createMonitorNoteActivities>>({
    ...common,
    startToCloseTimeout: '5m',
  });
  return { sweepPage, lookAtMonitors, reconcilePages, concludeReconcile, tellStuck, noteSweeps };
}
