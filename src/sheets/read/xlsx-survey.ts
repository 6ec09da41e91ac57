import type { OddCell } from './xlsx-cells';

export interface SheetSurvey {
  /** The last row, and the last column with a value, from 1. */
  rows: number;
  columns: number;
  /**
   * Errors (`#N/A`) and formulas without a stored result, by row and column, from 1. The reader
   * returns empty cells for them.
   */
  odd: ReadonlyMap<number, ReadonlyMap<number, OddCell>>;
}

const tag = /<(?:\w+:)?(row|c|f|v|is)(\s[^<>]*)?>/g;

interface OpenCell {
  row: number;
  column: number;
  type: string;
  hasFormula: boolean;
  value: string | undefined;
}

/** Scans the XML of a sheet (one character a byte is enough) for what the reader leaves out. */
export function surveySheet(xml: string): SheetSurvey {
  const odd = new Map<number, Map<number, OddCell>>();
  let rows = 0;
  let columns = 0;
  let cell: OpenCell | undefined;
  const close = (): void => {
    if (cell === undefined) return;
    const { row, column } = cell;
    rows = Math.max(rows, row);
    const found = oddCell(cell);
    if (found !== undefined) {
      const inRow = odd.get(row) ?? new Map<number, OddCell>();
      odd.set(row, inRow.set(column, found));
    }
    if (found !== undefined || cell.value !== undefined) columns = Math.max(columns, column);
    cell = undefined;
  };
  for (const match of xml.matchAll(tag)) {
    const [all, name, attributes = ''] = match;
    if (name === 'row') {
      close();
      rows = Math.max(rows, Number(/\sr=["'](\d+)["']/.exec(attributes)?.[1] ?? 0));
    } else if (name === 'c') {
      close();
      cell = openCell(attributes);
    } else if (cell !== undefined) {
      if (name === 'f') cell.hasFormula = true;
      else cell.value = textAfter(xml, match.index + all.length, all);
    }
  }
  close();
  return { rows, columns, odd };
}

function openCell(attributes: string): OpenCell | undefined {
  const position = /\sr=["']([A-Z]{1,7})(\d+)["']/.exec(attributes);
  if (position === null) return undefined;
  let column = 0;
  for (const letter of position[1] ?? '') column = column * 26 + (letter.charCodeAt(0) - 64);
  return {
    row: Number(position[2]),
    column,
    type: /\st=["'](\w+)["']/.exec(attributes)?.[1] ?? 'n',
    hasFormula: false,
    value: undefined,
  };
}

function textAfter(xml: string, start: number, tagText: string): string {
  if (tagText.endsWith('/>')) return '';
  const end = xml.indexOf('<', start);
  return end === -1 ? '' : xml.slice(start, end);
}

function oddCell({ type, hasFormula, value }: OpenCell): OddCell | undefined {
  if (type === 'e') return { kind: 'error', text: value?.trim() || '(error)' };
  // A formula may have an empty text as its result.
  const isEmpty = value === undefined || (value === '' && type !== 'str');
  return hasFormula && isEmpty ? { kind: 'not_calculated', text: '(formula)' } : undefined;
}
