import {
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  type Client,
  type ScheduleDescription,
  type ScheduleOptions,
} from '@temporalio/client';

export type WantedSchedule = ScheduleOptions & Pick<ScheduleDescription, 'policies'>;

/** Makes a schedule what it is to be; one that somebody has paused stays so. @returns whether there was none */
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

/** @returns whether there was one */
export async function deleteSchedule({ schedule }: Client, scheduleId: string): Promise<boolean> {
  try {
    await schedule.getHandle(scheduleId).delete();
    return true;
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error;
    return false;
  }
}
