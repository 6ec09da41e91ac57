import {
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  type Client,
  type ScheduleDescription,
  type ScheduleOptions,
} from '@temporalio/client';

export type WantedSchedule = ScheduleOptions & Pick<ScheduleDescription, 'policies'>;

/** Creates or updates a schedule; a paused one stays paused. @returns whether it is new */
export async function putSchedule({ schedule }: Client, options: WantedSchedule): Promise<boolean> {
  try {
    await schedule.create(options);
    return true;
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
  }
  const { scheduleId, spec, action, policies } = options;
  await schedule
    .getHandle(scheduleId)
    .update(({ state }) => ({ spec, action: action as never, state, policies }));
  return false;
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
