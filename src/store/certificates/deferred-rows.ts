import type { AgainRow, DeferInput } from '../../domain/certificates/certificate-rows';
import type { SealedDatabase } from '../sealed/sealed-database';
import { insertInto, partsOf, replacing, statement } from '../statement';

/** Rows that a lane defers, by number: a workflow cannot carry any number of them. */
export class DeferredRowRepository {
  readonly #store: SealedDatabase;

  constructor(store: SealedDatabase) {
    this.#store = store;
  }

  /** The later of two steps about a row wins: a late repetition changes nothing. */
  async put({ list, lane, step }: DeferInput, rows: readonly AgainRow[]): Promise<void> {
    const values = rows.map(({ rowIndex, attempts, mode, notBefore, throttled, was }) => [
      list.folder,
      lane,
      rowIndex,
      attempts,
      mode,
      notBefore,
      throttled,
      was,
      step,
      null,
    ]);
    const otherwise = `${replacing(key, columns.slice(key.length))}
      WHERE excluded.put_in > deferred_row.put_in`;
    await this.#store.commit(
      partsOf(values).map((some) => insertInto('deferred_row', columns, some, otherwise)),
    );
  }

  /**
   * Takes the rows due within the bounds, earliest first. A repeated step gets the same rows, and perhaps more.
   *
   * @returns `soonest`: instant of the first remaining row; null: none
   */
  async take(
    { list, lane, step }: DeferInput,
    { from, to, limit }: { from: number; to: number; limit: number },
  ): Promise<{ rows: AgainRow[]; soonest: number | null }> {
    const rowKey = [list.folder, lane];
    await this.#store.commit([
      statement(
        `UPDATE deferred_row SET taken_in = ? WHERE job = ? AND lane = ? AND item IN
           (SELECT item FROM deferred_row WHERE job = ? AND lane = ? AND taken_in IS NULL
            AND not_before >= ? AND not_before <= ? ORDER BY not_before LIMIT ?)`,
        [step, ...rowKey, ...rowKey, from, to, limit],
      ),
    ]);
    const rows = await this.#store.read<AgainRow>(
      statement(
        `SELECT item AS "rowIndex", attempts, mode, not_before AS "notBefore",
                throttled, was
         FROM deferred_row WHERE job = ? AND lane = ? AND taken_in = ? ORDER BY not_before`,
        [...rowKey, step],
      ),
    );
    const [left] = await this.#store.read<{ soonest: number | null }>(
      statement(
        `SELECT min(not_before) AS soonest FROM deferred_row
         WHERE job = ? AND lane = ? AND taken_in IS NULL`,
        rowKey,
      ),
    );
    return { rows, soonest: left?.soonest ?? null };
  }

  async remove(folder: string, lane: string): Promise<void> {
    await this.#store.commit([
      statement('DELETE FROM deferred_row WHERE job = ? AND lane = ?', [folder, lane]),
    ]);
  }
}

const key = ['job', 'lane', 'item'] as const;
const columns = [
  ...key,
  'attempts',
  'mode',
  'not_before',
  'throttled',
  'was',
  'put_in',
  'taken_in',
];
