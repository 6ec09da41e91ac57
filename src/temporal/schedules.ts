import {
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
  type Client,
  type WorkflowStartOptions,
} from '@temporalio/client';

type Attributes = Pick<WorkflowStartOptions, 'typedSearchAttributes'>;

export interface WantedSchedule extends Attributes {
  scheduleId: string;
  workflowType: string;
  input: object;
  taskQueue: string;
  /** Milliseconds, as all of them. */
  every: number;
  offset?: number;
  /** Spreads the starts of many schedules. */
  jitter?: number;
  /** A server that was not running then catches up within it. */
  catchupWindow: number;
  /** The first starts as soon as it is created. */
  atOnce?: true;
}

/** Creates or updates a schedule; a paused one stays paused. @returns whether it is new */
export async function putSchedule(
  { schedule }: Client,
  { scheduleId, every, offset, jitter, catchupWindow, atOnce, input, ...how }: WantedSchedule,
): Promise<boolean> {
  const options = {
    spec: {
      intervals: [{ every, ...(offset !== undefined && { offset }) }],
      ...(jitter !== undefined && { jitter }),
    },
    action: { type: 'startWorkflow' as const, workflowId: scheduleId, args: [input], ...how },
    // One longer than its interval is not overtaken: the next one finds what is open.
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow, pauseOnFailure: false },
  };
  try {
    await schedule.create({ scheduleId, ...options });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    await schedule
      .getHandle(scheduleId)
      .update(({ state }) => ({ ...options, action: options.action as never, state }));
    return false;
  }
  // Triggered by the creation itself, it could overlap others.
  if (atOnce === true) await schedule.getHandle(scheduleId).trigger(ScheduleOverlapPolicy.SKIP);
  return true;
}

/** @returns whether it existed */
export async function deleteSchedule({ schedule }: Client, scheduleId: string): Promise<boolean> {
  try {
    await schedule.getHandle(scheduleId).delete();
    return true;
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error;
    return false;
  }
}
