import {
  ScheduleNotFoundError,
  WorkflowUpdateFailedError,
  type WorkflowExecutionDescription,
} from '@temporalio/client';
import { isUuid } from '../../domain/core/uuid';
import { monitorDecisionEntry } from '../../domain/monitors/audit';
import { healthNotes, noteLine } from '../../domain/monitors/health';
import { scheduleIdOf } from '../../domain/monitors/scan';
import { sweepWorkflowId } from '../../domain/monitors/sweep';
import { ChangeQueries } from '../../store/monitors/change-queries';
import { monitorRecords } from '../../store/monitors/records';
import type { EngineClient } from '../../temporal/connection';
import { cancelUpdate } from '../../workflows/messages';
import { print, printJson, tell } from '../cli/terminal';
import type { OrderName, WorkFamily } from '../cli/work-family';
import { isNotFound, withEngine, type CommandContext } from '../jobs/context';
import { CommandError, UsageError } from '../jobs/errors';
import { counted, printable } from '../jobs/text';
import {
  firstOf,
  monitorProgress,
  noteLines,
  outcomeLines,
  printOutcome,
  progressLine,
  scannedBy,
  type MonitorOutcome,
} from './outcome';

/** A sweep or a scan, as `show`, `result` and `cancel` are given it. */
export type MonitorJob =
  | { kind: 'monitor-sweep'; id: string; monitorId: string }
  /** `id`: of the workflow, or of the schedule, whose last scan is meant. */
  | { kind: 'monitor-scan'; id: string; list: string };

/**
 * By the id of a monitor, the id that `monitor sweep` prints, the name of a sweep (as marks in the store
 * have it), or the id of a schedule or of one of its scans. Null: an id of another kind.
 */
export function monitorJobOf(id: string): MonitorJob | null {
  const [, monitorId = ''] = /^(?:monitor-sweep\/)?([\w-]+)(?:\/\d{8}T\d+Z)?$/.exec(id) ?? [];
  if (isUuid(monitorId)) {
    const lower = monitorId.toLowerCase();
    return { kind: 'monitor-sweep', id: sweepWorkflowId(lower), monitorId: lower };
  }
  const scan =
    /^monitor-scan\/(by-hand(?=\/)|[a-z0-9-]+?)(?:\/[0-9a-f]+|-\d{4}-\d\d-\d\dT[\d:.]+Z)?$/;
  const [, list] = scan.exec(id) ?? [];
  return list === undefined ? null : { kind: 'monitor-scan', id, list };
}

/** How the Temporal server knows a workflow. `interrupted`: it was ended from outside. */
interface Sight {
  state: 'running' | 'ended' | 'interrupted' | 'unknown';
  outcome: MonitorOutcome | null;
  /** Ids of its sweeps under way. */
  sweeps: string[];
}

async function sightOf({ client }: EngineClient, id: string): Promise<Sight> {
  const handle = client.workflow.getHandle(id);
  try {
    const described = await handle.describe();
    const sweeps = sweepsUnder(described);
    const { name } = described.status;
    if (name === 'RUNNING') return { state: 'running', outcome: null, sweeps };
    if (name !== 'COMPLETED') return { state: 'interrupted', outcome: null, sweeps };
    return { state: 'ended', outcome: (await handle.result()) as MonitorOutcome, sweeps };
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return { state: 'unknown', outcome: null, sweeps: [] };
  }
}

function sweepsUnder({ raw }: WorkflowExecutionDescription): string[] {
  return (raw.pendingChildren ?? []).map(({ workflowId }) => workflowId ?? '').sort();
}

/** Of a schedule: the scan that runs, else the last one. */
async function workflowIdOf({ client }: EngineClient, job: MonitorJob): Promise<string> {
  const { id } = job;
  if (job.kind === 'monitor-sweep' || id !== scheduleIdOf(job.list)) return id;
  try {
    const { info } = await client.schedule.getHandle(id).describe();
    const last = info.runningActions.at(-1)?.workflow ?? info.recentActions.at(-1)?.action.workflow;
    if (last !== undefined) return last.workflowId;
    throw new CommandError(`${id} has made no scan yet (\`diligence monitor list\`)`);
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error;
    throw new CommandError(`there is no schedule ${id} (\`diligence monitor list\` shows them)`);
  }
}

async function showStatus(ctx: CommandContext, job: MonitorJob, json: boolean): Promise<void> {
  const view = await withEngine(ctx, async (engine) => {
    const id = await workflowIdOf(engine, job);
    const { state, outcome, sweeps } = await sightOf(engine, id);
    const progress = state === 'running' ? await monitorProgress(engine, id) : null;
    const next = nextOf(state, job);
    return { id, kind: job.kind, state, progress, outcome, sweeps, next };
  });
  const { id, state, progress, outcome, sweeps, next } = view;
  const stored =
    job.kind === 'monitor-sweep'
      ? await storedOfMonitor(ctx, job.monitorId)
      : await storedOfScan(ctx, job.list, id);
  if (state === 'unknown' && stored.isEmpty) {
    throw new CommandError(
      `nothing is known of ${job.id}: neither to the Temporal server nor to the store`,
    );
  }
  if (json) return printJson({ ...view, ...stored.view });
  const lines = [
    `${id}: ${state}${outcome === null ? '' : ` ${outcome.endedAt}`}`,
    ...[
      ...(progress === null ? [] : [progressLine(progress)]),
      ...(state === 'running' && progress === null ? ['no worker answers how far it is'] : []),
      ...(outcome === null ? [] : outcomeLines(outcome)),
      ...stored.lines,
      ...firstOf(sweeps.map((sweep) => `under way: ${sweep}`)),
      ...(next === null ? [] : [next]),
    ].map((line) => `  ${line}`),
  ];
  for (const line of lines) print(printable(line));
}

