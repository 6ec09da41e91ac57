import { temporal } from '@temporalio/proto';
import type { Client } from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';
import { searchAttributes } from '../domain/core/search-attributes';

/** A workflow whose task fails again and again: its history does not fit the code, or the code throws. */
export interface StalledWorkflow {
  workflowId: string;
  workflowType: string;
  /** The job, or the schedule, that it was started for; null when it does not say. */
  jobId: string | null;
  /** Of the task, from 1. */
  attempt: number;
  /** The server's word for what went wrong: `NON_DETERMINISTIC_ERROR`. */
  cause: string;
}

const { WorkflowTaskFailedCause } = temporal.api.enums.v1;
const jobKey = defineSearchAttributeKey('DiligenceBatch', searchAttributes.DiligenceBatch);
/** The first failures of a task may be those of a worker that was restarted. */
const leastAttempt = 3;
/** Workflows of one look; the server is asked once for each. */
const mostOfOneLook = 1_000;

/**
 * Those of a task queue that stand still now. `TemporalReportedProblems` would be one query, but is off by
 * default on server 1.29: each workflow that runs is described.
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

/** The first failure of the task stands in the history, the later ones do not. */
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
