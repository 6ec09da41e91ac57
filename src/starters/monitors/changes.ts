import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Command, InvalidArgumentError } from 'commander';
import { severities } from '../../domain/monitors/change';
import {
  changeStatuses,
  LagSums,
  type ChangeRecord,
  type ChangeStatus,
} from '../../domain/monitors/change-record';
import type { Reader } from '../../report/reader';
import { stateWord } from '../../report/words';
import { changeCells, changeColumns } from '../../sheets/write/change-sheet';
import { csvStream } from '../../sheets/write/csv-file';
import { oneOf, print, printNote, screenReader, sinceOf } from '../cli/terminal';
import { openContext, type CommandContext } from '../jobs/context';
import { CommandError } from '../jobs/errors';
import { idOnFile, listOf } from './ids';
import {
  changeForms,
  changeLines,
  changesOnRecord,
  recordsOf,
  type ChangeDocument,
  type ChangeFlags,
} from './stored-changes';

/** `open`: stored and not acknowledged. */
const statusWords = ['open', ...changeStatuses] as const;

/** `unknown`: a value that the specification does not list. */
const severityWords = [...severities, 'unknown'] as const;

interface ListFlags extends ChangeFlags {
  status?: (typeof statusWords)[number][];
  unreviewed?: true;
  format?: 'table' | 'csv' | 'json';
  excel?: true;
}

export function changesCommand(): Command {
  return withChangeFlags(
    new Command('changes').description(
      'List the changes on file, and how long they took from detection to delivery.',
    ),
  )
    .option('--status <words>', `of ${statusWords.join(', ')}`, listOf(statusWords))
    .option(
      '--unreviewed',
      'those that nobody has looked at (`diligence resolve change/ID --action acknowledge`)',
    )
    .option(
      '--format <format>',
      'table (each with what was and is), csv or json (default: table on a terminal, else csv)',
      oneOf(['table', 'csv', 'json']),
    )
    .option('--excel', 'csv for a spreadsheet program in Portuguese: `;`, decimal comma and BOM')
    .action(async (flags: ListFlags) => listChanges(await openContext(printNote), flags));
}

export function withChangeFlags(command: Command): Command {
  return command
    .option(
      '--since <when>',
      'stored since: a date (UTC), an instant, or an age like 24h',
      sinceWhen,
    )
    .option('--monitor <ids>', 'of these monitors, separated by commas', idList)
    .option('--severity <words>', `of ${severityWords.join(', ')}`, listOf(severityWords));
}

export async function listChanges(ctx: CommandContext, flags: ListFlags): Promise<void> {
  await refuseUnknownMonitors(ctx, flags.monitor ?? []);
  const { reader } = ctx;
  const lags = new LagSums();
  let listed = 0;
  async function* chosen(): AsyncGenerator<ChangeDocument> {
    for await (const one of changesOnRecord(ctx, flags)) {
      if (flags.status !== undefined && !flags.status.some((word) => hasStatus(one, word)))
        continue;
      if (flags.unreviewed === true && one.reviewed_at !== null) continue;
      listed += 1;
      lags.add(one);
      yield one;
    }
  }
  const excel = flags.excel === true;
  const { format = process.stdout.isTTY && !excel ? 'table' : 'csv' } = flags;
  if (format === 'table') {
    for await (const one of chosen()) for (const line of changeLines(one, reader)) print(line);
  } else if (format === 'csv') {
    const rows = Readable.from(chosen()).map((one: ChangeDocument) => changeCells(one, { excel }));
    const sheet = csvStream(changeColumns, { excel });
    await pipeline([rows, sheet, process.stdout], { end: false });
  } else {
    await pipeline([Readable.from(jsonText(chosen(), lags)), process.stdout], { end: false });
  }
  printNote(reader.count(listed, ...changeForms));
  for (const line of lagLines(lags, reader)) printNote(line);
}

export async function refuseUnknownMonitors(
  ctx: Pick<CommandContext, 'store' | 'idKey'>,
  ids: readonly string[],
): Promise<void> {
  const { monitors } = recordsOf(ctx);
  const unknown: string[] = [];
  for (const id of ids) if ((await monitors.get(id)) === null) unknown.push(id);
  if (unknown.length === 0) return;
  throw new CommandError([
    `nothing is stored about monitor ${unknown.join(', ')}`,
    `nada está registrado sobre o monitor ${unknown.join(', ')}`,
  ]);
}

/** `critical: p50 12 s, p95 3 min, max 2 h, of 40 delivered` */
function lagLines(lags: LagSums, { formats, language, say }: Reader): string[] {
  return lags.bySeverity().map(([severity, { p50, p95, max, count }]) => {
    const [half, most, longest] = [p50, p95, max].map((one) => formats.duration(one * 1_000));
    const figures = `p50 ${half}, p95 ${most}, max ${longest}`;
    return say(
      `${severity}: detected to delivered ${figures}, of ${count} delivered`,
      `${stateWord(severity, language)}: da detecção à entrega ${figures}, de ${count} entregues`,
    );
  });
}

const closed = new Set<ChangeStatus>(['acknowledged', 'acknowledged_elsewhere', 'gone']);

export function hasStatus(
  { status }: Pick<ChangeRecord, 'status'>,
  word: (typeof statusWords)[number],
): boolean {
  return word === 'open' ? !closed.has(status) : status === word;
}

/** One document: the changes as the service reported them, and the lags. */
async function* jsonText(
  changes: AsyncIterable<ChangeDocument>,
  lags: LagSums,
): AsyncGenerator<string> {
  let before = '';
  yield '{\n"changes": [\n';
  for await (const one of changes) {
    yield `${before}${JSON.stringify(one)}`;
    before = ',\n';
  }
  yield `\n],\n"lag_seconds": ${JSON.stringify(Object.fromEntries(lags.bySeverity()))}\n}\n`;
}

/** Parses an instant of ISO 8601, UTC. */
export function sinceWhen(text: string): string {
  return new Date(sinceOf(text).at).toISOString();
}

function idList(text: string): string[] {
  const ids = text.split(',').map(idOnFile);
  if (ids.every((id) => /^[\w-][\w.-]{0,119}$/.test(id))) return ids;
  throw new InvalidArgumentError(
    screenReader().say(
      'Expected ids of monitors, separated by commas.',
      'Informe ids de monitores, separados por vírgulas.',
    ),
  );
}
