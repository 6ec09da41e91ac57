import {
  ScheduleNotFoundError,
  WorkflowUpdateFailedError,
  type WorkflowExecutionDescription,
} from '@temporalio/client';
import { exitCodeOf } from '../../domain/attention';
import { sweepEnd, watchEnd } from '../../domain/job-ends';
import { isUuid } from '../../domain/core/uuid';
import { watchEntry } from '../../domain/monitors/audit';
import { healthRemarks } from '../../domain/monitors/health';
import type { HealthOnFile } from '../../domain/monitors/kept';
import { sweepWorkflowId, type SweepOutcome } from '../../domain/monitors/sweep';
import { scheduleIdOf, type PassOnFile, type WatchOutcome } from '../../domain/monitors/watch';
import { ChangeQueries, type ChangesOnFile } from '../../store/monitors/change-queries';
import { MonitorListRepository } from '../../store/monitors/lists';
import { MonitorRepository } from '../../store/monitors/monitors';
import {
  UnreadableItemRepository,
  type UnreadableItem,
} from '../../store/monitors/unreadable-items';
import type { EngineClient } from '../../temporal/connection';
import { cancelUpdate, type SweepProgress, type WatchProgress } from '../../workflows/messages';
import {
  healthLines,
  passesOf,
  sweepLines,
  sweepProgress,
  sweepProgressLine,
  watchLines,
  watchProgress,
  watchProgressLine,
} from './outcome';
import { CommandError, UsageError } from '../jobs/errors';
import { counted, printable } from '../jobs/text';
import { print, printJson, tell } from '../cli/terminal';
import { refuseCertificateFlags, type OrderName, type WorkFamily } from '../cli/work-family';
import { isNotFound, withEngine, type CommandContext } from '../jobs/context';

/** A sweep or a watch, as `status`, `result` and `cancel` are given it. */
export type MonitorWork =
  | { kind: 'monitor-sweep'; id: string; monitorId: string }
  /** `id`: of the workflow, or of the schedule, whose last pass is meant. */
  | { kind: 'monitor-watch'; id: string; list: string };

/** More of them are told as a count. */
const mostNamed = 20;

/**
 * By the id of a monitor, the id that `monitor sweep` prints, the name of a pass (as marks on file
 * have it), or the id of a schedule or of one of its passes. Null: an id of another kind.
 */
export function monitorWorkOf(id: string): MonitorWork | null {
  const [, monitorId = ''] = /^(?:monitor-sweep\/)?([\w-]+)(?:\/\d{8}T\d+Z)?$/.exec(id) ?? [];
  if (isUuid(monitorId)) {
    const lower = monitorId.toLowerCase();
    return { kind: 'monitor-sweep', id: sweepWorkflowId(lower), monitorId: lower };
  }
  const watch =
    /^monitor-watch\/(by-hand(?=\/)|[a-z0-9-]+?)(?:\/[0-9a-f]+|-\d{4}-\d\d-\d\dT[\d:.]+Z)?$/;
  const [, list] = watch.exec(id) ?? [];
  return list === undefined ? null : { kind: 'monitor-watch', id, list };
}

/** How the engine knows a workflow: it runs, has its outcome, was ended from outside, or not at all. */
type Sight<Outcome> =
  | { state: 'running' }
  | { state: 'ended'; outcome: Outcome }
  | { state: 'broken off' }
  | { state: 'not known' };

/** `status` of a sweep or of a watch. */
async function showMonitorWorkStatus(
  place: CommandContext,
  work: MonitorWork,
  json: boolean,
): Promise<void> {
  const view = await withEngine<SweepView | WatchView>(place, (engine) =>
    work.kind === 'monitor-sweep' ? viewSweep(place, engine, work) : viewWatch(place, engine, work),
  );
  if (json) {
    printJson(view);
    return;
  }
  const lines = view.kind === 'monitor-sweep' ? sweepViewLines(view) : watchViewLines(view);
  for (const line of lines) print(printable(line));
}

interface SweepView {
  id: string;
  kind: 'monitor-sweep';
  monitorId: string;
  state: Sight<unknown>['state'];
  progress: SweepProgress | null;
  outcome: SweepOutcome | null;
  /** Of all sweeps of the monitor. */
  changes: ChangesOnFile;
  /** Items of its list that are no changes as far as they can be read, as they came. */
  unreadable: UnreadableItem[];
  health: HealthOnFile | null;
  next: string | null;
}

