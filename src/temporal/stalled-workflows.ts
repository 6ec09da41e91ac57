import { temporal } from '@temporalio/proto';
import type { Client } from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';
import { searchAttributes } from '../domain/core/search-attributes';

/** A workflow whose task keeps failing: its history does not fit the code, or the code throws. */
export interface StalledWorkflow {
  workflowId: string;
  workflowType: string;
  /** Its job or schedule; null when its attributes name none. */
  jobId: string | null;
  /** Attempt of the workflow task, from 1. */
  attempt: number;
  /** The server's cause: `NON_DETERMINISTIC_ERROR`. */
  cause: string;
}

const { WorkflowTaskFailedCause } = temporal.api.enums.v1;
const jobKey = defineSearchAttributeKey('DiligenceBatch', searchAttributes.DiligenceBatch);
/** The first failures may be those of a restarted worker. */
const leastAttempt = 3;
/** Maximum workflows per check; one call each. */
const mostOfOneLook = 1_000;

/**
 * The stalled workflows of a task queue. `TemporalReportedProblems` would be one query, but is off by default on server
 * 1.29: each running workflow is described.
 */
export async function stalledWorkflows(
  client: Client,
  taskQueue: string,
): Promise<StalledWorkflow[]> {
  const query = `ExecutionStatus = 'Running' AND TaskQueue = '${taskQueue}'`;
  const found: StalledWorkflow[] = [];
  let looked = 0;
  for await (const one of client.workflow.list({ query })) {
    if (++looked > mostOfOneLook) break;
    const { workflowId, runId, type: workflowType, typedSearchAttributes } = one;
    const execution = { workflowId, runId };
    const { pendingWorkflowTask } = await client.workflowService.describeWorkflowExecution({
      namespace: client.options.namespace,
      execution,
    });
    const attempt = pendingWorkflowTask?.attempt ?? 0;
    if (attempt < leastAttempt) continue;
    const cause = await causeOf(client, execution);
    // Without a failure in its history it waits for a worker.
    if (cause === null) continue;
    found.push({
      workflowId,
      workflowType,
      jobId: typedSearchAttributes.get(jobKey) ?? null,
      attempt,
      cause,
    });
  }
  return found;
}

/** The history has the first failure of the task only. */
async function causeOf(
  client: Client,
  execution: { workflowId: string; runId: string },
): Promise<string | null> {
  const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
    namespace: client.options.namespace,
    execution,
    maximumPageSize: 5,
  });
  for (const { workflowTaskFailedEventAttributes: failed } of history?.events ?? [])
    if (failed != null)
      return WorkflowTaskFailedCause[failed.cause ?? 0]?.replace(
        'WORKFLOW_TASK_FAILED_CAUSE_',
        '',
      ) as string;
  return null;
}
