import type { ResultRow } from '../../domain/certificates/certificates';
import { CsvFile, type CsvStyle } from './csv-file';
import { ownCells, ownNames, resultCells, resultColumns } from './result-cells';

export interface ResultSheetOptions extends CsvStyle {
  columns?: readonly string[];
}

/** A file of results, row by row, which appears when it is closed. */
export interface ResultFile {
  /** Resolves when the next row may be written. Rows keep the order of the calls. */
  write(row: ResultRow): Promise<void>;
  close(): Promise<void>;
  abandon(): Promise<void>;
}

/** `results.csv` of certificates; with `excel`, documents are punctuated: bare digits would be a number. */
export function openResultSheet(
  path: string,
  { columns = [], excel = false }: ResultSheetOptions = {},
): ResultFile {
  const file = new CsvFile(path, [...resultColumns, ...ownNames(columns, resultColumns)], {
    excel,
  });
  return {
    async write(row) {
      const isRoom = file.write([...resultCells(row, excel), ...ownCells(row.own, columns)]);
      if (!isRoom) await file.drained();
    },
    close: () => file.close(),
    abandon: () => file.abandon(),
  };
}
