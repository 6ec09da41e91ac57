import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { kindFacts, workflowIdOf } from '../domain/job';
import type { JobRuns, WorkflowRun } from '../store/erasure/erasures';
import { isGrpcStatus } from './grpc-status';

/** Runs of workflows of jobs: what an erasure waits for, and what it deletes. */

/** Lanes, decisions and their lanes, behind the id of a job. */
const ofJob = /^(?:\/decision-\d+)?(?:\/(?:decision-\d+-)?lane-\d+)?$/;

/** Whose rows are jobs. */
const batches = new Set(
  Object.entries(kindFacts).flatMap(([kind, { rows }]) => (rows === undefined ? [] : [kind])),
);

/**
 * Every run that the engine knows of jobs. What the list calls running is asked again: it may lag.
 */
export async function runsOf(client: Client, jobIds: readonly string[]): Promise<JobRuns> {
  const found: JobRuns = { closed: [], running: [] };
  const ids = new Set(jobIds.map(workflowIdOf));
  // Grows while it is walked.
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
    // One that has only just begun may not be on the list yet.
    if (!found.running.includes(id) && (await isRunning(client, { workflowId: id }))) {
      found.running.push(id);
    }
  }
  return found;
}

/** Ids of every job and decision that runs, as the engine lists them. */
export async function runningIds(client: Client): Promise<Set<string>> {
  const ids = new Set<string>();
  for await (const { workflowId } of client.workflow.list({
    query: "ExecutionStatus = 'Running'",
  })) {
    ids.add(workflowId);
  }
  return ids;
}

/** Deletes runs that have ended: a running one would be terminated by it. */
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
