import { ScheduleOverlapPolicy, type Client } from '@temporalio/client';
import { retentionScheduleId, type RetentionTerm } from '../domain/core/retention';
import { deleteSchedule, putSchedule } from './schedules';

const oneDayMs = 86_400_000;
/** 03:00 UTC, midnight in Brazil. */
const hour = 3 * 3_600_000;

/** Creates, updates or deletes the daily schedule of the retention terms. A paused one stays paused. */
export async function keepRetentionSchedule(
  client: Client,
  taskQueue: string,
  terms: readonly RetentionTerm[],
): Promise<void> {
  if (terms.length === 0) {
    await deleteSchedule(client, retentionScheduleId);
    return;
  }
  await putSchedule(client, {
    scheduleId: retentionScheduleId,
    spec: { intervals: [{ every: oneDayMs, offset: hour }] },
    action: {
      type: 'startWorkflow',
      workflowType: 'applyRetention',
      workflowId: retentionScheduleId,
      taskQueue,
      args: [{ terms }],
    },
    // A server that was not running then catches up when it starts.
    policies: {
      overlap: ScheduleOverlapPolicy.SKIP,
      catchupWindow: oneDayMs,
      pauseOnFailure: false,
    },
  });
}
