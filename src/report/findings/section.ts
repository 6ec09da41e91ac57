import type { Cell, FindingSection, FlatRow } from '../../domain/core/findings';
import { maskDocumentsIn } from '../../protection/redaction';
import { html, type Content, type Html } from '../html';
import { cardPart, tablePart, type Column } from '../parts';
import type { Reader } from '../reader';
import { nameOf, statusWord } from '../words';

/** Columns of a known section: the fields of a row. */
export interface SectionView {
  columns: readonly Column[];
  cells(row: FlatRow): readonly Content[];
  totals?: readonly Content[];
}

/** More would slow a browser down; the files have all. */
const mostRows = 500;
const mostColumns = 6;
const longestCell = 400;

/** A list of the service: its first columns with a value. */
export function sectionPart(
  reader: Reader,
  section: FindingSection,
  view: SectionView | null,
): Html {
  const { formats, language, say } = reader;
  const { file, rows, title } = section;
  const name = nameOf(title, language);
  const reported = section.columns.filter((column) => rows.some((row) => hasValue(row[column])));
  const shown = view ?? plainView(reader, reported.slice(0, mostColumns), rows);
  const more = [
    left(rows.length - mostRows, say('more rows', 'linhas a mais')),
    view === null
      ? left(reported.length - mostColumns, say('more columns', 'colunas a mais'))
      : null,
  ].filter((one) => one !== null);
  const cells = rows.slice(0, mostRows).map((row) => shown.cells(row));
  return cardPart(
    name,
    html`${tablePart(shown.columns, cells, shown.totals ?? null)}
    ${more.length === 0 ? null : html`<p class="muted small">${more.join(', ')}: ${file}</p>`}`,
    formats.number(rows.length),
  );

  function left(count: number, words: string): string | null {
    return count > 0 ? `${formats.number(count)} ${words}` : null;
  }
}

/** Reported sections without rows: one card for all. */
export function emptyPart(
  { language, say }: Reader,
  sections: readonly FindingSection[],
): Html | null {
  const names = sections.map(({ title }) => nameOf(title, language));
  if (names.length === 0) return null;
  const title = say('Asked for, and nothing there', 'Consultado, e nada consta');
  return cardPart(title, html`<p>${names.join(' · ')}</p>`);
}

function plainView(
  reader: Reader,
  columns: readonly string[],
  rows: readonly FlatRow[],
): SectionView {
  const isNumber = (column: string): boolean =>
    rows.every((row) => row[column] == null || typeof row[column] === 'number');
  return {
    columns: columns.map((column) => ({
      name: nameOf(column, reader.language),
      ...(isNumber(column) && { look: 'right' as const }),
    })),
    cells: (row) => columns.map((column) => cellContent(reader, column, row[column] ?? null)),
  };
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
    if (/^(?:valor|preco|multa)|_(?:multas|reais)$|Value$/.test(word)) return formats.money(cell);
    // Years, ids and coordinates have no thousands separator.
    return Number.isInteger(cell) ? String(cell) : plainNumber(cell, language);
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

function plainNumber(value: number, language: Reader['language']): string {
  const text = String(Number(value.toFixed(5)));
  return language === 'pt' ? text.replace('.', ',') : text;
}
