import { changeRecord, type ChangeRecord } from '../../domain/monitors/change-record';
import type { MonitorNote, ScanOutcome, ScanRecord } from '../../domain/monitors/scan';
import type { SweepOutcome, Reconciled, SweepCounts } from '../../domain/monitors/sweep';
import { ChangeQueries, type ReviewedFile } from '../../store/monitors/change-queries';
import { MonitorListRepository } from '../../store/monitors/lists';
import { monitorRecords, type MonitorRecords } from '../../store/monitors/records';
import type { CommandContext } from '../jobs/context';
import type { Cell } from '../../domain/core/findings';
import { differencesIn } from '../../domain/monitors/differences';
import type { Reader } from '../../report/reader';
import { leftLines, noteKinds, noteLine, noteWhy } from '../../report/monitors/sweep-words';
import { stateWord } from '../../report/words';
import { cut, printable } from '../jobs/text';

/** For one sweep or scan; `monitor changes` lists all. */
const mostListed = 1_000;
const mostShown = 50;

/** The first changes of a sweep or scan, and their number. */
export interface SweptChanges {
  total: number;
  rows: readonly ChangeDocument[];
}

interface FoundChanges {
  total: number;
  files: readonly ReviewedFile[];
}

/** What a sweep stored, delivered or acknowledged, with the current status. */
export async function sweptBy(
  { store }: CommandContext,
  { monitorId, sweep }: SweepOutcome,
  most: 'listed' | 'shown',
): Promise<FoundChanges> {
  return new ChangeQueries(store).ofSweep({ monitorId, sweep }, bounds[most]);
}

/** What was stored of a scan's monitors while it ran. */
export async function scannedBetween(
  { store }: CommandContext,
  { list }: ScanRecord,
  { counts, endedAt, startedAt }: ScanOutcome,
  most: 'listed' | 'shown',
): Promise<FoundChanges> {
  const monitors = new Set(await new MonitorListRepository(store).ids(list));
  const files: ReviewedFile[] = [];
  for await (const file of new ChangeQueries(store).files({ since: startedAt })) {
    if (file.stored.seenAt > endedAt || files.length === bounds[most]) break;
    if (monitors.has(file.stored.monitorId)) files.push(file);
  }
  return { files, total: Math.max(counts.stored, files.length) };
}

const bounds = { listed: mostListed, shown: mostShown };

/** For `--json`. */
export function sweptDocument(ctx: CommandContext, { files, total }: FoundChanges): SweptChanges {
  const rows = files.map((file) => changeDocument(recordOf(ctx, file), file.stored.answer));
  return { total, rows };
}

/** For a terminal: each change with old and new values. @param all the command that lists all of them */
export function sweptLines(
  ctx: CommandContext,
  { files, total }: FoundChanges,
  all: string,
): string[] {
  if (total === 0) return [];
  const { reader } = ctx;
  const { count, say } = reader;
  const changes = count(total, ['change', 'changes'], ['alteração', 'alterações']);
  const width = process.stdout.columns ?? 80;
  const more = total - files.length;
  return [
    `  ${changes}, ${say('with what was -> what is', 'com o que era -> o que é')}:`,
    ...files.flatMap((file) => changeLines(recordOf(ctx, file), file.stored.answer, width, reader)),
    ...(more > 0
      ? [`  ${say(`and ${more} more`, `e mais ${more}`)}: \`diligence monitor changes ${all}\``]
      : []),
  ];
}

export function recordOf({ environment }: CommandContext, file: ReviewedFile): ChangeRecord {
  return changeRecord(file, requiredSinks(environment));
}

/** Names of the sinks for which an acknowledgement waits. */
export function requiredSinks({ monitorSinks }: CommandContext['environment']): string[] {
  return monitorSinks.sinks.flatMap(({ name, required }) => (required ? [name] : []));
}

export function recordsOf({
  idKey,
  store,
}: Pick<CommandContext, 'store' | 'idKey'>): MonitorRecords {
  return monitorRecords(store, (text) => idKey.nameOf('document', text));
}

/** A change as `--json` prints it: its status, and the service's fields as received. */
type ChangeDocument = ChangeRecord & { change: unknown };

export function changeDocument(record: ChangeRecord, answer: unknown): ChangeDocument {
  return { ...record, change: answer };
}

/** A change for a terminal: id, type and status, then each differing field, before and after. */
export function changeLines(
  record: ChangeRecord,
  answer: unknown,
  width: number,
  { formats, language, say }: Reader,
): string[] {
  const {
    change_id: id,
    detected_at: at,
    erased,
    seen_at: seenAt,
    severity,
    status,
    type,
  } = record;
  // A narrow terminal cuts off the instant, not the id.
  const instant = at ?? seenAt;
  const when = say(instant.slice(0, 16), formats.instant(instant));
  const words = [severity, status].map((word) => stateWord(word, language));
  const head = [id, words[0], type ?? '-', words[1], when];
  const fields = erased ? [] : differencesIn(answer);
  const longest = Math.min(24, Math.max(0, ...fields.map(({ field }) => field.length)));
  const room = Math.max(8, Math.floor((width - longest - 8) / 2));
  const lines = fields.map(({ after, before, field }) => {
    const name = printable(field).padEnd(longest);
    return `  ${name}  ${cut(textOf(before), room)} -> ${cut(textOf(after), room)}`;
  });
  return [printable(head.join('  ')), ...lines].map((line) => cut(line, width));
}

