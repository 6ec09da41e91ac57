import { ParentClosePolicy, continueAsNew, startChild } from '@temporalio/workflow';
import type { ChildCounts } from '../domain/core/job-batch';
import { kindFacts, workflowIdOf } from '../domain/job';
import type { WorkflowKind } from '../domain/core/search-attributes';
import { ChildJobs } from './core/child-jobs';
import { jobBatchActivities } from './core/job-batch-activities';
import { attributesAtStart } from './core/search-attributes';
import type { JobBatchInput } from './inputs';

/** Many jobs of one kind, each under its own id. @returns counts of their outcomes; the outcomes are in the store */
export async function jobBatch(input: JobBatchInput): Promise<ChildCounts> {
  const { batchId, kind: batchKind, queueSuffix } = input;
  const { rows } = kindFacts[batchKind];
  if (rows === undefined) throw new RangeError(`${batchKind}: its rows are no jobs`);
  const { namesItself, queue, ref, workflow } = rows;
  const kind = rows.kind as WorkflowKind;
  const jobs = new ChildJobs(input, {
    activities: jobBatchActivities(queue, queueSuffix),
    start: ({ jobId, terms }, deadlineAt) =>
      startChild<(input: object) => Promise<{ status: string }>>(workflow, {
        workflowId: workflowIdOf(jobId),
        args: [{ ...terms, ref: ref(jobId), deadlineAt, interactive: false, queueSuffix }],
        typedSearchAttributes: attributesAtStart(kind, namesItself === true ? jobId : batchId),
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        // Requests already sent are completed even if the batch is terminated.
        parentClosePolicy: ParentClosePolicy.ABANDON,
      }),
    continueAsNew: (carryover) => continueAsNew<typeof jobBatch>({ ...input, carryover }),
  });
  return jobs.drive();
}
