import type { createProfileActivities } from '../../activities/profiles/profiles';
import { jobActivities } from '../core/job-activities';

export function profileActivities(queueSuffix: string, interactive: boolean) {
  type Activities = ReturnType<typeof createProfileActivities>;
  return jobActivities<Activities>('investigation', queueSuffix, interactive);
}
