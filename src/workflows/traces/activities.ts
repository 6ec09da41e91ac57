import type { createTraceActivities } from '../../activities/traces/traces';
import { jobActivities } from '../core/job-activities';

export function traceActivities(queueSuffix: string, interactive: boolean) {
  type Activities = ReturnType<typeof createTraceActivities>;
  return jobActivities<Activities>('investigation', queueSuffix, interactive);
}
