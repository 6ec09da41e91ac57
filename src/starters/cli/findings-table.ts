import type { Cell, Findings, FindingSection } from '../../domain/core/findings';
import { cellWords } from '../../report/findings/section';
import type { Reader } from '../../report/reader';
import { nameOf, pathName } from '../../report/words';
import { cut, printable, widthOf } from '../jobs/text';

const mostRows = 15;
const mostSections = 5;
/** A column that would be narrower is left out. */
const leastWidth = 10;
const gap = 2;

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
      return [printable(name), cellText(reader, path, value)] as const;
    });
  const longest = Math.min(24, Math.max(0, ...named.map(([name]) => widthOf(name))));
  // A summary may repeat a value under the same name.
  const lines = [...new Set(named.map(([name, value]) => `  ${padded(name, longest)}  ${value}`))];
  const full = sections.filter(({ rows }) => rows.length > 0);
  const shown = full.slice(0, mostSections);
  const counts = shared(shown.map(({ rows }) => rows.length));
  for (const [at, section] of shown.entries()) {
    lines.push(...sectionLines(section, counts[at] ?? 0, width, reader));
  }
  for (const { file, title, total } of full.slice(mostSections)) {
    lines.push(`  ${titleOf(title, reader)}: ${total} ${say('in', 'em')} ${file}`);
  }
  return lines.map((line) => cut(line, width));
}

/** Shown rows of each section: long sections get what short ones leave. */
function shared(lengths: readonly number[]): number[] {
  const counts = lengths.map(() => 0);
  for (let left = mostRows, given = -1; left > 0 && given !== left;) {
    given = left;
    for (const [at, length] of lengths.entries()) {
      const count = counts[at] ?? 0;
      if (left === 0 || count >= length) continue;
      counts[at] = count + 1;
      left -= 1;
    }
  }
  return counts;
}

function sectionLines(
  section: FindingSection,
  count: number,
  width: number,
  reader: Reader,
): string[] {
  const { count: of, say } = reader;
  const { columns, file, rows, title, total } = section;
  const isShown = (column: string): boolean =>
    rows.some((row) => row[column] !== undefined && row[column] !== null && row[column] !== '');
  const shown = columns.filter(isShown);
  const texts = rows
    .slice(0, count)
    .map((row) => shown.map((one) => cellText(reader, one, row[one] ?? null)));
  const heads = headsOf(shown, reader);
  const cells = shown.map((_, at) => Math.max(...texts.map((row) => widthOf(row[at] ?? ''))));
  const wanted = heads.map((head, at) => Math.max(cells[at] ?? 0, Math.min(widthOf(head), 12)));
  const widths = fitted(wanted, width - gap);
  const line = (row: readonly string[]): string =>
    widths
      .map((room, at) => `  ${padded(cut(row[at] ?? '', room), room)}`)
      .join('')
      .trimEnd();
  const left = [
    total > count
      ? of(total - count, ['more row', 'more rows'], ['linha a mais', 'linhas a mais'])
      : null,
    shown.length > widths.length
      ? of(
          shown.length - widths.length,
          ['more column', 'more columns'],
          ['coluna a mais', 'colunas a mais'],
        )
      : null,
    widths.some((room, at) => room < (cells[at] ?? 0))
      ? say('what is cut', 'o texto cortado')
      : null,
  ].filter((one) => one !== null);
  const more = left.length === 0 ? [] : [`  ${left.join(', ')}: ${file}`];
  return [`${titleOf(title, reader)} (${total})`, line(heads), ...texts.map(line), ...more];
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

/** Widths of as many columns as fit, the first ones first; what is left over goes to those that are cut. */
function fitted(wanted: readonly number[], width: number): number[] {
  const widths: number[] = [];
  const most = Math.floor(width * 0.4);
  let left = width;
  for (const one of wanted) {
    const room = Math.min(one, most, left);
    if (room < Math.min(one, leastWidth)) break;
    widths.push(room);
    left -= room + gap;
  }
  left += gap;
  for (const [at, room] of widths.entries()) {
    const more = Math.max(0, Math.min(left, (wanted[at] ?? 0) - room));
    widths[at] = room + more;
    left -= more;
  }
  return widths;
}

function titleOf(title: string, { language }: Reader): string {
  return printable(language === 'en' ? title : nameOf(title, language));
}

function cellText(reader: Reader, path: string, cell: Cell): string {
  if (reader.language !== 'en') return printable(cellWords(reader, path, cell));
  return printable(cell === null ? '' : String(cell));
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}
