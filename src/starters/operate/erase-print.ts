import type { Client } from '@temporalio/client';
import { allKinds } from '../../store/erasure/catalog';
import { byKind, type ErasedObject } from '../../store/erasure/draft';
import { objectsOf, type ErasureRecord } from '../../store/erasure/erasures';
import type { ErasurePlan, ErasureTarget } from '../../store/erasure/plan';
import { refusalsOf, runsOfPlan } from './erase-refusals';
import { counted } from '../jobs/text';
import type { Words } from '../../domain/job';
import { kindWord } from '../../report/words';
import { exitCodes, print, printJson, printNote, say, screenReader } from '../cli/terminal';

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
