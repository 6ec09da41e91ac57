import { basename, dirname } from 'node:path';
import { Command } from 'commander';
import { maskDocument } from '../../domain/core/documents';
import { healthNotes, noteLine, type HealthNote } from '../../domain/monitors/health';
import { MonitorSums } from '../../report/monitor-figures';
import { monitorHtml, type MonitorReport } from '../../report/monitor-html';
import { monitorRecords, type MonitorRecords } from '../../store/monitors/records';
import { SinkRepository } from '../../store/monitors/sinks';
import { exitCodes, tell } from '../cli/terminal';
import { refuseUnwritableFile } from '../cli/unwritable-folder';
import { writeWhole } from '../jobs/written-file';
import { openContext, type CommandContext } from '../jobs/context';
import { counted } from '../jobs/text';
import {
  changesOnRecord,
  refuseUnknownMonitors,
  withChangeFlags,
  type ChangeFlags,
} from './changes';

/** Monitors that a report names; all are counted. */
const mostListed = 200;

/** `monitor report`: the stored changes as one page, with the picture over time. */
export function reportCommand(): Command {
  return withChangeFlags(
    new Command('report').description('Write a page about the stored changes, and how they fared.'),
  )
    .requiredOption('--out <file>', 'where to: FILE.html')
    .action(async (flags: ChangeFlags & { out: string }) => {
      process.exitCode = await report(await openContext(tell), flags);
    });
}

async function report(ctx: CommandContext, flags: ChangeFlags & { out: string }): Promise<number> {
  const { out, since, monitor, severity } = flags;
  await refuseUnwritableFile(out);
  await refuseUnknownMonitors(ctx, monitor ?? []);
  const sums = new MonitorSums();
  for await (const { record } of changesOnRecord(ctx, flags)) sums.add(record);
  const sinks = await new SinkRepository(ctx.store).now(ctx.environment.monitorSinks);
  const page = monitorHtml({
    scope: {
      since: since ?? null,
      monitors: monitor?.length ?? null,
      severities: severity ?? null,
    },
    figures: sums.figures(),
    monitors: await monitorsOf(ctx, flags),
    sinks: sinks.map(({ name, required, disabled }) => {
      const words = disabled && `disabled since ${disabled.at}: ${disabled.why}`;
      return { name, required, disabled: words };
    }),
    writtenAt: Date.now(),
  });
  await writeWhole(dirname(out), basename(out), page);
  tell(`report: ${out}`);
  return exitCodes.done;
}

/** All monitors that something is known of, and those of which a person should know something. */
export async function monitorsOf(
  { store, idKey }: Pick<CommandContext, 'store' | 'idKey'>,
  { monitor }: Pick<ChangeFlags, 'monitor'>,
): Promise<MonitorReport['monitors']> {
  const records = monitorRecords(store, (text) => idKey.nameOf('document', text));
  const found = {
    total: 0,
    noted: { blocked: 0, unknown: 0, unwell: 0 },
    listed: [] as MonitorReport['monitors']['listed'][number][],
    more: 0,
  };
  for await (const { monitorId, notes, unreadable } of notesOfAll(records)) {
    if (monitor !== undefined && !monitor.includes(monitorId)) continue;
    found.total += 1;
    for (const kind of ['blocked', 'unknown', 'unwell'] as const) {
      if (notes.some((note) => note.kind === kind)) found.noted[kind] += 1;
    }
    const words = [...new Set(notes.map(noteLine))];
    if (unreadable > 0) words.push(await unreadableWords(records, monitorId));
    if (words.length === 0) continue;
    if (found.listed.length === mostListed) found.more += 1;
    else {
      const identifier = (await records.monitors.answer(monitorId))?.monitor.identifier ?? null;
      const document = identifier === null ? null : maskDocument(identifier);
      found.listed.push({ monitorId, document, notes: words });
    }
  }
  return found;
}

interface NotedMonitor {
  monitorId: string;
  notes: HealthNote[];
  /** Items of its list that cannot be read. */
  unreadable: number;
}

/** Those of which nothing is stored but that they could not be listed included. */
async function* notesOfAll({ monitors, lists }: MonitorRecords): AsyncGenerator<NotedMonitor> {
  const ofScans = new Map<string, HealthNote[]>();
  for (const { monitorId, kind, why } of (await lists.scans()).flatMap(({ notes }) => notes)) {
    // What is known of its health, the store has newer.
    if (kind !== 'failing' && kind !== 'unfinished') continue;
    ofScans.set(monitorId, [...(ofScans.get(monitorId) ?? []), { kind, why }]);
  }
  for await (const { monitorId, health, unreadable } of monitors.all()) {
    const notes = [...healthNotes(health), ...(ofScans.get(monitorId) ?? [])];
    ofScans.delete(monitorId);
    yield { monitorId, notes, unreadable };
  }
  for (const [monitorId, notes] of ofScans) {
    yield { monitorId, notes: [...healthNotes(null), ...notes], unreadable: 0 };
  }
}

/** `2 items of its list cannot be read (id: invalid_type)` */
async function unreadableWords({ unreadable }: MonitorRecords, monitorId: string): Promise<string> {
  const items = await unreadable.of(monitorId);
  const reasons = [...new Set(items.map(({ why }) => why))].slice(0, 3);
  return `${counted(items.length, 'item')} of its list cannot be read (${reasons.join('; ')})`;
}
