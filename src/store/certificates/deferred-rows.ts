import type { AgainRow, DeferInput } from '../../domain/certificates/certificate-rows';
import { Repository } from '../sealed/sealed-database';
import { inserts, replacing } from '../sealed/table-rows';
import { sql } from '../statement';

/** Rows that a lane defers, by number: a workflow cannot carry any number of them. */
export class DeferredRowRepository extends Repository {
  /** The later of two steps about a row wins: a late repetition changes nothing. */
  async put({ list, lane, step }: DeferInput, rows: readonly AgainRow[]): Promise<void> {
    const values = rows.map((row) => {
      return { job: list.folder, lane, ...row, putIn: step, takenIn: null };
    });
    const otherwise = `${replacing('deferred_row', ...changing)}
      WHERE excluded.put_in > deferred_row.put_in`;
    await this.store.commit(inserts('deferred_row', values, otherwise));
  }

  /** Rows due within the bounds, earliest first, and when the rest is due. A repeated step gets the same. */
  async take(
    { list, lane, step }: DeferInput,
    { from, to, limit }: { from: number; to: number; limit: number },
  ): Promise<{ rows: AgainRow[]; soonest: number | null }> {
    const own = sql`job = ${list.folder} AND lane = ${lane}`;
    const waiting = sql`FROM deferred_row WHERE ${own} AND taken_in IS NULL`;
    await this.store.commit([
      sql`UPDATE deferred_row SET taken_in = ${step} WHERE ${own} AND row_index IN
        (SELECT row_index ${waiting} AND not_before BETWEEN ${from} AND ${to}
         ORDER BY not_before LIMIT ${limit})`,
    ]);
    const rows = await this.store.read<AgainRow>(sql`
      SELECT row_index, attempts, mode, not_before, throttled, was
      FROM deferred_row WHERE ${own} AND taken_in = ${step} ORDER BY not_before`);
    const [left] = await this.store.read<{ soonest: number | null }>(
      sql`SELECT min(not_before) AS soonest ${waiting}`,
    );
    return { rows, soonest: left?.soonest ?? null };
  }

  async remove(folder: string, lane: string): Promise<void> {
    await this.store.commit([
      sql`DELETE FROM deferred_row WHERE job = ${folder} AND lane = ${lane}`,
    ]);
  }
}

const changing = ['attempts', 'mode', 'not_before', 'throttled', 'was', 'put_in', 'taken_in'];
