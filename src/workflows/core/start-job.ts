import {
  ParentClosePolicy,
  startChild,
  type ChildWorkflowHandle,
  type Workflow,
} from '@temporalio/workflow';
import type { WorkflowKind } from '../../domain/core/search-attributes';
import { kindFacts, workflowIdOf, type JobKind } from '../../domain/job';
import { attributesAtStart } from './search-attributes';

/**
 * Starts a child job. It outlives its parent: requests already sent are completed.
 *
 * @param listedUnder the job that its search attributes name
 */
export function startJob(
  kind: JobKind,
  jobId: string,
  input: object,
  listedUnder = jobId,
): Promise<ChildWorkflowHandle<Workflow>> {
  return startChild(kindFacts[kind].workflow ?? '', {
    workflowId: workflowIdOf(jobId),
    args: [input],
    typedSearchAttributes: attributesAtStart(kind as WorkflowKind, listedUnder),
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    parentClosePolicy: ParentClosePolicy.ABANDON,
  });
}
