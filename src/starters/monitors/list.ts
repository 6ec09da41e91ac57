import { Command } from 'commander';
import { scheduleIdOf } from '../../domain/monitors/watch';
import type { EngineClient } from '../../temporal/connection';
import { durationWords, watchInputOf } from './schedule';
import { healthLines, monitorLines, passesOf } from './outcome';
import { counted, printable } from '../jobs/text';
import { print, printJson, tell } from '../cli/terminal';
import { openContext, withEngine, type CommandContext } from '../jobs/context';

/** A schedule as a person reads it. */
export interface ScheduleView {
  id: string;
  name: string;
  every: string;
  monitors: number;
  paused: boolean;
  /** Instants; null: none. */
  next: string | null;
  last: string | null;
  /** Workflow ids of passes under way. */
  running: string[];
  /** Of the windows that came: those in which a pass was still under way, and those missed. */
  skipped: number;
  missed: number;
  /** Of the last look at each monitor. */
  lookedAt: string | null;
  open: number;
  failing: { monitorId: string; why: string }[];
  blocked: { monitorId: string; why: string }[];
  /** Whether they may run is not known. */
  unknown: { monitorId: string; why: string }[];
  /** They may run, and the service's own looks at them fail. */
  unwell: { monitorId: string; why: string }[];
  /** What their last sweeps left. */
  left: { monitorId: string; why: string }[];
}

/** `diligence monitor list`. */
export function listCommand(): Command {
  return new Command('list')
    .description('Show the schedules: next and last pass, what runs, what is open, what fails.')
    .option('--json', 'one JSON document on standard output')
    .action(async ({ json }: { json?: true }) => {
      const place = await openContext(tell);
      const views = await withEngine(place, (engine) => scheduleViews(place, engine));
      if (json === true) printJson(views);
      else if (views.length === 0) print('nothing is scheduled (`diligence monitor schedule`)');
      for (const view of json === true ? [] : views) {
        for (const line of viewLines(view)) print(printable(line));
      }
    });
}

async function scheduleViews(
  place: CommandContext,
  { client }: EngineClient,
): Promise<ScheduleView[]> {
  const prefix = scheduleIdOf('');
  const views: ScheduleView[] = [];
  for await (const { scheduleId } of client.schedule.list()) {
    if (!scheduleId.startsWith(prefix)) continue;
    const described = await client.schedule.getHandle(scheduleId).describe();
    const input = watchInputOf(described);
    if (input === null) continue;
    const { info, spec, state } = described;
    const { list } = input;
    const passes = await passesOf(place, list.name, list.pages);
    views.push({
      id: scheduleId,
      name: list.name,
      every: durationWords(spec.intervals?.[0]?.every ?? 0),
      monitors: list.monitors,
      paused: state.paused,
      next: state.paused ? null : instantOf(info.nextActionTimes[0]),
      last: instantOf(info.recentActions.at(-1)?.takenAt),
      running: info.runningActions.map(({ workflow }) => workflow.workflowId),
      skipped: info.numActionsSkippedOverlap,
      missed: info.numActionsMissedCatchupWindow,
      lookedAt:
        passes
          .map(({ at }) => at)
          .sort()
          .at(-1) ?? null,
      open: passes.reduce((sum, { open }) => sum + open.length, 0),
      failing: passes.flatMap(({ failing }) => failing),
      blocked: passes.flatMap(({ blocked }) => blocked),
      unknown: passes.flatMap(({ unknown }) => unknown ?? []),
      unwell: passes.flatMap(({ unwell }) => unwell ?? []),
      left: passes.flatMap(({ left }) => left ?? []),
    });
  }
  return views.sort((a, b) => a.name.localeCompare(b.name));
}

/** A schedule, its last look, and what stands out in it. */
export function viewLines(view: ScheduleView): string[] {
  const { name, monitors, every, paused, next, last, running, open, failing, blocked, unknown } =
    view;
  const when = paused ? 'paused' : `next ${next ?? 'unknown'}`;
  const missed = view.missed === 0 ? '' : `, ${view.missed} windows missed`;
  return [
    `${name}  ${counted(monitors, 'monitor')} every ${every}  ${when}, last ${last ?? 'never'}`,
    `  ${running.length} passes under way, ${view.skipped} skipped${missed}`,
    view.lookedAt === null
      ? '  nobody has looked yet'
      : `  at ${view.lookedAt}: ${open} with open changes, ${failing.length} failing, ${blocked.length} that may not run, ${unknown.length} of unknown health`,
    ...monitorLines('failing', failing).map((line) => `    ${line}`),
    ...healthLines([view]).map((line) => `    ${line}`),
  ];
}

function instantOf(date: Date | undefined): string | null {
  return date?.toISOString() ?? null;
}
