import {
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
  type ScheduleDescription,
  type ScheduleHandle,
  type ScheduleOptions,
} from '@temporalio/client';
import { Command, InvalidArgumentError, Option } from 'commander';
import { watchEntry } from '../../domain/monitors/audit';
import type { SweepTerms } from '../../domain/monitors/sweep';
import { listNamePattern, scheduleIdOf } from '../../domain/monitors/watch';
import { queueName } from '../../domain/core/queues';
import { MonitorListRepository, type MonitorList } from '../../store/monitors/lists';
import type { EngineClient } from '../../temporal/connection';
import { refuseMissingSearchAttributes } from '../../temporal/search-attributes';
import type { MonitorWatchInput } from '../../workflows/messages';
import type { monitorWatch } from '../../workflows/monitors/monitor-watch';
import { attributesAtStart } from '../../workflows/core/search-attributes';
import { withActor } from '../cli/flags';
import { monitorIdsOf, monitorsOption, termOptions, termsOf, type SweepFlags } from './ids';
import { CommandError } from '../jobs/errors';
import { counted } from '../jobs/text';
import { durationMs, exitCodes, namedOnce, print, printJson, tell } from '../cli/terminal';
import { openContext, warnWithoutPollers, withEngine, type CommandContext } from '../jobs/context';

const shortestEveryMs = 10_000;
const longestEveryMs = 30 * 86_400_000;

interface ScheduleFlags extends SweepFlags {
  every: number;
  monitors: string;
  name: string;
  by?: string;
  json?: true;
}

interface NamedFlags {
  name?: string;
  by?: string;
  json?: true;
}

/** What differs between what a schedule was and what it is now. */
interface ScheduleChange {
  field: string;
  before: string;
  after: string;
}

/** `diligence monitor schedule`. */
export function scheduleCommand(): Command {
  const command = withActor(new Command('schedule'))
    .description('Sweep monitors day and night; asked for again, the schedule is changed.')
    .addOption(
      new Option('--every <duration>', 'between two passes, like 15m')
        .argParser(everyMs)
        .makeOptionMandatory(),
    )
    .addOption(monitorsOption())
    .addOption(nameOption())
    .option('--json', 'one JSON document on standard output')
    .action(async (flags: ScheduleFlags) => {
      const ids = await monitorIdsOf(flags.monitors);
      process.exitCode = await schedule(ids, flags);
    });
  for (const option of termOptions()) command.addOption(option);
  return command;
}

/** `diligence monitor unschedule`, `pause`, `resume`. */
export function scheduleOrders(): Command[] {
  return [
    orderCommand('unschedule', 'End a schedule; what is on file stays.', async (handle) => {
      const input = watchInputOf(await handle.describe());
      await handle.delete();
      const told = 'is scheduled no more; a pass under way goes on to its end';
      // Nobody looks any more whether a window is over.
      if (input === null || input.terms.cooldownMs === null) return told;
      return `${told}. What its cooldown holds back is told by \`diligence monitor sweep\` of its monitors`;
    }),
    orderCommand('pause', 'Begin no new pass until `resume`.', async (handle) => {
      const { state } = await handle.describe();
      if (state.paused) return 'was paused already';
      await handle.pause();
      return 'is paused; a pass under way goes on to its end';
    }),
    orderCommand('resume', 'Go on after `pause`.', async (handle) => {
      const { state } = await handle.describe();
      if (!state.paused) return 'was not paused';
      await handle.unpause();
      return 'goes on';
    }),
  ];
}

export function nameOption(): Option {
  return new Option('--name <name>', 'of the schedule').argParser(listName).default('default');
}

async function schedule(ids: readonly string[], flags: ScheduleFlags): Promise<number> {
  const place = await openContext(tell, flags.by);
  const { name, every } = flags;
  const terms = termsOf(flags);
  return withEngine(place, async (engine) => {
    await refuseMissingSearchAttributes(engine);
    const lists = new MonitorListRepository(place.store);
    const list = await lists.put(name, ids);
    const by = place.environment.actor;
    const details = { everyMs: every, monitors: list.monitors, edition: list.edition };
    await place.audit.append([watchEntry('schedule', { name, by }, details, Date.now())]);
    const options = scheduleOptions(place, list, every, terms);
    const changes = await createOrUpdate(engine, options, lists);
    await warnWithoutPollers(engine, place, 'monitors');
    const id = options.scheduleId;
    if (flags.json === true) {
      const created = changes === null;
      printJson({ id, created, changes: changes ?? [], monitors: list.monitors });
    } else {
      for (const line of changeLines(id, list, every, changes)) print(line);
    }
    return exitCodes.done;
  });
}

