import type { Client } from '@temporalio/client';
import { allKinds } from '../../store/erasure/catalog';
import { byKind, type ErasedObject } from '../../store/erasure/draft';
import { objectsOf, type ErasureRecord } from '../../store/erasure/erasures';
import type { ErasurePlan, ErasureTarget } from '../../store/erasure/plan';
import { refusalsOf, runsOfPlan } from './erase-refusals';
import { counted } from '../jobs/text';
import { exitCodes, print, printJson, printNote } from '../cli/terminal';

/** Of all plans that are one command. */
export interface PlanSummary {
  target: ErasureTarget;
  jobs: { id: string; whole: boolean }[];
  rows: number;
  /** Their ids. */
  workflows: Set<string>;
  doubtful: number;
  objects: (ErasedObject & { holds: string })[];
  /** Sentences that say what is in the way, and what to do about it. */
  refusals: string[];
}

export async function summaryOf(
  client: Client,
  target: ErasureTarget,
  plans: AsyncIterable<ErasurePlan>,
): Promise<PlanSummary> {
  const jobs = new Map<string, boolean>();
  const workflows = new Set<string>();
  const refusals = new Set<string>();
  let [rows, doubtful, objects]: [number, number, ErasedObject[]] = [0, 0, []];
  for await (const plan of plans) {
    rows += plan.rows;
    doubtful += plan.doubtful;
    objects = byKind([...objects, ...plan.draft.objects.values()]);
    for (const { id, whole } of plan.jobs) jobs.set(id, whole);
    const runs = await runsOfPlan(client, plan);
    for (const { workflowId } of runs.closed) workflows.add(workflowId);
    for (const refusal of refusalsOf(plan, runs)) refusals.add(refusal);
  }
  const shown = allKinds().flatMap(({ kind, holds }) =>
    objects.filter((one) => one.kind === kind).map((one) => ({ ...one, holds })),
  );
  const all = [...jobs].map(([id, whole]) => ({ id, whole }));
  return { target, jobs: all, rows, workflows, doubtful, objects: shown, refusals: [...refusals] };
}

export function showDryRun(summary: PlanSummary, json: boolean): number {
  const { refusals, workflows } = summary;
  const exitCode = refusals.length === 0 ? exitCodes.done : exitCodes.failed;
  if (json) {
    printJson({ dryRun: true, exitCode, ...summary, workflows: workflows.size });
    return exitCode;
  }
  for (const line of planLines(summary)) print(line);
  for (const refusal of refusals) print(`refused: ${refusal}`);
  print('nothing was changed');
  return exitCode;
}

export function planLines({ jobs, rows, workflows, doubtful, objects }: PlanSummary): string[] {
  const lines = [
    `would erase ${rows} row(s) in ${jobs.length} job(s), ${workflows.size} workflow(s)`,
    ...jobs.slice(0, 20).map(({ id, whole }) => `  ${whole ? 'whole ' : 'in part'}  ${id}`),
  ];
  if (jobs.length > 20) lines.push(`  and ${jobs.length - 20} more`);
  const line = (what: string, ...cells: (number | string)[]): string =>
    `  ${what.padEnd(17)}${cells.map((cell) => String(cell).padStart(9)).join(' ')}`;
  if (objects.length > 0) lines.push(line('what', 'removed', 'emptied'));
  for (const { kind, holds, removed, emptied } of objects)
    lines.push(`${line(kind, removed, emptied)}  ${holds}`);
  if (doubtful > 0)
    lines.push(
      `${counted(doubtful, 'purchase')} of before the store was restored: may have been made again since`,
    );
  return lines;
}

/** What another job stored meanwhile is still there: the command says so, and fails. */
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
    print(
      `erased ${rows} row(s), ${objectsOf(objects)} object(s), ${workflows.length} workflow(s)`,
    );
    print(`record: ${key}`);
    for (const line of backupLines(record)) print(line);
  }
  if (!json) {
    print(`audit head: ${auditHead}`);
    print('            result folders and copies are outside the store: not reached');
  }
  if (left > 0) printNote(`${left} object(s) came meanwhile: run the same command again`);
  return exitCode;
}

function backupLines({ backups }: ErasureRecord): string[] {
  const here = backups.filter(({ isAway }) => !isAway);
  const last = here
    .map(({ until }) => until ?? 'they are removed')
    .toSorted()
    .at(-1);
  const away = backups.filter(({ isAway }) => isAway);
  return [
    ...here
      .slice(-1)
      .map(
        () => `${counted(here.length, 'backup')} hold it until ${last}: a restore erases it again`,
      ),
    ...away.map(
      ({ path, at }) => `the backup of ${at} is not at ${path} any more: where it is, it holds it`,
    ),
  ];
}