function textOf(cell: Cell | undefined): string {
  return cell === undefined || cell === null ? '-' : printable(String(cell));
}

/** Outcomes of sweeps and scans, for people. */

export const monitorForms = [
  ['monitor', 'monitors'],
  ['monitor', 'monitores'],
] as const;

function countWords(counts: SweepCounts, { say }: Reader): string {
  const { stored, delivered, acknowledged, elsewhere } = counts;
  const words = say(
    `${stored} new, ${delivered} delivered, ${acknowledged} acknowledged`,
    `novas: ${stored}, entregues: ${delivered}, confirmadas: ${acknowledged}`,
  );
  if (elsewhere === 0) return words;
  return say(
    `${words}, ${elsewhere} acknowledged elsewhere or gone`,
    `${words}, confirmadas por outros ou inexistentes: ${elsewhere}`,
  );
}

export function sweepLines(outcome: SweepOutcome, reader: Reader): string[] {
  const { language, say } = reader;
  const { monitorId, status, counts, reconciled, stopped, health } = outcome;
  return [
    `${monitorId}: ${stateWord(status, language)}: ${countWords(counts, reader)}`,
    ...(status === 'interrupted'
      ? [say('  a later sweep continued', '  uma varredura posterior continuou')]
      : leftLines(monitorId, outcome, reader).map((line) => `  ${line}`)),
    ...(reconciled === null ? [] : [`  ${reconciledWords(reconciled, reader)}`]),
    ...(stopped === null
      ? []
      : [
          `  ${stateWord(stopped, language)}: ${say('a later sweep continues with what is open', 'uma varredura posterior continua com o que está em aberto')}`,
        ]),
    ...health.map((note) => `  ${noteLine(note, reader)}`),
  ];
}

function reconciledWords({ found, fault }: Reconciled, { count, say }: Reader): string {
  const changes = count(found, ['change', 'changes'], ['alteração', 'alterações']);
  const what =
    found === 0
      ? say('nothing new', 'nada novo')
      : `${changes} ${say('acknowledged by others', 'de confirmação alheia')}`;
  return fault === null
    ? say(`reconciled: found ${what}`, `conferido: ${what}`)
    : say(
        `not reconciled to the end of the list: found ${what}`,
        `não conferido até o fim da lista: ${what}`,
      );
}

export function scanLines({ counts, stopped }: ScanOutcome, reader: Reader): string[] {
  const { probed, sweeps, stored, acknowledged, partly, failed, running } = counts;
  const { count, language, say } = reader;
  const sweepsOf = (n: number): string =>
    count(n, ['sweep', 'sweeps'], ['varredura', 'varreduras']);
  const monitors = count(probed, ...monitorForms);
  const news = count(stored, ['new change', 'new changes'], ['nova alteração', 'novas alterações']);
  return [
    say(
      `${monitors} probed: ${sweepsOf(sweeps)}, ${news}, ${acknowledged} acknowledged`,
      `consulta de ${monitors}: ${sweepsOf(sweeps)}, ${news}, confirmadas: ${acknowledged}`,
    ),
    ...lineOf(running, 'are being swept already: left alone', 'já em varredura, deixados'),
    ...(partly + failed === 0
      ? []
      : [
          say(
            `  ${sweepsOf(partly)} left something open, ${failed} failed`,
            `  em aberto após ${sweepsOf(partly)}; com falha: ${failed}`,
          ),
        ]),
    ...(counts.leftRunning === 0
      ? []
      : [`  ${sweepsOf(counts.leftRunning)} ${say('still run', 'ainda em andamento')}`]),
    ...lineOf(counts.lostPages, 'pages of the list not probed', 'páginas da lista não consultadas'),
    ...(stopped === null
      ? []
      : [`  ${say('stopped', 'interrompida')}: ${stateWord(stopped, language)}`]),
  ];

  function lineOf(n: number, en: string, pt: string): string[] {
    return n === 0 ? [] : [`  ${say(`${n} ${en}`, `${pt}: ${n}`)}`];
  }
}

/** Above this, a count. */
const mostNamed = 20;

/** Warnings about monitors, with the ids of the first ones. */
export function noteLines(notes: readonly MonitorNote[], reader: Reader): string[] {
  const { say } = reader;
  return (Object.keys(noteKinds) as MonitorNote['kind'][]).flatMap((kind) => {
    const its = notes.filter((note) => note.kind === kind);
    const words = say(...noteKinds[kind]);
    if (kind !== 'unknown') {
      return firstOf(
        its.map((note) => `${words}: ${note.monitorId}: ${noteWhy(note, reader)}`),
        reader,
      );
    }
    // Often all monitors have the same reason.
    const reasons = its.map((note) => noteWhy(note, reader));
    return [...new Set(reasons)].map((why) => {
      const count = reasons.filter((one) => one === why).length;
      return `${words} ${say('of', 'de')} ${count}: ${why}`;
    });
  });
}

/** The first lines, and a count of the others. */
export function firstOf(lines: readonly string[], { say }: Reader, all = lines.length): string[] {
  const shown = lines.slice(0, mostNamed);
  return all > shown.length
    ? [...shown, say(`and ${all - shown.length} more`, `e mais ${all - shown.length}`)]
    : shown;
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
