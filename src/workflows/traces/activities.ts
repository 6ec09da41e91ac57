import type { createTraceActivities } from '../../activities/traces/traces';
import { jobActivities } from '../core/job-activities';
import type { JobWorkflowInput } from '../inputs';

export function traceActivities(input: JobWorkflowInput) {
  return jobActivities<ReturnType<typeof createTraceActivities>>('investigation', input);
}
