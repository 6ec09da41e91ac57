import type { createExtractActivities } from '../../activities/extracts/extracts';
import { jobActivities } from '../core/job-activities';

export function extractActivities(queueSuffix: string, interactive: boolean) {
  type Activities = ReturnType<typeof createExtractActivities>;
  return jobActivities<Activities>('investigation', queueSuffix, interactive);
}
