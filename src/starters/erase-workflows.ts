import type { WorkflowRun } from '../store/erasure/erasures';
import type { UnsettledSubject } from '../store/erasure/jobs';
import type { ErasurePlan } from '../store/erasure/plan';
import type { EngineClient } from '../temporal/connection';
import { isNotFound } from './workplace';

/** Runs of workflows of jobs: those that have ended, and ids of those that have not. */
export interface RunsFound {
  closed: WorkflowRun[];
  running: string[];
}

/** Lanes, decisions and their lanes, behind the id of a job. */
const ofWork = /^(?:\/decision-\d+)?(?:\/(?:decision-\d+-)?lane-\d+)?$/;

/** The workflow of an issuance, an analysis or a batch of them leaves out the instant that its jobs end with. */
export function workflowIdOf(jobId: string): string {
  const [kind = '', ...rest] = jobId.split('/');
  const segments = {
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
  return segments === undefined ? jobId : [kind, ...rest.slice(0, segments)].join('/');
}

/**
 * Every run that the engine knows of jobs. What the list calls running is asked again: it may lag.
 */
export async function runsOf(engine: EngineClient, jobIds: readonly string[]): Promise<RunsFound> {
  const found: RunsFound = { closed: [], running: [] };
  const ids = new Set(jobIds.map(workflowIdOf));
  // Grows while it is walked.
  for (const id of ids) {
    const query = `WorkflowId STARTS_WITH ${JSON.stringify(id)}`;
    for await (const run of engine.client.workflow.list({ query })) {
      const { workflowId, runId, status, parentExecution } = run;
      if (!workflowId.startsWith(id) || !ofWork.test(workflowId.slice(id.length))) continue;
      // A batch of jobs has their outcomes in its history.
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

/** Sentences that say what is in the way of an erasure, and what to do about it. */
export async function refusalsOf(
  engine: EngineClient,
  plan: ErasurePlan,
  { running }: RunsFound,
): Promise<string[]> {
  if (plan.target.kind === 'age') {
    // A decision about an old job may be under way.
    const all = [...(await runningIds(engine))];
    const ids = plan.jobs.map(({ id }) => workflowIdOf(id));
    return ids
      .filter((id) => all.some((one) => one === id || one.startsWith(`${id}/`)))
      .map(runningSentence);
  }
  const busy = new Set(running.map(jobOf));
  const interrupted = plan.jobs.filter(
    ({ whole, ended, id }) => !whole && !ended && !busy.has(workflowIdOf(id)),
  );
  return [
    ...[...busy].map(runningSentence),
    ...interrupted.map(
      ({ id }) =>
        `${id} was interrupted and has rows of it: start it again and let it end, or erase it as a whole first (\`diligence erase --job ${id}\`)`,
    ),
    ...new Set(plan.unsettled.map((one) => unsettledSentence(one, plan))),
  ];
}

function runningSentence(id: string): string {
  return `${id} is still running: wait until it has ended, or \`diligence cancel ${id}\` first`;
}

/** The batch or issuance that a lane or decision belongs to. */
function jobOf(workflowId: string): string {
  return workflowId.replace(/(?:\/decision-\d+)?(?:\/(?:decision-\d+-)?lane-\d+)?$/, '');
}

function unsettledSentence({ state, folders }: UnsettledSubject, { jobs }: ErasurePlan): string {
  if (state.kind === 'in_flight') {
    return `a request is on its way: try again after ${new Date(state.answerBy).toISOString()}`;
  }
  const analysis = folders.find((folder) => folder.startsWith('analyses/'));
  if (analysis !== undefined) {
    return `an upload has an unknown outcome, and what fences it off would be lost: decide first (\`diligence credit resolve ${analysis.replace('analyses/', 'credit/')} --action abandon --note "..."\`, or watch, adopt)`;
  }
  const owner = state.owner === null ? null : jobOf(state.owner.workflowId);
  const isKnown = jobs.some(({ id }) => workflowIdOf(id) === owner);
  const first = folders.map((folder) => workflowIdOf(folder.slice('works/'.length)))[0];
  const id = isKnown ? owner : (first ?? 'ID');
  return `a request has an unknown outcome, and what fences it off would be lost: decide first (\`diligence certificate resolve --batch ${id} --status unknown_outcome --action abandon --note "..."\`, or watch, adopt)`;
}

/** Ids of every job and decision that runs, as the engine lists them. */
async function runningIds(engine: EngineClient): Promise<Set<string>> {
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
