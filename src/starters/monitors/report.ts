import { writeFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Command } from 'commander';
import { maskDocument } from '../../domain/core/documents';
import { blockOf, healthRemarks, unwellOf } from '../../domain/monitors/health';
import { MonitorSums } from '../../report/monitor-figures';
import { monitorHtml, type MonitorReport, type ReportedMonitor } from '../../report/monitor-html';
import { MonitorListRepository } from '../../store/monitors/lists';
import { MonitorRepository, type KnownMonitor } from '../../store/monitors/monitors';
import { SinkRepository } from '../../store/monitors/sinks';
import { UnreadableItemRepository } from '../../store/monitors/unreadable-items';
import {
  changesOnRecord,
  refuseUnknownMonitors,
  withChangeFlags,
  type ChangeFlags,
} from './changes';
import { counted } from '../jobs/text';
import { exitCodes, tell } from '../cli/terminal';
import { refuseUnwritableFile } from '../cli/unwritable-folder';
import { openContext, type CommandContext } from '../jobs/context';

/** Monitors of a list in a report; all are counted. */
const mostListed = 200;

/** `monitor report`: the changes on file as one page, with the picture over time. */
export function reportCommand(): Command {
  return withChangeFlags(
    new Command('report').description(
      'Write a page about the changes on file, and how they fared.',
    ),
  )
    .requiredOption('--out <file>', 'where to: FILE.html')
    .action(async (flags: ChangeFlags & { out: string }) => {
      process.exitCode = await report(await openContext(tell), flags);
    });
}

async function report(
  place: CommandContext,
  flags: ChangeFlags & { out: string },
): Promise<number> {
  await refuseUnwritableFile(flags.out);
  await refuseUnknownMonitors(place, flags.monitor ?? []);
  const sums = new MonitorSums();
  for await (const { record } of changesOnRecord(place, flags)) sums.add(record);
  const page = monitorHtml({
    scope: scopeOf(flags),
    figures: sums.figures(),
    monitors: await monitorsOf(place, flags),
    sinks: await sinksOf(place),
    writtenAt: Date.now(),
  });
  await writeWhole(flags.out, page);
  tell(`report: ${flags.out}`);
  return exitCodes.done;
}

/** All monitors that something is known of, and those of which a person should know something. */
export async function monitorsOf(
  { store, idKey }: Pick<CommandContext, 'store' | 'idKey'>,
  { monitor }: Pick<ChangeFlags, 'monitor'>,
): Promise<MonitorReport['monitors']> {
  const nameOf = (text: string): string => idKey.nameOf('document', text);
  const monitors = new MonitorRepository(store, nameOf);
  const items = new UnreadableItemRepository(store, nameOf);
  const counts = { total: 0, running: 0, blocked: 0, unwell: 0, unknown: 0 };
  const listed: ReportedMonitor[] = [];
  let more = 0;
  const passes = await lastOf(new MonitorListRepository(store));
  for await (const { monitorId, unreadable, health } of allOf(monitors, passes)) {
    if (monitor !== undefined && !monitor.includes(monitorId)) continue;
    const block = blockOf(health);
    const unwell = unwellOf(health);
    const isUnknown = health?.kind !== 'known';
    counts.total += 1;
    if (isUnknown) counts.unknown += 1;
    else if (block === null) counts.running += 1;
    else counts.blocked += 1;
    if (unwell !== null) counts.unwell += 1;
    const remarks = [
      ...healthRemarks(health),
      ...(passes.get(monitorId) ?? []),
      ...(unreadable === 0 ? [] : [await unreadableWords(items, monitorId)]),
    ];
    if (remarks.length === 0) continue;
    if (listed.length === mostListed) {
      more += 1;
      continue;
    }
    const identifier = (await monitors.answer(monitorId))?.monitor.identifier ?? null;
    const document = identifier === null ? null : maskDocument(identifier);
    listed.push({ monitorId, document, remarks });
  }
  return { ...counts, listed, more };
}

/** Of each monitor with trouble: why it could not be listed, and what its sweep left, when last looked at. */
async function lastOf(lists: MonitorListRepository): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  const add = (monitorId: string, words: string): void => {
    found.set(monitorId, [...(found.get(monitorId) ?? []), words]);
  };
  for (const { at, failing, left } of await lists.looks()) {
    for (const { monitorId, why } of failing) add(monitorId, `not to be listed at ${at}: ${why}`);
    for (const { monitorId, why } of left ?? []) add(monitorId, `left by its sweep: ${why}`);
  }
  return found;
}

/** Those that nothing is on file about included: they could never be listed. */
async function* allOf(
  monitors: MonitorRepository,
  passes: ReadonlyMap<string, unknown>,
): AsyncGenerator<Pick<KnownMonitor, 'monitorId' | 'health' | 'unreadable'>> {
  const known = new Set<string>();
  for await (const one of monitors.all()) {
    known.add(one.monitorId);
    yield one;
  }
  for (const monitorId of passes.keys()) {
    if (!known.has(monitorId)) yield { monitorId, health: null, unreadable: 0 };
  }
}

/** `2 items of its list cannot be read (id: invalid_type)` */
async function unreadableWords(
  items: UnreadableItemRepository,
  monitorId: string,
): Promise<string> {
  const its = await items.of(monitorId);
  const reasons = [...new Set(its.map(({ why }) => why))].slice(0, 3);
  return `${counted(its.length, 'item')} of its list cannot be read (${reasons.join('; ')})`;
}

async function sinksOf({ store, environment }: CommandContext): Promise<MonitorReport['sinks']> {
  const told = await new SinkRepository(store).now(environment.monitorSinks);
  return told.map(({ name, required, disabled }) => {
    const since = disabled && `disabled since ${disabled.at}: ${disabled.why}`;
    return { name, required, disabled: since };
  });
}

function scopeOf({ since, monitor, severity }: ChangeFlags): MonitorReport['scope'] {
  return {
    since: since ?? null,
    monitors: monitor?.length ?? null,
    severities: severity ?? null,
  };
}

async function writeWhole(out: string, page: string): Promise<void> {
  const aside = join(dirname(out), `.${basename(out)}.partial`);
  try {
    await writeFile(aside, page, { mode: 0o600 });
    await rename(aside, out);
  } catch (error) {
    await rm(aside, { force: true });
    throw error;
  }
}
