import { proxyActivities } from '@temporalio/workflow';
import type { createLensArtifactActivities } from '../../activities/lens/artifacts';
import type { createLensActivities } from '../../activities/lens/lens';
import { queueName } from '../../domain/core/queues';
import { jobActivities } from '../core/job-activities';
import type { JobWorkflowInput } from '../inputs';

type Activities = ReturnType<typeof createLensActivities> &
  ReturnType<typeof createLensArtifactActivities>;

export function lensActivities(input: JobWorkflowInput) {
  /** One read; without a response the last observed status stays. */
  const { lookAtLens } = proxyActivities<Activities>({
    taskQueue: queueName('investigation', input.queueSuffix),
    startToCloseTimeout: '1m',
    scheduleToCloseTimeout: '2m',
    priority: { priorityKey: 1 },
  });
  return { ...jobActivities<Activities>('investigation', input), lookAtLens };
}
