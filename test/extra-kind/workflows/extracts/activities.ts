import type { createExtractActivities } from '../../activities/extracts/extracts';
import { jobActivities } from '../core/job-activities';
import type { JobWorkflowInput } from '../inputs';

export function extractActivities(input: JobWorkflowInput) {
  return jobActivities<ReturnType<typeof createExtractActivities>>('investigation', input);
}
