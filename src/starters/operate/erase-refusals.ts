import type { Client } from '@temporalio/client';
import type { JobRuns } from '../../store/erasure/erasures';
import type { UnsettledSubject } from '../../store/erasure/jobs';
import type { ErasurePlan } from '../../store/erasure/plan';
import { runningIds, workflowIdOf } from '../../temporal/job-runs';

/** Sentences that say what is in the way of an erasure, and what to do about it. */
export function refusalsOf(plan: ErasurePlan, { running }: JobRuns): string[] {
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

/** Sentences about those of old jobs about which a decision is under way. */
export async function runningAmong(client: Client, jobIds: readonly string[]): Promise<string[]> {
  const all = [...(await runningIds(client))];
  return jobIds
    .map(workflowIdOf)
    .filter((id) => all.some((one) => one === id || one.startsWith(`${id}/`)))
    .map(runningSentence);
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