type WatchSchedule = ScheduleOptions & {
  scheduleId: string;
  policies: { overlap: ScheduleOverlapPolicy; catchupWindow: number; pauseOnFailure: boolean };
};

function scheduleOptions(
  { queueSuffix, environment }: CommandContext,
  list: MonitorList,
  every: number,
  terms: SweepTerms,
): WatchSchedule {
  const scheduleId = scheduleIdOf(list.name);
  const input: MonitorWatchInput = {
    list,
    by: environment.actor,
    terms,
    reconcileAll: false,
    interactive: false,
    queueSuffix,
    carried: null,
  };
  return {
    scheduleId,
    // So that many schedules do not march in step.
    spec: { intervals: [{ every }], jitter: Math.min(Math.round(every / 10), 5 * 60_000) },
    action: {
      type: 'startWorkflow',
      workflowType: 'monitorWatch',
      workflowId: scheduleId,
      taskQueue: queueName('workflows', queueSuffix),
      args: [input] satisfies Parameters<typeof monitorWatch>,
      typedSearchAttributes: attributesAtStart('monitor-watch', scheduleId),
    },
    policies: {
      // A pass that outlives its interval is not overtaken: the next one finds what is open.
      overlap: ScheduleOverlapPolicy.SKIP,
      catchupWindow: Math.max(10_000, 2 * every),
      pauseOnFailure: false,
    },
  };
}

/** @returns what was changed; null when there was none */
async function createOrUpdate(
  { client }: EngineClient,
  options: WatchSchedule,
  lists: MonitorListRepository,
): Promise<ScheduleChange[] | null> {
  try {
    const created = await client.schedule.create(options);
    // At its creation it could be begun only as one that others may overlap.
    await created.trigger(ScheduleOverlapPolicy.SKIP);
    return null;
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
  }
  const handle = client.schedule.getHandle(options.scheduleId);
  const before = await handle.describe();
  const changes = await differences(before, options, lists);
  if (changes.length > 0) {
    const { spec, action, policies } = options;
    // Paused stays paused.
    await handle.update(({ state }) => ({
      spec,
      action: action as never,
      state,
      policies,
    }));
  }
  return changes;
}

async function differences(
  before: ScheduleDescription,
  { spec, action, policies }: WatchSchedule,
  lists: MonitorListRepository,
): Promise<ScheduleChange[]> {
  const was = watchInputOf(before);
  const [input] = action.args as [MonitorWatchInput];
  const everyBefore = before.spec.intervals?.[0]?.every ?? 0;
  const every = Number(spec.intervals?.[0]?.every ?? 0);
  const pairs: [string, string, string][] = [
    ['every', durationWords(everyBefore), durationWords(every)],
    ['severity', severityWords(was?.terms), severityWords(input.terms)],
    ['order', was?.terms.order ?? '?', input.terms.order],
    ['cooldown', cooldownWords(was?.terms), cooldownWords(input.terms)],
    ['by', was?.by ?? '?', input.by],
    ['queue', before.action.taskQueue, action.taskQueue],
    ['overlap', String(before.policies.overlap), String(policies.overlap)],
  ];
  // With another interval these are others of themselves.
  if (every === everyBefore) pairs.push(...timingPairs(before, { spec, policies }));
  const changes = pairs
    .filter(([, from, to]) => from !== to)
    .map(([field, from, to]) => ({ field, before: from, after: to }));
  if (was?.list.edition === input.list.edition) return changes;
  return [...changes, await listChange(was?.list ?? null, input.list, lists)];
}

/** What somebody may have changed by other means. */
function timingPairs(
  { spec, policies }: ScheduleDescription,
  now: Pick<WatchSchedule, 'spec' | 'policies'>,
): [string, string, string][] {
  return [
    ['jitter', durationWords(spec.jitter ?? 0), durationWords(Number(now.spec.jitter ?? 0))],
    ['catch-up', durationWords(policies.catchupWindow), durationWords(now.policies.catchupWindow)],
    ['pause on failure', String(policies.pauseOnFailure), String(now.policies.pauseOnFailure)],
  ];
}

