import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Command, InvalidArgumentError } from 'commander';
import { severities, type Change } from '../../domain/monitors/change';
import {
  changeStatuses,
  LagSums,
  type ChangeRecord,
  type ChangeStatus,
  type LagFigures,
} from '../../domain/monitors/change-record';
import { changeCells, changeColumns } from '../../sheets/write/change-sheet';
import { csvStream } from '../../sheets/write/csv-file';
import { ChangeQueries, type ReviewedFile } from '../../store/monitors/change-queries';
import { changeDocument, changeLines, recordOf, recordsOf } from './swept-changes';
import { idOnFile, listOf } from './ids';
import { CommandError, UsageError, noteMissing } from '../jobs/errors';
import type { Reader } from '../../report/reader';
import { stateWord } from '../../report/words';
import {
  exitCodes,
  oneOf,
  print,
  printJson,
  printNote,
  screenReader,
  sinceOf,
} from '../cli/terminal';
import { openContext, type CommandContext } from '../jobs/context';

/** `open`: stored and not acknowledged. */
const statusWords = ['open', ...changeStatuses] as const;

/** `unknown`: a value that the specification does not list. */
const severityWords = [...severities, 'unknown'] as const;

export interface ChangeFlags {
  since?: string;
  monitor?: string[];
  severity?: Change['severity'][];
}

interface ListFlags extends ChangeFlags {
  status?: (typeof statusWords)[number][];
  unreviewed?: true;
  format?: 'table' | 'csv' | 'json';
  excel?: true;
}

/** `monitor changes`: what was detected, stored, delivered, acknowledged, when and by which sweep. */
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
    .action(async (flags: ListFlags) => {
      process.exitCode = await listChanges(await openContext(printNote), flags);
    });
}

/** Flags that filter changes. */
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

export async function listChanges(ctx: CommandContext, flags: ListFlags): Promise<number> {
  await refuseUnknownMonitors(ctx, flags.monitor ?? []);
  const lags = new LagSums();
  let listed = 0;
  async function* chosen(): AsyncGenerator<{ record: ChangeRecord; file: ReviewedFile }> {
    for await (const one of changesOnRecord(ctx, flags)) {
      const { record } = one;
      if (flags.status !== undefined && !flags.status.some((word) => hasStatus(record, word))) {
        continue;
      }
      if (flags.unreviewed === true && record.reviewed_at !== null) continue;
      listed += 1;
      lags.add(record);
      yield one;
    }
  }
  const excel = flags.excel === true;
  const { format = process.stdout.isTTY && !excel ? 'table' : 'csv' } = flags;
  if (format === 'table') {
    const width = process.stdout.columns ?? 80;
    for await (const { record, file } of chosen())
      for (const line of changeLines(record, file.stored.answer, width, ctx.reader)) print(line);
  } else if (format === 'csv') {
    async function* rows(): AsyncGenerator<string[]> {
      for await (const { record } of chosen()) yield changeCells(record, { excel });
    }
    const sheet = csvStream(changeColumns, { excel });
    await pipeline([Readable.from(rows()), sheet, process.stdout], { end: false });
  } else {
    await pipeline([Readable.from(jsonText(chosen(), lags)), process.stdout], { end: false });
  }
  const { count } = ctx.reader;
  printNote(count(listed, ['change', 'changes'], ['alteração', 'alterações']));
  for (const line of lagLines(lags, ctx.reader)) printNote(line);
  return exitCodes.done;
}

/** @throws CommandError that names monitors without stored records */
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

/** Every change that the flags select, oldest first, with its status. */
export async function* changesOnRecord(
  ctx: CommandContext,
  { since, monitor, severity }: ChangeFlags,
): AsyncGenerator<{ record: ChangeRecord; file: ReviewedFile }> {
  const filter = { since: since ?? null, monitors: monitor, severities: severity };
  for await (const file of new ChangeQueries(ctx.store).files(filter)) {
    yield { record: recordOf(ctx, file), file };
  }
}

