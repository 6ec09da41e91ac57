import { continueAsNew } from '@temporalio/workflow';
import type { ChildCounts } from '../domain/core/job-batch';
import { jobRef, kindFacts, type JobKind } from '../domain/job';
import { ChildJobs } from './core/child-jobs';
import { jobBatchActivities } from './core/job-batch-activities';
import { startJob } from './core/start-job';
import type { JobBatchInput } from './inputs';

/** Many jobs of one kind, each under its own id. @returns counts of their outcomes; the outcomes are in the store */
export async function jobBatch(input: JobBatchInput): Promise<ChildCounts> {
  const { batchId, queueSuffix } = input;
  const kind = kindFacts[input.kind].rows as JobKind;
  const { namesItself, service } = kindFacts[kind];
  const jobs = new ChildJobs(input, {
    activities: jobBatchActivities(service, queueSuffix),
    start: ({ jobId, terms }, deadlineAt) =>
      startJob(
        kind,
        jobId,
        { ...terms, ref: jobRef(jobId), deadlineAt, interactive: false, queueSuffix },
        namesItself === true ? jobId : batchId,
      ),
    continueAsNew: (carryover) => continueAsNew<typeof jobBatch>({ ...input, carryover }),
  });
  return jobs.drive();
}
