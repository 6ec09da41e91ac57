import type { Words } from '../../domain/job';
import type { MonitorNote, ScanOutcome, ScanRecord } from '../../domain/monitors/scan';
import type { SweepOutcome } from '../../domain/monitors/sweep';
import { leftLines, noteKinds, noteLine, noteWhy } from '../../report/monitors/sweep-words';
import type { Reader } from '../../report/reader';
import { stateWord } from '../../report/words';
import { ChangeQueries, type ReviewedFile } from '../../store/monitors/change-queries';
import { MonitorListRepository } from '../../store/monitors/lists';
import type { CommandContext } from '../jobs/context';
import { firstOf } from '../jobs/text';
import { changeDocument, changeForms, changeLines, type ChangeDocument } from './stored-changes';

/** For one sweep or scan; `monitor changes` lists all. */
export const mostListed = 1_000;
export const mostShown = 50;
/** Above this, a count. */
export const mostNamed = 20;

export interface SweptChanges {
  total: number;
  rows: readonly ChangeDocument[];
}

/** What a sweep stored, delivered or acknowledged, with the current status. */
export async function sweptBy(
  ctx: CommandContext,
  { monitorId, sweep }: SweepOutcome,
  most: number,
): Promise<SweptChanges> {
  const { files, total } = await new ChangeQueries(ctx.store).ofSweep({ monitorId, sweep }, most);
  return { total, rows: files.map((file) => changeDocument(ctx, file)) };
}

/** What was stored of a scan's monitors while it ran. */
export async function scannedBetween(
  ctx: CommandContext,
  { list }: ScanRecord,
  { counts, endedAt, startedAt }: ScanOutcome,
  most: number,
): Promise<SweptChanges> {
  const monitors = new Set(await new MonitorListRepository(ctx.store).ids(list));
  const files: ReviewedFile[] = [];
  for await (const file of new ChangeQueries(ctx.store).files({ since: startedAt })) {
    if (file.stored.seenAt > endedAt || files.length === most) break;
    if (monitors.has(file.stored.monitorId)) files.push(file);
  }
  const rows = files.map((file) => changeDocument(ctx, file));
  return { total: Math.max(counts.stored, rows.length), rows };
}

/** For a terminal: each change with old and new values. @param all the flags that list all of them */
export function sweptLines({ rows, total }: SweptChanges, all: string, reader: Reader): string[] {
  if (total === 0) return [];
  const { count, say } = reader;
  const more = total - rows.length;
  const others = say(`and ${more} more`, `e mais ${more}`);
  return [
    `  ${count(total, ...changeForms)}, ${say('with what was -> what is', 'com o que era -> o que é')}:`,
    ...rows.flatMap((one) => changeLines(one, reader)),
    ...(more > 0 ? [`  ${others}: \`diligence monitor changes ${all}\``] : []),
  ];
}

export const monitorForms = [
  ['monitor', 'monitors'],
  ['monitor', 'monitores'],
] as const;

/** Counts of sweeps and scans, in the order in which they are told. */
const countNames: Readonly<Record<string, Words>> = {
  probed: ['monitors probed', 'monitores consultados'],
  sweeps: ['sweeps', 'varreduras'],
  stored: ['new', 'novas'],
  delivered: ['delivered', 'entregues'],
  acknowledged: ['acknowledged', 'confirmadas'],
  elsewhere: ['acknowledged elsewhere or gone', 'confirmadas por outros ou inexistentes'],
  running: ['being swept already', 'já em varredura'],
  partly: ['sweeps that left something open', 'varreduras que deixaram algo em aberto'],
  failed: ['failed', 'com falha'],
  leftRunning: ['sweeps still running', 'varreduras em andamento'],
  lostPages: ['pages of the list not probed', 'páginas da lista não consultadas'],
};

function countWords(counts: object, { say }: Reader): string {
  const known = new Map(Object.entries(counts) as [string, number][]);
  const told = Object.entries(countNames).filter(([name]) => (known.get(name) ?? 0) > 0);
  const words = told.map(([name, of]) => `${say(...of)}: ${known.get(name)}`);
  return words.join(', ') || say('nothing new', 'nada novo');
}

export function sweepLines(outcome: SweepOutcome, reader: Reader): string[] {
  const { count, language, say } = reader;
  const { monitorId, status, counts, reconciled, stopped, health } = outcome;
  const [end, missed] = [
    say('reconciled', 'conferido'),
    say('not reconciled to the end of the list', 'não conferido até o fim da lista'),
  ];
  return [
    `${monitorId}: ${stateWord(status, language)}: ${countWords(counts, reader)}`,
    ...(status === 'interrupted' ? [] : leftLines(monitorId, outcome, reader)),
    ...(reconciled === null
      ? []
      : [
          `${reconciled.fault === null ? end : missed}: ${count(reconciled.found, ...changeForms)} ${say('acknowledged by others', 'de confirmação alheia')}`,
        ]),
    ...(stopped === null && status !== 'interrupted'
      ? []
      : [
          `${stateWord(stopped ?? status, language)}: ${say('a later sweep continues with what is open', 'uma varredura posterior continua com o que está em aberto')}`,
        ]),
    ...health.map((note) => noteLine(note, reader)),
  ].map((line, at) => (at === 0 ? line : `  ${line}`));
}

export function scanLines({ counts, stopped }: ScanOutcome, reader: Reader): string[] {
  const { language, say } = reader;
  return [
    countWords(counts, reader),
    ...(stopped === null
      ? []
      : [`  ${say('stopped', 'interrompida')}: ${stateWord(stopped, language)}`]),
  ];
}

/** Warnings about monitors, with the ids of the first ones. */
export function noteLines(notes: readonly MonitorNote[], reader: Reader): string[] {
  const { say } = reader;
  return (Object.keys(noteKinds) as MonitorNote['kind'][]).flatMap((kind) => {
    const its = notes.filter((note) => note.kind === kind);
    const words = say(...noteKinds[kind]);
    const reasons = its.map((note) => noteWhy(note, reader));
    if (kind !== 'unknown')
      return firstOf(
        its.map(({ monitorId }, at) => `${words}: ${monitorId}: ${reasons[at]}`),
        mostNamed,
        reader,
      );
    // Often all monitors have the same reason.
    return [...new Set(reasons)].map((why) => {
      const count = reasons.filter((one) => one === why).length;
      return `${words} ${say('of', 'de')} ${count}: ${why}`;
    });
  });
}

/** Findings of a scan's pages, without those of another scan of the same list. */
export async function scannedBy(
  { store }: Pick<CommandContext, 'store'>,
  list: string,
  scan: string,
): Promise<{ open: string[]; notes: MonitorNote[] }> {
  const pages = await new MonitorListRepository(store).scans(list);
  const its = pages.filter((page) => page.scan === scan);
  return { open: its.flatMap(({ open }) => open), notes: its.flatMap(({ notes }) => notes) };
}
