import type { ManifestRow } from '../../domain/certificates/certificates';
import type { ChildJob } from '../../domain/core/job-batch';
import type { ItemStart } from '../../domain/certificates/job';

/** `start`: only in the list of a resolution; `child`: only in a batch of jobs. */
export type StoredRow = ManifestRow<string> & { start?: ItemStart; child?: ChildJob };

/** A row, and its row index or that of the item which it repeats; null when it is refused. */
export interface NumberedRow {
  row: StoredRow;
  rowIndex: number | null;
}

/** With their subjects; larger transactions delay other processes. */
const rowsPerCommit = 100;

/** Writes the rows of a job while its input is read: bounded memory. */
export class RowWriter {
  readonly #put: (rows: readonly NumberedRow[]) => Promise<void>;
  #waiting: NumberedRow[] = [];
  #items = 0;
  #lastLine = 0;

  constructor(put: (rows: readonly NumberedRow[]) => Promise<void>) {
    this.#put = put;
  }

  /** @throws RangeError unless lines increase: a row would be lost */
  async add(row: StoredRow): Promise<void> {
    const { line } = row;
    if (line <= this.#lastLine) {
      throw new RangeError(`line ${line} comes behind line ${this.#lastLine}`);
    }
    this.#lastLine = line;
    this.#waiting.push({ row, rowIndex: this.#rowIndexOf(row) });
    if (this.#waiting.length === rowsPerCommit) await this.#flush();
  }

  async end(): Promise<number> {
    if (this.#waiting.length > 0) await this.#flush();
    return this.#items;
  }

  /** Its row index, or that of the item which it repeats; the list of a resolution counts from 0. */
  #rowIndexOf(row: StoredRow): number | null {
    if (row.kind === 'item') return this.#items++;
    return row.kind === 'duplicate' ? row.item : null;
  }

  async #flush(): Promise<void> {
    await this.#put(this.#waiting);
    this.#waiting = [];
  }
}
