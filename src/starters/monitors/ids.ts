import { readFile, stat } from 'node:fs/promises';
import { InvalidArgumentError, Option } from 'commander';
import { isUuid } from '../../domain/core/uuid';
import { severities, type Severity } from '../../domain/monitors/change';
import type { SweepTerms } from '../../domain/monitors/sweep';
import { mostMonitors } from '../../domain/monitors/watch';
import { UsageError } from '../jobs/errors';
import { counted } from '../jobs/text';
import { durationMs, oneOf, tell } from '../cli/terminal';

const shortestCooldownMs = 10_000;
const longestCooldownMs = 30 * 86_400_000;

/** Which monitors a command is about, and what is asked of their sweeps. */
export interface SweepFlags {
  severity?: Severity[];
  order: SweepTerms['order'];
  cooldown?: number;
}

export function monitorsOption(): Option {
  return new Option(
    '--monitors <ids|file>',
    'ids separated by commas, or a file with one id a line (of a CSV file: its first column)',
  ).makeOptionMandatory();
}

export function termOptions(): Option[] {
  return [
    new Option(
      '--severity <list>',
      `only changes of these: ${severities.join(', ')}; the others stay open`,
    ).argParser(severityList),
    new Option('--order <order>', 'given: as the service lists them; severity: the gravest first')
      .argParser(oneOf(['given', 'severity']))
      .default('given'),
    new Option(
      '--cooldown <duration>',
      'tell repeats of (monitor, type, severity) within it, 10s to 30d, in one digest (default: each by itself)',
    ).argParser(cooldownOf),
  ];
}

export function termsOf({ severity, order, cooldown }: SweepFlags): SweepTerms {
  return { severities: severity ?? null, order, cooldownMs: cooldown ?? null };
}

/** As records have it, which are kept by the id of a sweep: a UUID in lower case. */
export function idOnFile(text: string): string {
  const id = text.trim();
  return isUuid(id) ? id.toLowerCase() : id;
}

/**
 * Ids in lower case, in their order, each once.
 *
 * @throws UsageError that names the line, and says that nothing was sent
 */
export async function monitorIdsOf(given: string): Promise<string[]> {
  const words = given.split(',').map((word) => word.trim());
  if (words.every(isUuid)) return once(words);
  const isFile = await stat(given).then(
    (found) => found.isFile(),
    () => false,
  );
  if (isFile) return once(await idsInFile(given));
  const wrong = words.find((word) => !isUuid(word)) ?? '';
  throw new UsageError(
    `--monitors: ${wrong === '' ? 'an empty id' : `"${wrong}"`} is neither the id of a monitor (a UUID) nor a file; nothing was sent`,
  );
}

async function idsInFile(path: string): Promise<string[]> {
  const lines = (await readFile(path, 'utf8')).replace(/^\uFEFF/, '').split(/\r?\n/);
  const ids: string[] = [];
  let header: string | null = null;
  for (const [place, line] of lines.entries()) {
    const cell = (line.split(/[,;\t]/)[0] ?? '').trim().replace(/^"(.*)"$/, '$1');
    if (cell === '' || cell.startsWith('#')) continue;
    if (isUuid(cell)) ids.push(cell);
    // The first line with content may name the columns.
    else if (header === null && ids.length === 0 && /^[\p{L}_ ]+$/u.test(cell)) {
      header = cell;
      tell(`--monitors: line ${place + 1} of ${path}, "${cell}", is taken for a heading`);
    } else {
      throw new UsageError(
        `--monitors: line ${place + 1} of ${path} does not begin with the id of a monitor (a UUID); nothing was sent`,
      );
    }
  }
  if (ids.length === 0) throw new UsageError(`--monitors: ${path} holds no id; nothing was sent`);
  return ids;
}

function once(ids: readonly string[]): string[] {
  const different = [...new Set(ids.map((id) => id.toLowerCase()))];
  if (different.length < ids.length) {
    const more = ids.length - different.length;
    tell(`${counted(more, 'id is', 'ids are')} there once more: each is taken once`);
  }
  if (different.length > mostMonitors) {
    throw new UsageError(`--monitors: ${different.length} monitors, at most ${mostMonitors}`);
  }
  return different;
}

function cooldownOf(text: string): number {
  const ms = durationMs(text);
  if (ms >= shortestCooldownMs && ms <= longestCooldownMs) return ms;
  throw new InvalidArgumentError('Expected 10s to 30d.');
}

function severityList(text: string): Severity[] {
  return text.split(',').map((word) => {
    const severity = severities.find((known) => known === word.trim());
    if (severity !== undefined) return severity;
    throw new InvalidArgumentError(`Expected some of ${severities.join(', ')}.`);
  });
}
