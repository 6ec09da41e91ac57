import type { Cell, Findings, FindingSection } from '../../domain/core/findings';
import { cellWords } from '../../report/findings/section';
import type { Reader } from '../../report/reader';
import { nameOf, pathName } from '../../report/words';
import { cut, printable } from '../jobs/text';
import { lineOf, widthsOf } from './table';

const mostRows = 15;
const mostSections = 5;
/** A column that would be narrower is left out. */
const leastWidth = 10;

/**
 * Findings for a terminal: the first rows of the first sections, and the file of the result folder with the
 * rest. No line is wider than `width` columns. English uses the field names of `--json`.
 */
export function findingsLines(
  { facts, sections }: Findings,
  width: number,
  reader: Reader,
): string[] {
  const { language, say } = reader;
  const named = Object.entries(facts)
    .filter(([, value]) => value !== null && value !== '')
    .map(([path, value]) => {
      const name = language === 'en' ? path : pathName(path, language);
      return [printable(name), cellText(reader, path, value)];
    });
  const longest = Math.min(24, ...widthsOf(named).slice(0, 1));
  // A summary may repeat a value under the same name.
  const lines = named.map(([name = '', value = '']) => `  ${name.padEnd(longest)}  ${value}`);
  const full = sections.filter(({ rows }) => rows.length > 0);
  const shown = full.slice(0, mostSections);
  const most = Math.max(1, Math.floor(mostRows / shown.length));
  return [
    ...new Set(lines),
    ...shown.flatMap((section) => sectionLines(section, most, width, reader)),
    ...full.slice(mostSections).map(({ file, title, total }) => {
      return `  ${titleOf(title, reader)}: ${total} ${say('in', 'em')} ${file}`;
    }),
  ].map((line) => cut(line, width));
}

function sectionLines(
  { columns, file, rows, title, total }: FindingSection,
  most: number,
  width: number,
  reader: Reader,
): string[] {
  const { count: of, say } = reader;
  const shown = columns.filter((column) => rows.some((row) => (row[column] ?? '') !== ''));
  const texts = rows
    .slice(0, most)
    .map((row) => shown.map((column) => cellText(reader, column, row[column] ?? null)));
  const heads = headsOf(shown, reader);
  const wanted = widthsOf([heads.map((head) => head.slice(0, 12)), ...texts]);
  const widths = fitted(wanted, width - 2);
  const lines = [heads, ...texts].map((row) => `  ${lineOf(row, widths)}`);
  const [unseen, left] = [total - texts.length, shown.length - widths.length];
  const isCut = widths.some((room, at) => room < (wanted[at] ?? 0));
  const rest = [
    unseen > 0 ? of(unseen, ['more row', 'more rows'], ['linha a mais', 'linhas a mais']) : '',
    left > 0 ? of(left, ['more column', 'more columns'], ['coluna a mais', 'colunas a mais']) : '',
    isCut ? say('what is cut', 'o texto cortado') : '',
  ].filter((one) => one !== '');
  const more = rest.length === 0 ? [] : [`  ${rest.join(', ')}: ${file}`];
  return [`${titleOf(title, reader)} (${total})`, ...lines, ...more];
}

/** The last word of a path, where it identifies one column. */
function headsOf(columns: readonly string[], { language }: Reader): string[] {
  const last = columns.map((column) => column.slice(column.lastIndexOf('.') + 1));
  const isOwn = (word: string): boolean => last.indexOf(word) === last.lastIndexOf(word);
  const names = last.map((word, at) => (isOwn(word) ? word : (columns[at] ?? word)));
  return names.map((name) => {
    return printable(language === 'en' ? name : pathName(name, language)).toUpperCase();
  });
}

/** Widths of as many columns as fit, the first ones first; none takes more than two fifths. */
function fitted(wanted: readonly number[], width: number): number[] {
  const widths: number[] = [];
  let left = width;
  for (const one of wanted) {
    const room = Math.min(one, Math.floor(width * 0.4), left);
    if (room < Math.min(one, leastWidth)) break;
    widths.push(room);
    left -= room + 2;
  }
  // The first column that is cut gets the rest.
  const narrow = widths.findIndex((room, at) => room < (wanted[at] ?? 0));
  if (narrow >= 0) widths[narrow] = Math.min(wanted[narrow] ?? 0, (widths[narrow] ?? 0) + left + 2);
  return widths;
}

function titleOf(title: string, { language }: Reader): string {
  return printable(language === 'en' ? title : nameOf(title, language));
}

function cellText(reader: Reader, path: string, cell: Cell): string {
  if (reader.language !== 'en') return printable(cellWords(reader, path, cell));
  return printable(cell === null ? '' : String(cell));
}