/** `critical: p50 12 s, p95 3 min, max 2 h, of 40 delivered` */
export function lagLines(lags: LagSums, { language, say }: Reader): string[] {
  return lags.bySeverity().map(([severity, { p50, p95, max, count }]) => {
    const figures = `p50 ${shownLag(p50)}, p95 ${shownLag(p95)}, max ${shownLag(max)}`;
    return say(
      `${severity}: detected to delivered ${figures}, of ${count} delivered`,
      `${stateWord(severity, language)}: da detecção à entrega ${figures}, de ${count} entregues`,
    );
  });
}

/** Two significant figures. */
export function shownLag(seconds: number): string {
  if (seconds < 1) return `${Math.round(seconds * 1_000)} ms`;
  if (seconds < 120) return `${Number(seconds.toPrecision(2))} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800
    ? `${Math.round(seconds / 3_600)} h`
    : `${Math.round(seconds / 86_400)} d`;
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
  changes: AsyncIterable<{ record: ChangeRecord; file: ReviewedFile }>,
  lags: LagSums,
): AsyncGenerator<string> {
  let before = '{\n"changes": [\n';
  for await (const { record, file } of changes) {
    yield `${before}${JSON.stringify(changeDocument(record, file.stored.answer))}`;
    before = ',\n';
  }
  if (before.startsWith('{')) yield before;
  const reported: Record<string, LagFigures> = Object.fromEntries(lags.bySeverity());
  yield `\n],\n"lag_seconds": ${JSON.stringify(reported)}\n}\n`;
}

/** Parses an instant of ISO 8601, UTC. */
export function sinceWhen(text: string): string {
  return new Date(sinceOf(text).at).toISOString();
}

function idList(text: string): string[] {
  const ids = text.split(',').map(idOnFile);
  if (!ids.every((id) => /^[\w-][\w.-]{0,119}$/.test(id))) {
    throw new InvalidArgumentError(
      screenReader().say(
        'Expected ids of monitors, separated by commas.',
        'Informe ids de monitores, separados por vírgulas.',
      ),
    );
  }
  return ids;
}

/** Job ids begin with a kind and a slash; change ids with `change/`. */
export function isChangeId(id: string): boolean {
  return id.startsWith('change/');
}

/**
 * Stores that a person has acknowledged a change. The service is not called.
 *
 * @param id `change/ID`, or `change/MONITOR/ID` where two monitors have the same change id
 */
export async function acknowledgeChange(
  ctx: CommandContext,
  id: string,
  { note, json }: { note: string; json: boolean },
): Promise<number> {
  const { audit, environment, reader } = ctx;
  if (note.trim() === '') throw new UsageError(noteMissing);
  const [first = '', ...rest] = id.replace(/^change\//, '').split('/');
  const changeId = rest.length === 0 ? first : rest.join('/');
  const monitorId = rest.length === 0 ? await monitorOf(ctx, changeId) : first;
  const { changes } = recordsOf(ctx);
  if ((await changes.get(monitorId, changeId)) === null)
    throw new CommandError([
      `no change ${changeId} of monitor ${monitorId} is stored`,
      `nenhuma alteração ${changeId} do monitor ${monitorId} está registrada`,
    ]);
  const at = new Date().toISOString();
  const by = environment.actor;
  await audit.append([
    {
      kind: 'decision',
      id: `review/${monitorId}/${changeId}/${at}`,
      result: 'acknowledge',
      by,
      happenedAt: at,
      job: `monitor/${monitorId}`,
    },
  ]);
  await changes.putReview(monitorId, changeId, { at, by, note });
  if (json) printJson({ monitorId, changeId, at, by, note });
  else
    print(
      reader.say(
        `change ${changeId} of monitor ${monitorId}: reviewed by ${by}`,
        `alteração ${changeId} do monitor ${monitorId}: revisada por ${by}`,
      ),
    );
  return 0;
}

async function monitorOf({ store }: CommandContext, changeId: string): Promise<string> {
  const found = await new ChangeQueries(store).monitorsWith(changeId);
  const [first, second] = found;
  if (first === undefined)
    throw new CommandError([
      `no change ${changeId} is stored`,
      `nenhuma alteração ${changeId} está registrada`,
    ]);
  if (second === undefined) return first;
  throw new UsageError([
    `${found.length} monitors have a change ${changeId}: name it as change/MONITOR/CHANGE`,
    `${found.length} monitores têm uma alteração ${changeId}: indique-a como change/MONITOR/ALTERAÇÃO`,
  ]);
}