async function viewSweep(
  place: CommandContext,
  engine: EngineClient,
  { id, monitorId }: Extract<MonitorWork, { kind: 'monitor-sweep' }>,
): Promise<SweepView> {
  const { sight } = await sightOf<SweepOutcome>(engine, id);
  const progress = sight.state === 'running' ? await sweepProgress(engine, id) : null;
  const { idKey } = place;
  const { store } = place;
  const nameOf = (text: string): string => idKey.nameOf('document', text);
  const { sinks } = place.environment.monitorSinks;
  const required = sinks.filter((sink) => sink.required).map(({ name }) => name);
  const changes = await new ChangeQueries(store).standing(monitorId, mostNamed, required);
  const health = (await new MonitorRepository(store, nameOf).get(monitorId))?.health ?? null;
  if (sight.state === 'not known' && changes.filed === 0 && health === null) {
    throw new CommandError(
      `nothing is known of ${monitorId}: no sweep of it in the engine, no change of it on file`,
    );
  }
  return {
    id,
    kind: 'monitor-sweep',
    monitorId,
    state: sight.state,
    progress,
    outcome: sight.state === 'ended' ? sight.outcome : null,
    changes,
    unreadable: await new UnreadableItemRepository(store, nameOf).of(monitorId),
    health,
    next: wayOnOf(sight.state, `monitor sweep --monitors ${monitorId}`),
  };
}

interface WatchView {
  id: string;
  kind: 'monitor-watch';
  list: string;
  state: Sight<unknown>['state'];
  progress: WatchProgress | null;
  outcome: WatchOutcome | null;
  /** Ids of sweeps that it has under way. */
  sweeps: string[];
  /** Monitors that had something open when this pass looked at them. */
  open: string[];
  failing: PassOnFile['failing'];
  blocked: PassOnFile['blocked'];
  unknown: NonNullable<PassOnFile['unknown']>;
  unwell: NonNullable<PassOnFile['unwell']>;
  /** What sweeps left, of this pass or of earlier ones. */
  left: NonNullable<PassOnFile['left']>;
  next: string | null;
}

async function viewWatch(
  place: CommandContext,
  engine: EngineClient,
  work: Extract<MonitorWork, { kind: 'monitor-watch' }>,
): Promise<WatchView> {
  const id = await passIdOf(engine, work);
  const { sight, described } = await sightOf<WatchOutcome>(engine, id);
  if (sight.state === 'not known') throw new CommandError(`no pass ${id} in the engine`);
  const passes = await passesOfWatch(place, work.list, id);
  return {
    id,
    kind: 'monitor-watch',
    list: work.list,
    state: sight.state,
    progress: sight.state === 'running' ? await watchProgress(engine, id) : null,
    outcome: sight.state === 'ended' ? sight.outcome : null,
    sweeps: sweepsUnder(described),
    open: passes.flatMap(({ open }) => open),
    failing: passes.flatMap(({ failing }) => failing),
    blocked: passes.flatMap(({ blocked }) => blocked),
    unknown: passes.flatMap(({ unknown }) => unknown ?? []),
    unwell: passes.flatMap(({ unwell }) => unwell ?? []),
    left: passes.flatMap(({ left }) => left ?? []),
    next: wayOnOf(sight.state, 'monitor sweep'),
  };
}

/** The looks that this pass took; those of another one of the same list are not its own. */
async function passesOfWatch(
  place: CommandContext,
  list: string,
  id: string,
): Promise<PassOnFile[]> {
  const latest = await new MonitorListRepository(place.store).latest(list);
  const passes = await passesOf(place, list, latest?.pages ?? 0);
  return passes.filter(({ watch }) => watch === id);
}

function sweepsUnder(described: WorkflowExecutionDescription | null): string[] {
  const children = described?.raw.pendingChildren ?? [];
  return children.map(({ workflowId }) => workflowId ?? '').sort();
}

/** Of a schedule: the pass that runs, else the last one. */
async function passIdOf({ client }: EngineClient, { id, list }: { id: string; list: string }) {
  if (id !== scheduleIdOf(list)) return id;
  try {
    const { info } = await client.schedule.getHandle(id).describe();
    const last = info.runningActions.at(-1)?.workflow ?? info.recentActions.at(-1)?.action.workflow;
    if (last !== undefined) return last.workflowId;
    throw new CommandError(`${id} has made no pass yet (\`diligence monitor list\`)`);
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error;
    throw new CommandError(`there is no schedule ${id} (\`diligence monitor list\` shows them)`);
  }
}

