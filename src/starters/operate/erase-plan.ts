import type { Client } from '@temporalio/client';
import { workflowIdOf, type Words } from '../../domain/job';
import { kindWord } from '../../report/words';
import { byKind, type ErasedObject } from '../../store/erasure/draft';
import type { ErasureRecord, JobRuns } from '../../store/erasure/erasures';
import type { ErasurePlan, ErasureTarget, UndecidedAttempt } from '../../store/erasure/plan';
import { runningIds, runsOf } from '../../temporal/job-runs';
import { tableLines } from '../cli/table';
import { say, screenReader } from '../cli/terminal';
import { jobOfSender } from '../jobs/named-job';

export interface PlanSummary {
  target: ErasureTarget;
  jobs: { id: string; whole: boolean }[];
  rows: number;
  workflows: Set<string>;
  objects: ErasedObject[];
  /** What prevents the erasure, and how to proceed. */
  refusals: Words[];
}

export async function summaryOf(
  client: Client,
  target: ErasureTarget,
  plans: AsyncIterable<ErasurePlan>,
): Promise<PlanSummary> {
  const jobs = new Map<string, boolean>();
  const refusals = new Map<string, Words>();
  const sum = { target, rows: 0, workflows: new Set<string>() };
  let objects: ErasedObject[] = [];
  for await (const plan of plans) {
    sum.rows += plan.rows;
    objects = byKind([...objects, ...plan.draft.objects.values()]);
    for (const { id, whole } of plan.jobs) jobs.set(id, whole);
    const runs = await runsOfPlan(client, plan);
    for (const { workflowId } of runs.closed) sum.workflows.add(workflowId);
    for (const refusal of refusalsOf(plan, runs)) refusals.set(refusal[0], refusal);
  }
  const all = [...jobs].map(([id, whole]) => ({ id, whole }));
  return { ...sum, objects, jobs: all, refusals: [...refusals.values()] };
}

export function planLines({ jobs, rows, workflows, objects }: PlanSummary): string[] {
  const { language } = screenReader();
  const heads = [say('what', 'o quê'), say('removed', 'apagados'), say('emptied', 'esvaziados')];
  const cells = objects.map(({ kind, removed, emptied }) => [
    kindWord(kind, language),
    String(removed),
    String(emptied),
  ]);
  return [
    say(
      `would erase: rows ${rows}, jobs ${jobs.length}, workflows ${workflows.size}`,
      `eliminaria: linhas ${rows}, trabalhos ${jobs.length}, workflows ${workflows.size}`,
    ),
    ...jobs.map(({ id, whole }) => `  ${id}${whole ? '' : say(' (in part)', ' (em parte)')}`),
    ...(cells.length === 0 ? [] : tableLines(heads, cells)),
  ];
}

export function backupLines({ backups }: ErasureRecord): string[] {
  return backups.map(({ path, at, until, isAway }) =>
    isAway
      ? say(
          `the backup of ${at} is not at ${path} any more: where it is, it still holds it`,
          `a cópia de ${at} não está mais em ${path}: onde estiver, ainda o contém`,
        )
      : say(
          `the backup at ${path} holds it until ${until ?? 'it is removed'}: a restore erases it again`,
          `a cópia em ${path} o contém até ${until ?? 'ser apagada'}: uma restauração o elimina de novo`,
        ),
  );
}

/** Executions that an erasure waits for, and those that it deletes; erasure by age deletes none. */
export async function runsOfPlan(client: Client, { request, jobs }: ErasurePlan): Promise<JobRuns> {
  const ids = jobs.map(({ id }) => id);
  if (request.kind !== 'age') return runsOf(client, ids);
  const all = [...(await runningIds(client))];
  const isRunning = (id: string): boolean =>
    all.some((one) => one === id || one.startsWith(`${id}/`));
  return { closed: [], running: ids.map(workflowIdOf).filter(isRunning) };
}

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
    ...undecided.map(undecidedWords),
  ];
}

function undecidedWords({ workflowId, answerBy }: UndecidedAttempt): Words {
  if (answerBy !== null) {
    const after = new Date(answerBy).toISOString();
    return [
      `a request is on its way: try again after ${after}`,
      `há um pedido em curso: tente de novo depois de ${after}`,
    ];
  }
  const owner = jobOfSender(workflowId).replace(/\/decision-\d+$/, '');
  const show = `\`diligence inbox show ${owner}\``;
  return [
    `a request has an unknown outcome, and what fences it off would be lost: resolve it first (${show} says how: abandon, watch or adopt)`,
    `um pedido tem resultado desconhecido, e a proteção contra uma segunda cobrança se perderia: resolva-o antes (${show} mostra como: abandon, watch ou adopt)`,
  ];
}
