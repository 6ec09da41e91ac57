import { readFile, stat } from 'node:fs/promises';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { isUuid } from '../../domain/core/documents/documents';
import { severities, type Severity } from '../../domain/monitors/change';
import { mostMonitors } from '../../domain/monitors/scan';
import { UsageError } from '../jobs/errors';
import { durationMs, oneOf, say } from '../cli/terminal';

export interface SweepFlags {
  severity?: Severity[];
  cooldown?: number;
}

export function monitorsOption(): Option {
  return new Option(
    '--monitors <ids|file>',
    'ids separated by commas, or a file with one id a line (of a CSV file: its first column)',
  ).makeOptionMandatory();
}

export function withTerms(command: Command): Command {
  return command
    .option(
      '--severity <list>',
      `only changes of these: ${severities.join(', ')}; the others stay open`,
      listOf(severities),
    )
    .option(
      '--cooldown <duration>',
      'send repeats of (monitor, type, severity) within it, 10s to 30d, in one digest (default: each by itself)',
      durationWithin,
    );
}

/** For intervals and cooldowns. @returns milliseconds */
export function durationWithin(text: string): number {
  const ms = durationMs(text);
  if (ms >= 10_000 && ms <= 30 * 86_400_000) return ms;
  throw new InvalidArgumentError(say('Expected 10s to 30d.', 'Informe de 10s a 30d.'));
}

export function listOf<const T extends string>(words: readonly T[]): (text: string) => T[] {
  const one = oneOf(words);
  return (text) => text.split(',').map((word) => one(word.trim()));
}

/** Records use a UUID in lower case. */
export function idOnFile(text: string): string {
  const id = text.trim();
  return isUuid(id) ? id.toLowerCase() : id;
}

/** Ids in lower case, in their order, each once. */
export async function monitorIdsOf(given: string): Promise<string[]> {
  const words = given.split(',').map((word) => word.trim());
  if (words.every(isUuid)) return once(words);
  const isFile = await stat(given).then(
    (found) => found.isFile(),
    () => false,
  );
  if (isFile) return once(await idsInFile(given));
  const wrong = words.find((word) => !isUuid(word)) ?? '';
  throw new UsageError([
    `--monitors: "${wrong}" is neither the id of a monitor (a UUID) nor a file; nothing was sent`,
    `--monitors: "${wrong}" não é o id de um monitor (um UUID) nem um arquivo; nada foi enviado`,
  ]);
}

/** The first line may be a header. */
async function idsInFile(path: string): Promise<string[]> {
  const lines = (await readFile(path, 'utf8')).split('\n').map((text, at) => {
    return { line: at + 1, cell: /^\uFEFF?\s*"?([^",;\t]*)/.exec(text)?.[1]?.trim() ?? '' };
  });
  const cells = lines.filter(({ cell }) => cell !== '' && !cell.startsWith('#'));
  if (/^[\p{L}_ ]+$/u.test(cells[0]?.cell ?? '')) cells.shift();
  const wrong = cells.find(({ cell }) => !isUuid(cell));
  if (wrong === undefined && cells.length > 0) return cells.map(({ cell }) => cell);
  const [en, pt] =
    wrong === undefined ? ['', ''] : [`, line ${wrong.line}`, `, linha ${wrong.line}`];
  throw new UsageError([
    `--monitors: ${path}${en}: expected the id of a monitor (a UUID) in its first column; nothing was sent`,
    `--monitors: ${path}${pt}: espera-se o id de um monitor (um UUID) na primeira coluna; nada foi enviado`,
  ]);
}

function once(ids: readonly string[]): string[] {
  const different = [...new Set(ids.map((id) => id.toLowerCase()))];
  if (different.length <= mostMonitors) return different;
  throw new UsageError([
    `--monitors: ${different.length} monitors, at most ${mostMonitors}`,
    `--monitors: ${different.length} monitores, no máximo ${mostMonitors}`,
  ]);
}