async function sightOf<Outcome>(
  { client }: EngineClient,
  id: string,
): Promise<{ sight: Sight<Outcome>; described: WorkflowExecutionDescription | null }> {
  const handle = client.workflow.getHandle(id);
  try {
    const described = await handle.describe();
    const status = described.status.name;
    if (status === 'RUNNING') return { sight: { state: 'running' }, described };
    if (status !== 'COMPLETED') return { sight: { state: 'broken off' }, described };
    const outcome = (await handle.result()) as Outcome;
    return { sight: { state: 'ended', outcome }, described };
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return { sight: { state: 'not known' }, described: null };
  }
}

function wayOnOf(state: Sight<unknown>['state'], command: string): string | null {
  if (state === 'running' || state === 'ended') return null;
  const why =
    state === 'broken off'
      ? 'it was ended in the engine before its end; what is on file stays'
      : 'the engine knows no sweep of it (any more)';
  return `${why}: \`diligence ${command}\` goes on with what is open`;
}

function sweepViewLines(view: SweepView): string[] {
  const { id, state, progress, outcome, changes, unreadable, health, next } = view;
  const { filed, open, stuck } = changes;
  return [
    `${id}: ${state}${outcome === null ? '' : ` ${outcome.endedAt}`}`,
    ...(progress === null ? [] : [`  ${sweepProgressLine(progress)}`]),
    ...(state === 'running' && progress === null ? ['  no worker tells how far'] : []),
    ...(outcome === null ? [] : sweepLines(outcome).map((line) => `  ${line}`)),
    `  on file: ${counted(filed, 'change')}, ${open} of them not acknowledged${stuck === 0 ? '' : `, ${stuck} stuck`}`,
    ...namedLines(
      changes.named.map(({ changeId, trouble: { step, why, count } }) => {
        return `stuck: ${changeId}: ${step}: ${why} (tries: ${count})`;
      }),
      stuck,
    ),
    ...namedLines(
      unreadable.map(({ sum, why, count, at }) => {
        return `cannot be read: item ${sum} of the list: ${why} (since ${at}, sweeps: ${count})`;
      }),
    ),
    ...healthRemarks(health).map((remark) => `  ${remark}`),
    ...(next === null ? [] : [`  ${next}`]),
  ];
}

function watchViewLines(view: WatchView): string[] {
  const { id, state, progress, outcome, sweeps, open, failing, blocked, next } = view;
  const named = (what: string, of: PassOnFile['failing']): string[] =>
    namedLines(of.map(({ monitorId, why }) => `${what}: ${monitorId}: ${why}`));
  return [
    `${id}: ${state}${outcome === null ? '' : ` ${outcome.endedAt}`}`,
    ...(progress === null ? [] : [`  ${watchProgressLine(progress)}`]),
    ...(state === 'running' && progress === null ? ['  no worker tells how far'] : []),
    ...(outcome === null ? [] : watchLines(outcome).map((line) => `  ${line}`)),
    `  when looked at: ${open.length} with open changes, ${failing.length} failing, ${blocked.length} that may not run`,
    ...named('failing', failing),
    ...healthLines([view]).map((line) => `    ${line}`),
    ...namedLines(sweeps.map((sweep) => `under way: ${sweep}`)),
    ...(next === null ? [] : [`  ${next}`]),
  ];
}

function namedLines(lines: readonly string[], all = lines.length): string[] {
  const shown = lines.slice(0, mostNamed).map((line) => `    ${line}`);
  return all > shown.length ? [...shown, `    and ${all - shown.length} more`] : shown;
}

/** `result` of a sweep or of a watch. Returns the exit code that its command ended with. */
async function showMonitorWork(
  place: CommandContext,
  work: MonitorWork,
  { out, json }: { out?: string; json?: true },
): Promise<number> {
  if (out !== undefined) {
    throw new UsageError(
      `--out: a sweep has no result folder (\`diligence monitor changes\` and \`monitor report\` write what is on file)`,
    );
  }
  return withEngine(place, async (engine) => {
    if (work.kind === 'monitor-sweep') {
      const outcome = outcomeOf(work.id, (await sightOf<SweepOutcome>(engine, work.id)).sight);
      const exitCode = exitCodeOf('monitor-sweep', sweepEnd(outcome));
      if (json === true) printJson({ id: work.id, exitCode, outcome });
      else for (const line of sweepLines(outcome)) print(printable(line));
      return exitCode;
    }
    const id = await passIdOf(engine, work);
    const outcome = outcomeOf(id, (await sightOf<WatchOutcome>(engine, id)).sight);
    const exitCode = exitCodeOf('monitor-watch', watchEnd(outcome));
    const failing = (await passesOfWatch(place, work.list, id)).flatMap((pass) => pass.failing);
    if (json === true) printJson({ id, exitCode, outcome, failing });
    else {
      for (const line of watchLines(outcome)) print(line);
      for (const { monitorId, why } of failing) print(printable(`  ${monitorId}: ${why}`));
    }
    return exitCode;
  });
}

