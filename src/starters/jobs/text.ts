import type { Words } from '../../domain/job';
import type { Billing } from '../../domain/core/service/billing-totals';
import { problemWords } from '../../report/problem-words';
import type { Reader } from '../../report/reader';
import { stateWord } from '../../report/words';
import { UsageError } from './errors';
import type { LineProblem } from './begin/start-job';

/** The first of many lines. @param all how many there are */
export function firstOf(
  lines: readonly string[],
  most: number,
  { say }: Reader,
  all = lines.length,
): string[] {
  const shown = lines.slice(0, most);
  const more = all - shown.length;
  return more > 0 ? [...shown, say(`and ${more} more`, `e mais ${more}`)] : shown;
}

/** Removes control characters, which a terminal would obey. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?');
}

/** Cuts a longer text to the width. */
export function cut(text: string, width: number): string {
  const letters = Array.from(text);
  return letters.length <= width ? text : `${letters.slice(0, width - 1).join('')}…`;
}

export function factLines(
  facts: readonly (readonly [string, string | number | null])[],
  width = 10,
): string[] {
  const known = facts.filter(([, value]) => value !== null);
  return known.map(([name, value]) => `  ${name.padEnd(width)} ${value}`);
}

const mostPrinted = 20;

export function problemLines(problems: readonly LineProblem[], reader: Reader): string[] {
  const { language, say } = reader;
  const lines = problems.slice(0, mostPrinted).map((problem) => {
    const { line, status, code, reference } = problem;
    const name = reference === undefined ? '' : ` (${printable(reference.slice(0, 40))})`;
    const state = `${stateWord(status, language)}${code === null ? '' : ` (${code})`}`;
    return `${say('line', 'linha')} ${line}${name}: ${state}: ${problemWords(problem, language)}`;
  });
  return firstOf(lines, mostPrinted, reader, problems.length).map((line) => `  ${line}`);
}

export function leftLines(
  left: Readonly<Record<string, number>>,
  { language, say }: Reader,
): string[] {
  return Object.entries(left).map(([why, count]) => {
    return `${say('left', 'de fora')}: ${count} ${stateWord(why, language)}`;
  });
}

export function billingWords(
  billing: Billing | null,
  { language }: Pick<Reader, 'language'>,
): string | null {
  if (billing === null) return null;
  const { status, amount, unit } = billing;
  const word = status === null ? '-' : stateWord(status, language);
  return [word, amount ?? '-', unit ?? ''].join(' ').trim();
}

/** What a flag names. @throws UsageError, without quoting it */
export function itemOf(
  flag: string,
  reading: { document: string } | { code: string; message: string },
): string {
  if ('document' in reading) return reading.document;
  throw new UsageError(flagProblem(flag, reading));
}

export function flagProblem(flag: string, problem: { code: string; message: string }): Words {
  const [en, pt] = faultWords(problem);
  return [`${flag}: ${en}`, `${flag}: ${pt}`];
}

/** An error in both languages, or its code. */
export function faultWords(
  fault: { message: string } & ({ pt: string } | { code: string }),
): Words {
  return [fault.message, 'pt' in fault ? fault.pt : problemWords(fault, 'pt')];
}

/** Code and message of an error, as far as known; null: no error. */
export function errorWords(
  error: { code: string | null; message: string } | null,
  { language }: Pick<Reader, 'language'>,
): string | null {
  return error && `${error.code === null ? '' : `${error.code}: `}${problemWords(error, language)}`;
}
