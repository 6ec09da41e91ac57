/** One row of a file, before anybody asks what its columns mean. */
export interface SourceRow {
  /** Where a person finds it: physical line, counted from 1, blank ones included. */
  line: number;
  cells: readonly string[];
}

/**
 * Reads one file format. Yields every row, the header and blank rows among them, in order, a few
 * at a time: a file of a million lines does not fit in memory twice. Throws SheetError.
 */
export type RowSource = (path: string) => AsyncIterable<SourceRow>;

export function isBlank(cells: readonly string[]): boolean {
  return cells.every((cell) => cell.trim() === '');
}