async function listChange(
  before: MonitorWatchInput['list'] | null,
  after: MonitorWatchInput['list'],
  lists: MonitorListRepository,
): Promise<ScheduleChange> {
  const was = new Set(before === null ? [] : await allIds(lists, before));
  const is = new Set(await allIds(lists, after));
  const added = [...is].filter((id) => !was.has(id)).length;
  const removed = [...was].filter((id) => !is.has(id)).length;
  return {
    field: 'monitors',
    before: String(was.size),
    after: `${is.size} (${added} added, ${removed} removed)`,
  };
}

async function allIds(
  lists: MonitorListRepository,
  list: MonitorWatchInput['list'],
): Promise<string[]> {
  const ids: string[] = [];
  for (let page = 0; page < list.pages; page += 1) ids.push(...(await lists.page(list, page)));
  return ids;
}

/** What a schedule starts its passes with; null for one that is not ours. */
export function watchInputOf({ action }: ScheduleDescription): MonitorWatchInput | null {
  const [input] = (action.args ?? []) as (MonitorWatchInput | undefined)[];
  return input?.list === undefined ? null : input;
}

function changeLines(
  id: string,
  list: MonitorList,
  every: number,
  changes: ScheduleChange[] | null,
): string[] {
  const what = `${counted(list.monitors, 'monitor')} every ${durationWords(every)}`;
  if (changes === null) return [`${id}: created, ${what}; the first pass begins now`];
  if (changes.length === 0) return [`${id}: as it was, ${what}`];
  return [
    `${id}: changed, ${what}`,
    ...changes.map(({ field, before, after }) => `  ${field}: ${before} -> ${after}`),
  ];
}

function orderCommand(
  order: 'unschedule' | 'pause' | 'resume',
  description: string,
  give: (handle: ScheduleHandle) => Promise<string>,
): Command {
  return withActor(new Command(order))
    .description(description)
    .argument('[name]', 'of the schedule (default: default)', listName)
    .option('--name <name>', 'the same as the argument', listName)
    .option('--json', 'one JSON document on standard output')
    .action(async (argument: string | undefined, flags: NamedFlags) => {
      const pair = { flagName: '--name', what: 'schedules' };
      const name = namedOnce(argument, flags.name, pair) ?? 'default';
      const place = await openContext(tell, flags.by);
      await withEngine(place, async ({ client }) => {
        const id = scheduleIdOf(name);
        const handle = client.schedule.getHandle(id);
        try {
          await handle.describe();
          const by = place.environment.actor;
          await place.audit.append([watchEntry(order, { name, by }, {}, Date.now())]);
          const told = await give(handle);
          if (flags.json === true) printJson({ id, told });
          else print(`${id} ${told}`);
        } catch (error) {
          if (!(error instanceof ScheduleNotFoundError)) throw error;
          throw new CommandError(
            `there is no schedule of the name ${name} (\`diligence monitor list\` shows them)`,
          );
        }
      });
    });
}

function everyMs(text: string): number {
  const ms = durationMs(text);
  if (ms >= shortestEveryMs && ms <= longestEveryMs) return ms;
  throw new InvalidArgumentError('Expected 10s to 30d.');
}

function listName(text: string): string {
  if (listNamePattern.test(text) && text !== 'by-hand') return text;
  throw new InvalidArgumentError(
    'Expected a name of small letters, digits and hyphens, at most 40, other than by-hand.',
  );
}

export function durationWords(ms: number): string {
  for (const [unit, size] of [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['m', 60_000],
  ] as const) {
    if (ms >= size && ms % size === 0) return `${ms / size}${unit}`;
  }
  return `${ms / 1_000}s`;
}

function severityWords(terms: SweepTerms | undefined): string {
  if (terms === undefined) return '?';
  return terms.severities === null ? 'all' : terms.severities.join(', ');
}

function cooldownWords(terms: SweepTerms | undefined): string {
  if (terms === undefined) return '?';
  return terms.cooldownMs === null ? 'none' : durationWords(terms.cooldownMs);
}