/** What the store says, as JSON and in lines. */
interface Stored {
  view: object;
  lines: string[];
  isEmpty: boolean;
}

/** More of them are told as a count. */
const mostNamed = 20;

/** Of all sweeps of the monitor. */
async function storedOfMonitor(
  { store, idKey, environment }: CommandContext,
  monitorId: string,
): Promise<Stored> {
  const records = monitorRecords(store, (text) => idKey.nameOf('document', text));
  const required = environment.monitorSinks.sinks.filter((sink) => sink.required);
  const names = required.map(({ name }) => name);
  const changes = await new ChangeQueries(store).standing(monitorId, mostNamed, names);
  const unreadable = await records.unreadable.of(monitorId);
  const health = (await records.monitors.get(monitorId))?.health ?? null;
  const { filed, open, stuck, named } = changes;
  const lines = [
    `in the store: ${counted(filed, 'change')}, ${open} of them not acknowledged, ${stuck} undelivered`,
    ...firstOf(
      named.map(({ changeId, trouble: { step, why, count } }) => {
        return `undelivered: ${changeId}: ${step}: ${why} (sweeps: ${count})`;
      }),
      stuck,
    ),
    ...firstOf(
      unreadable.map(({ sum, why, count, at }) => {
        return `cannot be read: item ${sum} of the list: ${why} (since ${at}, sweeps: ${count})`;
      }),
    ),
    ...healthNotes(health).map(noteLine),
  ];
  const isEmpty = filed === 0 && health === null;
  return { view: { monitorId, changes, unreadable, health }, lines, isEmpty };
}

async function storedOfScan(ctx: CommandContext, list: string, id: string): Promise<Stored> {
  const { open, notes } = await scannedBy(ctx, list, id);
  const lines = [`${counted(open.length, 'monitor')} had open changes`, ...noteLines(notes)];
  return { view: { list, open, notes }, lines, isEmpty: open.length + notes.length === 0 };
}

function nextOf(state: Sight['state'], job: MonitorJob): string | null {
  if (state === 'running' || state === 'ended') return null;
  const why =
    state === 'interrupted'
      ? 'it was ended before its end; what is stored stays'
      : 'the Temporal server does not know it (any more)';
  const command = `monitor sweep${job.kind === 'monitor-sweep' ? ` --monitors ${job.monitorId}` : ''}`;
  return `${why}: \`diligence ${command}\` continues with what is open`;
}

/** `result` of a sweep or of a scan. Returns the exit code that its command ended with. */
async function showResult(ctx: CommandContext, job: MonitorJob, json: boolean): Promise<number> {
  return withEngine(ctx, async (engine) => {
    const id = await workflowIdOf(engine, job);
    const { state, outcome } = await sightOf(engine, id);
    if (outcome !== null) return printOutcome(ctx, id, outcome, json);
    if (state === 'running') {
      throw new CommandError(`${id} has not ended: \`diligence show ${id}\` shows how it stands`);
    }
    throw new CommandError(`${id} has no result: ${nextOf(state, job) ?? ''}`);
  });
}

/** `cancel`: a sweep ends between two pages, a scan starts no more sweeps. Nothing is lost by it. */
async function order(ctx: CommandContext, job: MonitorJob, name: OrderName): Promise<void> {
  if (name === 'pause' || name === 'resume') {
    throw new UsageError(
      `a sweep is over soon and cannot be held: \`diligence monitor ${name} [name]\` is for schedules`,
    );
  }
  const now = name === 'cancel_now';
  const by = ctx.environment.actor;
  await withEngine(ctx, async (engine) => {
    const id = await workflowIdOf(engine, job);
    const { state, sweeps } = await sightOf(engine, id);
    if (state !== 'running') throw new CommandError(notRunning(id, state));
    const work = job.kind === 'monitor-sweep' ? `monitor/${job.monitorId}` : scheduleIdOf(job.list);
    await ctx.audit.appendAndAnchor([monitorDecisionEntry(name, { work, by })]);
    print(await cancel(engine, id, now));
    if (job.kind === 'monitor-sweep') return;
    if (now) await cancelSweeps(engine, sweeps);
    if (job.id === scheduleIdOf(job.list)) {
      tell(`its schedule goes on: \`diligence monitor pause ${job.list}\` holds it`);
    }
  });
}

function notRunning(id: string, state: Sight['state']): string {
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
  let cancelled = 0;
  for (const id of ids) {
    try {
      await cancel(engine, id, true);
      cancelled += 1;
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
    }
  }
  print(`${cancelled} sweeps under way are cancelled, each after its page`);
}

/** @throws CommandError when it is an id of another kind */
function jobOf(id: string): MonitorJob {
  const job = monitorJobOf(id);
  if (job === null) throw new CommandError(`${id} is no id of a sweep or of a scan`);
  return job;
}

/** The store has their changes, not them: `list` does not show them. */
export const monitorWorks: WorkFamily = {
  owns: (id) => monitorJobOf(id) !== null,
  status: (ctx, id, json) => showStatus(ctx, jobOf(id), json),
  result: async (ctx, id, options) => {
    if (options.out !== undefined) {
      throw new UsageError(
        `--out: a sweep has no result folder (\`diligence monitor changes\` and \`monitor report\` write what is stored)`,
      );
    }
    return showResult(ctx, jobOf(id), options.json === true);
  },
  order: (ctx, id, name) => order(ctx, jobOf(id), name),
};
