/**
 * One row of a file, before its columns have a meaning. A reader of a format yields every
 * row in order, header and blank rows included, and throws SheetError.
 */
export interface SourceRow {
  /** Physical line, counted from 1, blank ones included. */
  line: number;
  cells: readonly string[];
  /** Cells that cannot be a document whatever their text, by position from 0. */
  faults?: ReadonlyMap<number, CellFault>;
}

/** Why a cell of a workbook cannot be a document: it is a date, an error, a fraction... */
export interface CellFault {
  /** Stable word, used in a manifest. */
  code: string;
  /** A sentence for the analyst with the cell's address, and never its content. */
  message: string;
}

export function isBlank(cells: readonly string[]): boolean {
  return cells.every((cell) => cell.trim() === '');
}

/** `A` for 0, `AA` for 26. */
export function columnLetters(at: number): string {
  const last = String.fromCharCode(65 + (at % 26));
  return at < 26 ? last : columnLetters(Math.floor(at / 26) - 1) + last;
}
