import { allKinds } from '../store/erasure/catalog';
import type { ErasureRecord, JobRuns } from '../store/erasure/erasures';
import type { ErasurePlan } from '../store/erasure/plan';
import { counted, exitCodes, print, printJson, tell } from './terminal';

export interface FoundPlan {
  plan: ErasurePlan;
  runs: JobRuns;
  /** Sentences that say what is in the way, and what to do about it. */
  refusals: string[];
}

export function showDryRun(found: FoundPlan, json: boolean): number {
  const { refusals } = found;
  const exitCode = refusals.length === 0 ? exitCodes.done : exitCodes.failed;
  if (json) {
    printJson({ dryRun: true, exitCode, ...planDocument(found), refusals });
    return exitCode;
  }
  for (const line of planLines(found)) print(line);
  for (const refusal of refusals) print(`refused: ${refusal}`);
  print('nothing was changed');
  return exitCode;
}

function planDocument({ plan, runs }: FoundPlan) {
  const all = plan.draft.objects((text) => text);
  const objects = allKinds().flatMap(({ kind, holds }) => {
    const its = all.filter((object) => object.kind === kind);
    const sum = (of: 'removed' | 'emptied' | 'bytes'): number =>
      its.reduce((total, object) => total + object[of], 0);
    const counts = { removed: sum('removed'), emptied: sum('emptied'), bytes: sum('bytes') };
    return its.length === 0 ? [] : [{ kind, holds, ...counts }];
  });
  return {
    target: plan.target,
    jobs: plan.jobs.map(({ id, whole }) => ({ id, whole })),
    rows: plan.rows,
    workflows: new Set(runs.closed.map(({ workflowId }) => workflowId)).size,
    bytes: objects.reduce((total, { bytes }) => total + bytes, 0),
    objects,
  };
}

export function planLines(found: FoundPlan): string[] {
  const { jobs, rows, workflows, bytes, objects } = planDocument(found);
  const lines = [
    `would erase ${rows} row(s) in ${jobs.length} job(s), ${workflows} workflow(s), ${bytes} bytes`,
    ...jobs.slice(0, 20).map(({ id, whole }) => `  ${whole ? 'whole ' : 'in part'}  ${id}`),
  ];
  if (jobs.length > 20) lines.push(`  and ${jobs.length - 20} more`);
  const cell = (value: number | string): string => String(value).padStart(9);
  const head = `  ${'what'.padEnd(17)}${['removed', 'emptied', 'bytes'].map(cell).join(' ')}`;
  const table = objects.map(
    ({ kind, holds, removed, emptied, bytes: its }) =>
      `  ${kind.padEnd(17)}${[removed, emptied, its].map(cell).join(' ')}  ${holds}`,
  );
  return objects.length === 0 ? lines : [...lines, head, ...table];
}

/** What another job stored meanwhile is still there: the command says so, and fails. */
export function showDone(
  done: readonly { record: ErasureRecord; key: string }[],
  auditHead: string,
  left: number,
  json: boolean,
): number {
  const exitCode = left === 0 ? exitCodes.done : exitCodes.failed;
  for (const { record, key } of done) {
    const { objects, ...rest } = record;
    if (json && record === done.at(-1)?.record) {
      printJson({ exitCode, found: true, key, ...rest, objects: objects.length, auditHead });
    }
    if (json) continue;
    print(
      `erased ${rest.rows} row(s), ${objects.length} object(s), ${rest.workflows.length} workflow(s)`,
    );
    print(`record: ${key}`);
    for (const line of backupLines(record)) print(line);
  }
  if (!json) {
    print(`audit head: ${auditHead}`);
    print('            result folders and copies are outside the store: not reached');
  }
  if (left > 0) tell(`${left} object(s) came meanwhile: run the same command again`);
  return exitCode;
}

function backupLines({ backups }: ErasureRecord): string[] {
  const here = backups.filter(({ isAway }) => !isAway);
  const [last] = here
    .map(({ until }) => until ?? 'they are removed')
    .toSorted()
    .slice(-1);
  return [
    ...(last === undefined
      ? []
      : [`${counted(here.length, 'backup')} hold it until ${last}: a restore erases it again`]),
    ...backups
      .filter(({ isAway }) => isAway)
      .map(
        ({ path, at }) =>
          `the backup of ${at} is not at ${path} any more: where it is, it holds it`,
      ),
  ];
}
