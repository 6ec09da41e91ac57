import { Command } from 'commander';
import { scheduleIdOf } from '../../domain/monitors/scan';
import { MonitorListRepository } from '../../store/monitors/lists';
import type { EngineClient } from '../../temporal/connection';
import type { Reader } from '../../report/reader';
import { printAs, printNote } from '../cli/terminal';
import { openContext, withEngine, type CommandContext } from '../jobs/context';
import { printable } from '../jobs/text';
import { monitorForms, noteLines } from './outcome-lines';
import { durationWords, scanInputOf } from './schedule';

export type ScheduleView = Awaited<ReturnType<typeof viewsOf>>[number];

export function listCommand(): Command {
  return new Command('list')
    .description('Show the schedules: next and last scan, what runs, what is open, what fails.')
    .option('--json', 'one JSON document on standard output')
    .action(async ({ json }: { json?: true }) => {
      const ctx = await openContext(printNote);
      const views = await withEngine(ctx, (engine) => viewsOf(ctx, engine));
      const none = ctx.reader.say(
        'nothing is scheduled (`diligence monitor schedule`)',
        'nada está agendado (`diligence monitor schedule`)',
      );
      const lines = views.flatMap((view) => viewLines(view, ctx.reader));
      printAs(json, views, lines.length === 0 ? [none] : lines.map(printable));
    });
}

async function viewsOf({ store }: CommandContext, { client }: EngineClient) {
  const lists = new MonitorListRepository(store);
  const views = [];
  for await (const { scheduleId } of client.schedule.list()) {
    if (!scheduleId.startsWith(scheduleIdOf(''))) continue;
    const described = await client.schedule.getHandle(scheduleId).describe();
    const input = scanInputOf(described);
    if (input === null) continue;
    const { info, spec, state } = described;
    const pages = await lists.scans(input.list.name);
    const instants = pages.map(({ at }) => at).sort();
    views.push({
      id: scheduleId,
      name: input.list.name,
      every: durationWords(spec.intervals?.[0]?.every ?? 0),
      monitors: input.list.monitors,
      paused: state.paused,
      /** Instants; null: none. */
      next: state.paused ? null : instantOf(info.nextActionTimes[0]),
      last: instantOf(info.recentActions.at(-1)?.takenAt),
      /** Workflow ids of scans. */
      running: info.runningActions.map(({ workflow }) => workflow.workflowId),
      /** Windows, since a scan was still running, or the server was away. */
      skipped: info.numActionsSkippedOverlap,
      missed: info.numActionsMissedCatchupWindow,
      scannedAt: instants.at(-1) ?? null,
      open: pages.reduce((sum, { open }) => sum + open.length, 0),
      notes: pages.flatMap(({ notes }) => notes),
    });
  }
  return views.sort((a, b) => a.name.localeCompare(b.name));
}

export function viewLines(view: ScheduleView, reader: Reader): string[] {
  const { name, monitors, every, paused, next, last, running, open, notes } = view;
  const { count, formats, say } = reader;
  const instant = (at: string): string => say(at, formats.instant(at));
  const when = paused
    ? say('paused', 'pausado')
    : say(`next ${next ?? 'unknown'}`, `próxima: ${next === null ? '-' : instant(next)}`);
  const before = say(`last ${last ?? 'never'}`, `última: ${last === null ? '-' : instant(last)}`);
  const missed =
    view.missed === 0
      ? ''
      : say(`, ${view.missed} windows missed`, `, horários perdidos: ${view.missed}`);
  const { scannedAt, skipped } = view;
  return [
    `${name}  ${count(monitors, ...monitorForms)} ${say('every', 'a cada')} ${every}  ${when}, ${before}`,
    `  ${say(
      `${running.length} scans under way, ${skipped} skipped`,
      `consultas em andamento: ${running.length}, puladas: ${skipped}`,
    )}${missed}`,
    scannedAt === null
      ? say('  not scanned yet', '  ainda não consultado')
      : say(
          `  at ${scannedAt}: ${open} with open changes`,
          `  em ${instant(scannedAt)}, com alterações em aberto: ${open}`,
        ),
    ...noteLines(notes, reader).map((line) => `    ${line}`),
  ];
}

function instantOf(date: Date | undefined): string | null {
  return date?.toISOString() ?? null;
}