/** @throws CommandError when it has none */
function outcomeOf<Outcome>(id: string, sight: Sight<Outcome>): Outcome {
  switch (sight.state) {
    case 'ended':
      return sight.outcome;
    case 'running':
      throw new CommandError(`${id} has not ended: \`diligence status ${id}\` shows how it stands`);
    case 'broken off':
      throw new CommandError(`${id} was ended in the engine before its end: it has no result`);
    case 'not known':
      throw new CommandError(
        `the engine knows no ${id} (any more): \`diligence monitor changes\` shows what is on file`,
      );
  }
}

/** `cancel`: a sweep ends between two pages, a watch begins no more sweeps. Nothing is lost by it. */
async function orderMonitorWork(
  place: CommandContext,
  work: MonitorWork,
  order: OrderName,
): Promise<void> {
  if (order === 'pause' || order === 'resume') {
    throw new UsageError(
      `a sweep is over soon and cannot be held: \`diligence monitor ${order} [name]\` is for schedules`,
    );
  }
  const now = order === 'cancel_now';
  const by = place.environment.actor;
  await withEngine(place, async (engine) => {
    const isSweep = work.kind === 'monitor-sweep';
    const id = isSweep ? work.id : await passIdOf(engine, work);
    const { sight, described } = await sightOf(engine, id);
    if (sight.state !== 'running') throw new CommandError(notRunning(id, sight.state));
    const name = isSweep ? work.monitorId : work.list;
    await place.audit.appendAndAnchor([watchEntry(order, { name, by }, {}, Date.now())]);
    print(await cancel(engine, id, now));
    if (isSweep) return;
    if (now) await cancelSweeps(engine, sweepsUnder(described));
    if (work.id === scheduleIdOf(work.list)) {
      tell(`its schedule goes on: \`diligence monitor pause ${work.list}\` holds it`);
    }
  });
}

function notRunning(id: string, state: Sight<unknown>['state']): string {
  return state === 'ended'
    ? `${id} has ended: \`diligence result ${id}\` shows how`
    : `${id} does not run`;
}

/** @throws CommandError when it has ended meanwhile */
async function cancel({ client }: EngineClient, id: string, now: boolean): Promise<string> {
  try {
    return await client.workflow.getHandle(id).executeUpdate(cancelUpdate, { args: [{ now }] });
  } catch (error) {
    if (isNotFound(error)) throw new CommandError(notRunning(id, 'ended'));
    if (!(error instanceof WorkflowUpdateFailedError)) throw error;
    throw new CommandError(`${id}: ${error.cause?.message ?? 'refused'}`);
  }
}

/** Each comes to the end of its page. */
async function cancelSweeps(engine: EngineClient, ids: readonly string[]): Promise<void> {
  let told = 0;
  for (const id of ids) {
    const answer = await cancel(engine, id, true).catch((error: unknown) => {
      if (error instanceof CommandError) return null;
      throw error;
    });
    if (answer !== null) told += 1;
  }
  print(`${told} sweeps under way are cancelled, each after its page`);
}

/** @throws CommandError when it is an id of another kind */
function monitorWork(id: string): MonitorWork {
  const work = monitorWorkOf(id);
  if (work === null) throw new CommandError(`${id} is no id of a sweep or of a watch`);
  return work;
}

/** On file are their changes, not they: `list` does not show them. */
export const monitorWorks: WorkFamily = {
  owns: (id) => monitorWorkOf(id) !== null,
  status: (place, id, json) => showMonitorWorkStatus(place, monitorWork(id), json),
  result: async (place, id, options) => {
    refuseCertificateFlags(id, options);
    return showMonitorWork(place, monitorWork(id), options);
  },
  order: (place, id, name) => orderMonitorWork(place, monitorWork(id), name),
};
