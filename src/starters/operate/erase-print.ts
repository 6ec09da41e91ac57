import { allKinds } from '../../store/erasure/catalog';
import type { ErasureRecord, JobRuns } from '../../store/erasure/erasures';
import type { ErasurePlan } from '../../store/erasure/plan';
import { counted } from '../jobs/text';
import { exitCodes, print, printJson, tell } from '../cli/terminal';

export interface FoundPlan {
  plan: ErasurePlan;
  runs: JobRuns;
  /** Sentences that say what is in the way, and what to do about it. */
  refusals: string[];
}

/** Of all plans that are one command. */
export interface PlanSummary {
  target: ErasurePlan['target'];
  jobs: Map<string, boolean>;
  rows: number;
  workflows: ReadonlySet<string>;
  objects: Map<string, Record<'removed' | 'emptied' | 'bytes', number>>;
}

export function summaryOf({ plan, runs }: Omit<FoundPlan, 'refusals'>): PlanSummary {
  const { target, draft } = plan;
  const workflows = new Set(runs.closed.map(({ workflowId }) => workflowId));
  const summary: PlanSummary = { target, jobs: new Map(), rows: 0, workflows, objects: new Map() };
  addPlan(summary, plan.jobs, plan.rows, draft);
  return summary;
}

export function addPlan(
  summary: PlanSummary,
  jobs: ErasurePlan['jobs'],
  rows: number,
  draft: ErasurePlan['draft'],
): void {
  summary.rows += rows;
  for (const { id, whole } of jobs) summary.jobs.set(id, whole);
  for (const { kind, removed, emptied, bytes } of draft.objects((text) => text)) {
    const sum = summary.objects.get(kind) ?? { removed: 0, emptied: 0, bytes: 0 };
    sum.removed += removed;
    sum.emptied += emptied;
    sum.bytes += bytes;
    summary.objects.set(kind, sum);
  }
}

export function showDryRun(
  summary: PlanSummary,
  refusals: readonly string[],
  json: boolean,
): number {
  const exitCode = refusals.length === 0 ? exitCodes.done : exitCodes.failed;
  if (json) {
    printJson({ dryRun: true, exitCode, ...planDocument(summary), refusals });
    return exitCode;
  }
  for (const line of planLines(summary)) print(line);
  for (const refusal of refusals) print(`refused: ${refusal}`);
  print('nothing was changed');
  return exitCode;
}

function planDocument({ target, jobs, rows, workflows, objects: sums }: PlanSummary) {
  const objects = allKinds().flatMap(({ kind, holds }) => {
    const counts = sums.get(kind);
    return counts === undefined ? [] : [{ kind, holds, ...counts }];
  });
  return {
    target,
    jobs: [...jobs].map(([id, whole]) => ({ id, whole })),
    rows,
    workflows: workflows.size,
    bytes: objects.reduce((total, { bytes }) => total + bytes, 0),
    objects,
  };
}

export function planLines(summary: PlanSummary): string[] {
  const { jobs, rows, workflows, bytes, objects } = planDocument(summary);
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

/** A record without what may be long. */
export interface DoneErasure {
  key: string;
  record: Omit<ErasureRecord, 'objects'>;
  objects: number;
}

export function doneOf({ record, key }: { record: ErasureRecord; key: string }): DoneErasure {
  const { objects, ...rest } = record;
  return { key, record: rest, objects: objects.length };
}

/** What another job stored meanwhile is still there: the command says so, and fails. */
export function showDone(
  done: readonly DoneErasure[],
  auditHead: string,
  left: number,
  json: boolean,
): number {
  const exitCode = left === 0 ? exitCodes.done : exitCodes.failed;
  const last = done.at(-1);
  if (json && last !== undefined) {
    const keys = done.map(({ key }) => key);
    const rows = done.reduce((sum, { record }) => sum + record.rows, 0);
    const objects = done.reduce((sum, one) => sum + one.objects, 0);
    const { key, record } = last;
    printJson({ exitCode, found: true, key, keys, ...record, rows, objects, auditHead });
  }
  for (const { record, objects, key } of json ? [] : done) {
    const { rows, workflows } = record;
    print(`erased ${rows} row(s), ${objects} object(s), ${workflows.length} workflow(s)`);
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

function backupLines({ backups }: Pick<ErasureRecord, 'backups'>): string[] {
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
