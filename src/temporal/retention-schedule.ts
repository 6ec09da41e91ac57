import {
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
  type Client,
} from '@temporalio/client';
import { retentionScheduleId, type RetentionTerm } from '../domain/core/retention';

const oneDayMs = 86_400_000;
/** 03:00 UTC, midnight in Brazil. */
const hour = 3 * 3_600_000;

/**
 * Makes the schedule that applies the terms once a day what they say; without any, there is none. One that
 * somebody has paused stays so.
 */
export async function keepRetentionSchedule(
  { schedule }: Client,
  taskQueue: string,
  terms: readonly RetentionTerm[],
): Promise<void> {
  const handle = schedule.getHandle(retentionScheduleId);
  if (terms.length === 0) {
    await handle.delete().catch((error: unknown) => {
      if (!(error instanceof ScheduleNotFoundError)) throw error;
    });
    return;
  }
  const wanted = {
    spec: { intervals: [{ every: oneDayMs, offset: hour }] },
    action: {
      type: 'startWorkflow' as const,
      workflowType: 'applyRetention',
      workflowId: retentionScheduleId,
      taskQueue,
      args: [{ terms }],
    },
    // An engine that was not running then makes up for it when it starts.
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: oneDayMs },
  };
  try {
    await schedule.create({ scheduleId: retentionScheduleId, ...wanted });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    await handle.update(({ state }) => ({ ...wanted, state }));
  }
}
