import type { Cell, FindingSection, FlatRow } from '../../domain/core/findings';
import { maskDocumentsIn } from '../../protection/redaction';
import { html, type Content } from '../html';
import type { Column, Section } from '../page';
import type { Reader } from '../reader';
import { nameOf, statusWord } from '../words';

/** A column of a known section. */
export interface ViewColumn extends Column {
  /** Fields of a row: the first with a value; with `join`, all of them. */
  of: readonly string[];
  join?: string;
  /** Its values are summed. */
  isSummed?: true;
}

/** More would slow a browser down; the files have all. */
const mostRows = 500;
const mostColumns = 6;
const longestCell = 400;

/** A list of the service: the columns of its view, else its first columns with a value. */
export function findingsSection(
  reader: Reader,
  section: FindingSection,
  view?: readonly ViewColumn[],
): Section {
  const { formats, language, say } = reader;
  const { file, rows, title } = section;
  const reported = section.columns.filter((column) => rows.some((row) => hasValue(row[column])));
  const columns =
    view ?? reported.slice(0, mostColumns).map((name) => columnOf(name, rows, reader));
  const left = [
    [rows.length - mostRows, say('more rows', 'linhas a mais')],
    [view ? 0 : reported.length - mostColumns, say('more columns', 'colunas a mais')],
  ] as const;
  const more = left.flatMap(([count, words]) =>
    count > 0 ? `${formats.number(count)} ${words}` : [],
  );
  const hasSums = columns.some(({ isSummed }) => isSummed);
  const sums = columns.map(({ isSummed, of: [name = ''] }) =>
    isSummed === true ? formats.money(sumOf(rows, name).sum) : '',
  );
  return {
    title: nameOf(title, language),
    count: rows.length,
    blocks: [
      {
        columns,
        rows: rows
          .slice(0, mostRows)
          .map((row) => columns.map((column) => contentOf(row, column, reader))),
        totals: hasSums ? ['Total', ...sums.slice(1)] : null,
      },
      more.length === 0 ? null : { note: `${more.join(', ')}: ${file}` },
    ],
  };
}

function columnOf(name: string, rows: readonly FlatRow[], { language }: Reader): ViewColumn {
  const isNumber = rows.every((row) => row[name] == null || typeof row[name] === 'number');
  return { name: nameOf(name, language), of: [name], ...(isNumber && { as: 'count' }) };
}

function contentOf(row: FlatRow, { of, join }: ViewColumn, reader: Reader): Content {
  const known = of.filter((name) => hasValue(row[name]));
  const shown = (join === undefined ? known.slice(0, 1) : known).map((name) =>
    cellContent(reader, name, row[name] ?? null),
  );
  return shown.flatMap((content, at) => (at === 0 ? [content] : [join ?? '', content]));
}

/** In cents, so that sums are exact. */
export function sumOf(rows: readonly FlatRow[], name: string): { sum: number; missing: number } {
  const values = rows.map((row) => row[name]).filter((value) => typeof value === 'number');
  const cents = values.reduce((sum, value) => sum + Math.round(value * 100), 0);
  return { sum: cents / 100, missing: rows.length - values.length };
}

export function hasValue(cell: Cell | undefined): boolean {
  return cell !== null && cell !== undefined && cell !== '' && cell !== '[]';
}

/** A value, formatted by its column and form: a sum, an instant, a share. */
export function cellWords({ formats, language, say }: Reader, path: string, cell: Cell): string {
  const word = path.slice(path.lastIndexOf('.') + 1);
  if (cell === null) return '';
  if (typeof cell === 'boolean') return cell ? say('yes', 'sim') : say('no', 'não');
  if (typeof cell === 'number') {
    if (word === 'confidence' && cell >= 0 && cell <= 1) return formats.share(cell, 1);
    if (/^(?:valor|preco|multa)|_(?:multas|reais|value)$|Value$/.test(word))
      return formats.money(cell);
    // Years, ids and coordinates have no thousands separator.
    const text = String(Number(cell.toFixed(5)));
    return say(text, text.replace('.', ','));
  }
  if (['status', 'rural', 'severity'].includes(word)) return statusWord(cell, language);
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(cell)) return formats.instant(cell);
  return formats.day(cell);
}

/** The same on a page, where an address is a link. */
export function cellContent(reader: Reader, path: string, cell: Cell): Content {
  if (typeof cell !== 'string') return cell === null ? null : cellWords(reader, path, cell);
  if (/^https?:\/\/[^\s"'<>]+$/.test(cell)) {
    return html`<a href="${cell}" rel="noopener noreferrer">${cell}</a>`;
  }
  const shown = maskDocumentsIn(cellWords(reader, path, cell));
  return shown.length > longestCell ? `${shown.slice(0, longestCell)}…` : shown;
}
