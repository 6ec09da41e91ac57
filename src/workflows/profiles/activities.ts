import type { createProfileActivities } from '../../activities/profiles/profiles';
import { jobActivities } from '../core/job-activities';
import type { JobWorkflowInput } from '../inputs';

export function profileActivities(input: JobWorkflowInput) {
  return jobActivities<ReturnType<typeof createProfileActivities>>('investigation', input);
}
