import { InvalidArgumentError } from 'commander';
import { readDuration } from '../jobs/duration';
import type { Language, Say, Words } from '../../domain/job';
import type { Reader } from '../../report/reader';
import type { CommandContext } from '../jobs/context';
import { redactText } from '../../protection/redaction';

export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  needsAttention: 3,
  interrupted: 130,
} as const;

let language: Language = 'en';

export function setScreenLanguage(chosen: Language): void {
  language = chosen;
}

/** The context in the language of a shown job, unless the user named one; errors after this use it too. */
export function onScreen(
  ctx: CommandContext,
  { json, lang }: { json?: boolean | undefined; lang?: Language | undefined },
  output: { lang: Language } | null,
): CommandContext {
  // Programs read English.
  const chosen = json === true ? 'en' : (lang ?? output?.lang ?? ctx.environment.language);
  setScreenLanguage(chosen);
  const { inLanguage } = require('../jobs/context') as typeof import('../jobs/context');
  return inLanguage(ctx, chosen);
}

export const say: Say = (en, pt) => (language === 'pt' ? pt : en);

export function printWords(...words: Words): void {
  printNote(say(...words));
}

export function screenReader(): Reader {
  const { readerOf } = require('../../report/reader') as typeof import('../../report/reader');
  return readerOf(language);
}

/** Messages go to standard error, which may end in a log: redacted like a log. Standard output is for results. */
export function printNote(line: string): void {
  process.stderr.write(`${redactText(line)}\n`);
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Prints with backpressure. */
export async function printLine(line: string): Promise<void> {
  const written = new Promise<void>((resolve) => {
    process.stdout.write(`${line}\n`, () => {
      resolve();
    });
  });
  if (process.stdout.writableNeedDrain) await written;
}

export function printJson(document: unknown): void {
  process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
}

export function printAs(
  json: boolean | undefined,
  document: object,
  lines: readonly string[],
): void {
  if (json === true) printJson(document);
  else for (const line of lines) print(line);
}

/** Asks on a terminal. @returns the answer, trimmed */
export async function ask(question: string): Promise<string> {
  const { createInterface } =
    require('node:readline/promises') as typeof import('node:readline/promises');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await terminal.question(question)).trim();
  } finally {
    terminal.close();
  }
}

let readerIsGone = false;

export function isReaderGone(): boolean {
  return readerIsGone;
}

/** A closed reader (`| head`) is no error: the command runs to its end and prints nothing more. */
export function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      readerIsGone = true;
    });
  }
}

/** Parses a flag; the command line names it in its error. @returns milliseconds */
export function durationMs(text: string): number {
  const ms = readDuration(text);
  if (ms !== null) return ms;
  throw new InvalidArgumentError(
    say(
      'Expected a duration like 90s, 15m, 24h or 7d.',
      'Informe uma duração como 90s, 15m, 24h ou 7d.',
    ),
  );
}

/** Epoch milliseconds, and the text as typed. */
export function sinceOf(text: string): { at: number; words: string } {
  const words = text.trim();
  if (/^\d+(?:\.\d+)?[smhd]$/.test(words)) {
    return { at: Math.max(0, Date.now() - durationMs(words)), words };
  }
  const [, date = ''] = /^(\d{4}-\d{2}-\d{2})(?:T.+)?$/.exec(words) ?? [];
  const day = Date.parse(date);
  const at = Date.parse(words);
  // `Date` reads February 30 as a day of March.
  const isDate = !Number.isNaN(day) && new Date(day).toISOString().startsWith(date);
  if (!isDate || Number.isNaN(at)) {
    throw new InvalidArgumentError(
      say(
        'Expected a date like 2026-12-31, an instant, or a time ago like 7d.',
        'Informe uma data, como 2026-12-31, um instante ou um tempo atrás, como 7d.',
      ),
    );
  }
  return { at, words };
}

export function wholeNumber(lowest: number, highest: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < lowest || value > highest) {
      throw new InvalidArgumentError(
        say(
          `Expected a whole number from ${lowest} to ${highest}.`,
          `Informe um número inteiro de ${lowest} a ${highest}.`,
        ),
      );
    }
    return value;
  };
}

export function oneOf<const T extends string>(words: readonly T[]): (text: string) => T {
  return (text) => {
    const word = words.find((known) => known === text);
    if (word === undefined) {
      const list = words.join(', ');
      throw new InvalidArgumentError(
        say(`Expected one of ${list}.`, `Informe um destes: ${list}.`),
      );
    }
    return word;
  };
}
