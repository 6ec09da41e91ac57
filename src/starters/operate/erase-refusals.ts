import type { Client } from '@temporalio/client';
import type { JobRuns } from '../../store/erasure/erasures';
import type { UndecidedAttempt } from '../../store/erasure/plan';
import type { ErasurePlan } from '../../store/erasure/plan';
import { workflowIdOf, type Words } from '../../domain/job';
import { runningIds, runsOf } from '../../temporal/job-runs';
import { jobOfSender } from '../jobs/named-job';

/** Executions that an erasure waits for, and those that it deletes; erasure by age deletes none. */
export async function runsOfPlan(client: Client, { request, jobs }: ErasurePlan): Promise<JobRuns> {
  const ids = jobs.map(({ id }) => id);
  if (request.kind !== 'age') return runsOf(client, ids);
  const all = [...(await runningIds(client))];
  const isRunning = (id: string): boolean =>
    all.some((one) => one === id || one.startsWith(`${id}/`));
  return { closed: [], running: ids.map(workflowIdOf).filter(isRunning) };
}

/** What prevents an erasure, and how to proceed. */
export function refusalsOf({ jobs, undecided }: ErasurePlan, { running }: JobRuns): Words[] {
  const busy = new Set(running.map(jobOfSender));
  const interrupted = jobs.filter(
    ({ whole, ended, id }) => !whole && !ended && !busy.has(workflowIdOf(id)),
  );
  return [
    ...[...busy].map((id): Words => [
      `${id} is still running: wait until it has ended, or \`diligence cancel ${id}\` first`,
      `${id} está em andamento: aguarde o seu fim, ou antes \`diligence cancel ${id}\``,
    ]),
    ...interrupted.map(({ id }): Words => [
      `${id} was interrupted and has rows of it: start it again and let it end, or erase it as a whole first (\`diligence erase --job ${id}\`)`,
      `${id} foi interrompido e tem linhas do titular: inicie-o de novo e deixe-o terminar, ou elimine-o antes por inteiro (\`diligence erase --job ${id}\`)`,
    ]),
    ...undecided.map((one) => undecidedSentence(one, jobs)),
  ];
}

function undecidedSentence(
  { subject, workflowId, answerBy }: UndecidedAttempt,
  jobs: ErasurePlan['jobs'],
): Words {
  if (answerBy !== null) {
    const after = new Date(answerBy).toISOString();
    return [
      `a request is on its way: try again after ${after}`,
      `há um pedido em curso: tente de novo depois de ${after}`,
    ];
  }
  const ids = jobs.map(({ id }) => id);
  const analysis = ids.find((id) => id.startsWith(`${workflowId}/`));
  const owners = ids.map(workflowIdOf);
  const decidedOn = jobOfSender(workflowId).replace(/\/decision-\d+$/, '');
  const owner = owners.find((id) => id === decidedOn);
  const job = owner ?? owners.find((id) => id.startsWith('certificate')) ?? 'ID';
  const command = subject.startsWith('credit/')
    ? `resolve ${analysis ?? 'ID'}`
    : `resolve ${job} --status unknown_outcome`;
  return [
    `a request has an unknown outcome, and what fences it off would be lost: resolve it first (\`diligence ${command} --action abandon --note "..."\`, or watch, adopt)`,
    `um pedido tem resultado desconhecido, e a proteção contra uma segunda cobrança se perderia: resolva-o antes (\`diligence ${command} --action abandon --note "..."\`, ou watch, adopt)`,
  ];
}
