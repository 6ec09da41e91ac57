/**
 * One row of a file, before anybody asks what its columns mean. A reader of a format yields every
 * row in order, the header and blank rows among them, and throws SheetError.
 */
export interface SourceRow {
  /** Where a person finds it: physical line, counted from 1, blank ones included. */
  line: number;
  cells: readonly string[];
  /** Cells that cannot be a document whatever their text looks like, by position from 0. */
  faults?: ReadonlyMap<number, CellFault>;
}

/** Why a cell of a workbook cannot be a document: it is a date, an error, a fraction... */
export interface CellFault {
  /** Stable word, as a manifest has it. */
  code: string;
  /** A sentence for the analyst, with the cell's address. Never holds what the cell holds. */
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
