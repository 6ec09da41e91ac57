import type { ResultRow } from '../../domain/certificates/certificates';
import { CsvFile, type CsvStyle } from './csv-file';
import { ownCells, ownNames, resultCells, resultColumns } from './result-cells';

export interface ResultSheetOptions extends CsvStyle {
  /** Names of the user's other columns. */
  columns?: readonly string[];
}

/** `results.csv` of certificates; with `excel`, documents are punctuated: bare digits would be a number. */
export class ResultSheet {
  readonly #file: CsvFile;
  readonly #excel: boolean;
  readonly #own: readonly string[];

  constructor(path: string, { columns = [], excel = false }: ResultSheetOptions = {}) {
    this.#excel = excel;
    this.#own = columns;
    const names = [...resultColumns, ...ownNames(columns, resultColumns)];
    this.#file = new CsvFile(path, names, { excel });
  }

  /** Resolves when the next row may be written. Rows keep the order of the calls. */
  async write(row: ResultRow): Promise<void> {
    const cells = [...resultCells(row, this.#excel), ...ownCells(row.own, this.#own)];
    if (!this.#file.write(cells)) await this.#file.drained();
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  abandon(): Promise<void> {
    return this.#file.abandon();
  }
}
