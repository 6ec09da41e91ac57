import { mkdir } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { Command } from 'commander';
import { maskDocument } from '../../domain/core/documents/documents';
import { healthNotes } from '../../domain/monitors/health';
import type { ScanNote } from '../../domain/monitors/scan';
import { reportLanguages } from '../../report/formats';
import {
  MonitorFigures,
  type MonitorReport,
  type ReportedMonitor,
  type ShownChange,
} from '../../report/monitors/figures';
import { monitorHtml } from '../../report/monitors/page';
import type { MonitorRecords } from '../../store/monitors/records';
import { SinkRepository } from '../../store/monitors/sinks';
import { oneOf, printNote } from '../cli/terminal';
import { refuseUnwritable, writeWhole } from '../jobs/written-file';
import { openContext, type CommandContext } from '../jobs/context';
import { refuseUnknownMonitors, withChangeFlags } from './changes';
import { changesOnRecord, recordsOf, type ChangeFlags } from './stored-changes';

/** Monitors that a report names; all are counted. */
const mostListed = 200;

interface ReportFlags extends ChangeFlags {
  out: string;
}

export function reportCommand(): Command {
  return withChangeFlags(
    new Command('report').description('Write a page about the stored changes, and how they fared.'),
  )
    .requiredOption('--out <file>', 'where to: FILE.html')
    .option('--lang <language>', 'en or pt (default: DILIGENCE_LANG)', oneOf(reportLanguages))
    .action(async (flags: ReportFlags) => writeReport(await openContext(printNote), flags));
}

export async function writeReport(ctx: CommandContext, flags: ReportFlags): Promise<void> {
  const { out, since, monitor, severity } = flags;
  const { language, say } = ctx.reader;
  await refuseUnwritable(dirname(out));
  await refuseUnknownMonitors(ctx, monitor ?? []);
  const figures = new MonitorFigures();
  for await (const one of changesOnRecord(ctx, flags)) figures.add(one, one.change);
  const sinks = await new SinkRepository(ctx.store).now(ctx.environment.monitorSinks);
  const about: MonitorReport = {
    scope: {
      since: since ?? null,
      monitors: monitor?.length ?? null,
      severities: severity ?? null,
    },
    figures,
    monitors: await monitorsOf(ctx, flags),
    names: await namesOf(ctx, figures.changes),
    disabledSinks: sinks.flatMap(({ disabled, name }) => (disabled ? [{ name, ...disabled }] : [])),
    writtenAt: Date.now(),
  };
  await mkdir(dirname(out), { recursive: true });
  await writeWhole(dirname(out), basename(out), monitorHtml(about, language));
  printNote(`${say('report', 'relatório')}: ${out}`);
}

/** All monitors with records, and those with warnings. */
export async function monitorsOf(
  ctx: Pick<CommandContext, 'store' | 'idKey'>,
  { monitor }: Pick<ChangeFlags, 'monitor'>,
): Promise<MonitorReport['monitors']> {
  const records = recordsOf(ctx);
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
    const all: ReportedMonitor['notes'][number][] = [...notes];
    if (unreadable > 0) all.push(await unreadableNote(records, monitorId));
    if (all.length === 0) continue;
    if (found.listed.length === mostListed) found.more += 1;
    else found.listed.push({ monitorId, ...(await reportedOf(records, monitorId)), notes: all });
  }
  return found;
}

/** Includes monitors of which the store knows only that they could not be listed. */
async function* notesOfAll({
  lists,
  monitors,
}: MonitorRecords): AsyncGenerator<{ monitorId: string; notes: ScanNote[]; unreadable: number }> {
  const ofScans = new Map<string, ScanNote[]>();
  for (const { monitorId, ...note } of (await lists.scans()).flatMap(({ notes }) => notes)) {
    // The store has newer values of its health.
    if (note.kind !== 'failing' && note.kind !== 'unfinished') continue;
    ofScans.set(monitorId, [...(ofScans.get(monitorId) ?? []), note]);
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

async function reportedOf(
  { monitors }: MonitorRecords,
  monitorId: string,
): Promise<{ name: string | null; document: string | null }> {
  const { identifier = null, name = null } = (await monitors.answer(monitorId))?.monitor ?? {};
  return { name, document: identifier === null ? null : maskDocument(identifier) };
}

async function namesOf(
  ctx: CommandContext,
  changes: readonly ShownChange[],
): Promise<Map<string, string>> {
  const records = recordsOf(ctx);
  const names = new Map<string, string>();
  for (const id of new Set(changes.map(({ record }) => record.monitor_id))) {
    const { document, name } = await reportedOf(records, id);
    if (name !== null || document !== null) names.set(id, name ?? document ?? '');
  }
  return names;
}

async function unreadableNote(
  { unreadable }: MonitorRecords,
  monitorId: string,
): Promise<ReportedMonitor['notes'][number]> {
  const items = await unreadable.of(monitorId);
  const reasons = [...new Set(items.map(({ why }) => why))].slice(0, 3);
  return { kind: 'unreadable', why: `${items.length}: ${reasons.join('; ')}` };
}
