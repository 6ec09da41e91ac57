import type { ManifestRow } from '../../domain/certificates/certificates';
import type { ChildJob } from '../../domain/core/job-batch';
import type { ItemStart } from '../../domain/certificates/job';

/** `start` is there in the list of a decision alone, `child` for an item of a batch of jobs. */
export type StoredRow = ManifestRow<string> & { start?: ItemStart; child?: ChildJob };

/** A row, and its place or that of the item which it repeats; null when it is refused. */
export interface NumberedRow {
  row: StoredRow;
  rowIndex: number | null;
}

/** With the names of what they tell of: more in one transaction holds other processes up. */
const rowsPerCommit = 100;

/** Writes the rows of a work while its input is being read: bounded memory. */
export class RowWriter {
  readonly #put: (rows: readonly NumberedRow[]) => Promise<void>;
  #waiting: NumberedRow[] = [];
  #items = 0;
  #lastLine = 0;

  constructor(put: (rows: readonly NumberedRow[]) => Promise<void>) {
    this.#put = put;
  }

  /** @throws RangeError when it is not further down than the one before: one of the two would be lost */
  async add(row: StoredRow): Promise<void> {
    const { line } = row;
    if (line <= this.#lastLine) {
      throw new RangeError(`line ${line} comes behind line ${this.#lastLine}`);
    }
    this.#lastLine = line;
    this.#waiting.push({ row, rowIndex: this.#placeOf(row) });
    if (this.#waiting.length === rowsPerCommit) await this.#flush();
  }

  /**
   * Everything is on file.
   *
   * @returns how many items it has
   */
  async end(): Promise<number> {
    if (this.#waiting.length > 0) await this.#flush();
    return this.#items;
  }

  /** Its place, or that of the item which it repeats; the list of a decision counts its items anew. */
  #placeOf(row: StoredRow): number | null {
    if (row.kind === 'item') return this.#items++;
    return row.kind === 'duplicate' ? row.item : null;
  }

  async #flush(): Promise<void> {
    await this.#put(this.#waiting);
    this.#waiting = [];
  }
}
