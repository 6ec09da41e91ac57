import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { kindFacts, workflowIdOf } from '../domain/job';
import type { JobRuns, WorkflowRun } from '../store/erasure/erasures';
import { isGrpcStatus } from './grpc-status';

/** Workflow executions of jobs: what an erasure waits for, and deletes. */

/** Suffix of lanes, resolutions and their lanes after the id of a job. */
const ofJob = /^(?:\/decision-\d+)?(?:\/(?:decision-\d+-)?lane-\d+)?$/;

/** Kinds whose rows are jobs. */
const batches = new Set(
  Object.entries(kindFacts).flatMap(([kind, { rows }]) => (rows === undefined ? [] : [kind])),
);

/** All executions of jobs. The list may lag: running ones are checked again. */
export async function runsOf(client: Client, jobIds: readonly string[]): Promise<JobRuns> {
  const found: JobRuns = { closed: [], running: [] };
  const ids = new Set(jobIds.map(workflowIdOf));
  // Grows during the loop.
  for (const id of ids) {
    const query = `WorkflowId STARTS_WITH ${JSON.stringify(id)}`;
    for await (const run of client.workflow.list({ query })) {
      const { workflowId, runId, status, parentExecution } = run;
      if (!workflowId.startsWith(id) || !ofJob.test(workflowId.slice(id.length))) continue;
      // A batch of jobs has their outcomes in its history.
      const parent = parentExecution?.workflowId ?? '';
      if (batches.has(parent.split('/')[0] ?? '')) ids.add(parent);
      const runs = status.name === 'RUNNING' && (await isRunning(client, { workflowId, runId }));
      if (runs) found.running.push(workflowId);
      else found.closed.push({ workflowId, runId });
    }
    // A new one may be missing in the list.
    if (!found.running.includes(id) && (await isRunning(client, { workflowId: id }))) {
      found.running.push(id);
    }
  }
  return found;
}

/** Ids of all running jobs and resolutions in Temporal's list. */
export async function runningIds(client: Client): Promise<Set<string>> {
  const ids = new Set<string>();
  const query = "ExecutionStatus = 'Running'";
  for await (const { workflowId } of client.workflow.list({ query })) ids.add(workflowId);
  return ids;
}

/** Deletes closed executions: a running one would be terminated by it. */
export async function deleteRuns(client: Client, runs: readonly WorkflowRun[]): Promise<void> {
  const { namespace } = client.options;
  for (const workflowExecution of runs) {
    await client.workflowService
      .deleteWorkflowExecution({ namespace, workflowExecution })
      .catch((error: unknown) => {
        if (!isGrpcStatus(error, 'notFound')) throw error;
      });
  }
}

async function isRunning(
  client: Client,
  { workflowId, runId }: { workflowId: string; runId?: string },
): Promise<boolean> {
  try {
    const { status } = await client.workflow.getHandle(workflowId, runId).describe();
    return status.name === 'RUNNING';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
