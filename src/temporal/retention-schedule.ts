import type { Client } from '@temporalio/client';
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
    workflowType: 'applyRetention',
    input: { terms },
    taskQueue,
    every: oneDayMs,
    offset: hour,
    catchupWindow: oneDayMs,
  });
}
