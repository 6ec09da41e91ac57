import type { EngineClient } from '../temporal/connection';
import { isNotFound } from './workplace';

/** One run of a workflow that belongs to a work. */
export interface WorkflowRun {
  workflowId: string;
  runId: string;
}

/** Runs of workflows of works: those that have ended, and ids of those that have not. */
export interface RunsFound {
  closed: WorkflowRun[];
  running: string[];
}

/** Lanes, decisions and their lanes, behind the id of a work. */
const ofWork = /^(?:\/decision-\d+)?(?:\/(?:decision-\d+-)?lane-\d+)?$/;

/** The workflow of an issuance, an analysis or a batch of them leaves out the instant that its works end with. */
export function workflowIdOf(workId: string): string {
  const [kind = '', ...rest] = workId.split('/');
  const places = {
    certificate: 2,
    credit: 1,
    'credit-batch': 1,
    dossier: 1,
    lens: 1,
    trace: 1,
    'trace-batch': 1,
    profile: 1,
    'profile-batch': 1,
  }[kind];
  return places === undefined ? workId : [kind, ...rest.slice(0, places)].join('/');
}

/**
 * Every run that the engine knows of works. What the list calls running is asked again: it may lag.
 *
 * @param workIds of batches, single issuances and analyses
 */
export async function runsOf(engine: EngineClient, workIds: readonly string[]): Promise<RunsFound> {
  const found: RunsFound = { closed: [], running: [] };
  const ids = new Set(workIds.map(workflowIdOf));
  // Grows while it is walked.
  for (const id of ids) {
    const query = `WorkflowId STARTS_WITH ${JSON.stringify(id)}`;
    for await (const run of engine.client.workflow.list({ query })) {
      const { workflowId, runId, status, parentExecution } = run;
      if (!workflowId.startsWith(id) || !ofWork.test(workflowId.slice(id.length))) continue;
      // A batch of works has their outcomes in its history.
      const parent = parentExecution?.workflowId ?? '';
      if (/^(?:credit|dossier|trace|profile)-batch\//.test(parent)) ids.add(parent);
      const runs = status.name === 'RUNNING' && (await isRunning(engine, { workflowId, runId }));
      if (runs) found.running.push(workflowId);
      else found.closed.push({ workflowId, runId });
    }
    // One that has only just begun may not be on the list yet.
    if (!found.running.includes(id) && (await isRunning(engine, { workflowId: id }))) {
      found.running.push(id);
    }
  }
  return found;
}

/** Ids of every work and decision that runs, as the engine lists them. */
export async function runningIds(engine: EngineClient): Promise<Set<string>> {
  const ids = new Set<string>();
  for await (const { workflowId } of engine.client.workflow.list({
    query: "ExecutionStatus = 'Running'",
  })) {
    ids.add(workflowId);
  }
  return ids;
}

/** Deletes runs that have ended: a running one would be terminated by it. */
export async function deleteRuns(
  engine: EngineClient,
  runs: readonly WorkflowRun[],
): Promise<void> {
  const { namespace } = engine;
  for (const workflowExecution of runs) {
    await engine.connection.workflowService
      .deleteWorkflowExecution({ namespace, workflowExecution })
      .catch((error: unknown) => {
        if (!isGone(error)) throw error;
      });
  }
}

async function isRunning(
  engine: EngineClient,
  { workflowId, runId }: { workflowId: string; runId?: string },
): Promise<boolean> {
  try {
    const { status } = await engine.client.workflow.getHandle(workflowId, runId).describe();
    return status.name === 'RUNNING';
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

const grpcNotFound = 5;

function isGone(error: unknown): boolean {
  return (error as { code?: unknown }).code === grpcNotFound;
}
