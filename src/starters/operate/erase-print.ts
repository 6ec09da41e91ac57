import type { Client } from '@temporalio/client';
import { allKinds } from '../../store/erasure/catalog';
import { byKind, type ErasedObject } from '../../store/erasure/draft';
import { objectsOf, type ErasureRecord, type JobRuns } from '../../store/erasure/erasures';
import type { ErasurePlan, ErasureTarget, UndecidedAttempt } from '../../store/erasure/plan';
import { jobOfSender } from '../jobs/named-job';
import { counted } from '../jobs/text';
import { workflowIdOf, type Words } from '../../domain/job';
import { kindWord } from '../../report/words';
import { exitCodes, print, printJson, printNote, say, screenReader } from '../cli/terminal';
import { runningIds, runsOf } from '../../temporal/job-runs';

/** Sum of the plans of one command. */
export interface PlanSummary {
  target: ErasureTarget;
  jobs: { id: string; whole: boolean }[];
  rows: number;
  /** Their ids. */
  workflows: Set<string>;
  doubtful: number;
  objects: (ErasedObject & { holds: Words })[];
  /** What prevents the erasure, and how to proceed. */
  refusals: Words[];
}

export async function summaryOf(
  client: Client,
  target: ErasureTarget,
  plans: AsyncIterable<ErasurePlan>,
): Promise<PlanSummary> {
  const jobs = new Map<string, boolean>();
  const workflows = new Set<string>();
  const refusals = new Map<string, Words>();
  let [rows, doubtful, objects]: [number, number, ErasedObject[]] = [0, 0, []];
  for await (const plan of plans) {
    rows += plan.rows;
    doubtful += plan.doubtful;
    objects = byKind([...objects, ...plan.draft.objects.values()]);
    for (const { id, whole } of plan.jobs) jobs.set(id, whole);
    const runs = await runsOfPlan(client, plan);
    for (const { workflowId } of runs.closed) workflows.add(workflowId);
    for (const refusal of refusalsOf(plan, runs)) refusals.set(refusal[0], refusal);
  }
  const shown = allKinds().flatMap(({ kind, holds }) =>
    objects.filter((one) => one.kind === kind).map((one) => ({ ...one, holds })),
  );
  const all = [...jobs].map(([id, whole]) => ({ id, whole }));
  return {
    target,
    jobs: all,
    rows,
    workflows,
    doubtful,
    objects: shown,
    refusals: [...refusals.values()],
  };
}

export function showDryRun(summary: PlanSummary, json: boolean): number {
  const { refusals, workflows } = summary;
  const exitCode = refusals.length === 0 ? exitCodes.done : exitCodes.failed;
  if (json) {
    printJson({
      dryRun: true,
      exitCode,
      ...summary,
      objects: summary.objects.map((one) => ({ ...one, holds: one.holds[0] })),
      refusals: refusals.map(([en]) => en),
      workflows: workflows.size,
    });
    return exitCode;
  }
  for (const line of planLines(summary)) print(line);
  for (const refusal of refusals) print(`${say('refused', 'recusado')}: ${say(...refusal)}`);
  print(say('nothing was changed', 'nada foi alterado'));
  return exitCode;
}

export function planLines({ jobs, rows, workflows, doubtful, objects }: PlanSummary): string[] {
  const lines = [
    say(
      `would erase ${counted(rows, 'row')} in ${counted(jobs.length, 'job')}, ${counted(workflows.size, 'workflow')}`,
      `eliminaria linhas: ${rows}, de trabalhos: ${jobs.length}, workflows: ${workflows.size}`,
    ),
    ...jobs
      .slice(0, 20)
      .map(
        ({ id, whole }) =>
          `  ${whole ? say('whole  ', 'inteiro ') : say('in part', 'em parte')}  ${id}`,
      ),
  ];
  if (jobs.length > 20)
    lines.push(say(`  and ${jobs.length - 20} more`, `  e mais ${jobs.length - 20}`));
  const { language } = screenReader();
  const line = (what: string, ...cells: (number | string)[]): string =>
    `  ${what.padEnd(24)}${cells.map((cell) => String(cell).padStart(9)).join(' ')}`;
  if (objects.length > 0)
    lines.push(say(line('what', 'removed', 'emptied'), line('o quê', 'apagados', 'esvaziados')));
  for (const { kind, holds, removed, emptied } of objects)
    lines.push(`${line(kindWord(kind, language), removed, emptied)}  ${say(...holds)}`);
  if (doubtful > 0)
    lines.push(
      say(
        `${counted(doubtful, 'purchase')} of before the store was restored: may have been made again since`,
        `compras de antes da restauração, que podem ter sido feitas de novo depois: ${doubtful}`,
      ),
    );
  return lines;
}

/** Another job may have stored something meanwhile, which is not erased: the command says so, and fails. */
export function showDone(
  done: readonly { key: string; record: ErasureRecord }[],
  auditHead: string,
  left: number,
  json: boolean,
): number {
  const exitCode = left === 0 ? exitCodes.done : exitCodes.failed;
  const last = done.at(-1);
  if (json && last !== undefined) {
    const keys = done.map(({ key }) => key);
    const rows = done.reduce((sum, { record }) => sum + record.rows, 0);
    const objects = objectsOf(done.flatMap(({ record }) => record.objects));
    printJson({
      exitCode,
      found: true,
      ...last.record,
      key: last.key,
      keys,
      rows,
      objects,
      auditHead,
    });
  }
  for (const { record, key } of json ? [] : done) {
    const { rows, objects, workflows } = record;
    const count = objectsOf(objects);
    print(
      say(
        `erased ${counted(rows, 'row')}, ${counted(count, 'object')}, ${counted(workflows.length, 'workflow')}`,
        `eliminados: linhas: ${rows}, objetos: ${count}, workflows: ${workflows.length}`,
      ),
    );
    print(`${say('record', 'registro')}: ${key}`);
    for (const line of backupLines(record)) print(line);
  }
  if (!json) {
    print(`${say('audit head', 'último registro de auditoria')}: ${auditHead}`);
    print(
      say(
        'result folders and copies are outside the store: not reached',
        'pastas de resultado e cópias ficam fora do armazenamento: não são alcançadas',
      ),
    );
  }
  if (left > 0)
    printNote(
      say(
        `${counted(left, 'object')} came meanwhile: run the same command again`,
        `objetos que chegaram nesse meio-tempo: ${left}; execute o mesmo comando de novo`,
      ),
    );
  return exitCode;
}

function backupLines({ backups }: ErasureRecord): string[] {
  const here = backups.filter(({ isAway }) => !isAway);
  const last = here
    .map(({ until }) => until ?? say('they are removed', 'serem apagadas'))
    .toSorted()
    .at(-1);
  const away = backups.filter(({ isAway }) => isAway);
  return [
    ...here
      .slice(-1)
      .map(() =>
        say(
          `${counted(here.length, 'backup')} hold it until ${last}: a restore erases it again`,
          `cópias de segurança que ainda o contêm: ${here.length}, até ${last}; uma restauração o elimina de novo`,
        ),
      ),
    ...away.map(({ path, at }) =>
      say(
        `the backup of ${at} is not at ${path} any more: where it is, it still holds it`,
        `a cópia de ${at} não está mais em ${path}: onde estiver, ainda o contém`,
      ),
    ),
  ];
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
