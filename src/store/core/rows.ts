import { documentsOf } from '../../domain/core/held-documents';
import type { SealedDatabase } from '../sealed-database';
import { insertInto, statement } from '../statement';
import { numberSubjects } from '../audit/numbers';
import { addSubjectLines, type NameOf } from './subjects';
import { WorkTable, type SealedRow } from './work-table';
import { RowWriter, type PlacedRow, type StoredRow } from './row-writer';

/**
 * The input lines of works, and of the lists that a person's decisions make: an item, a repetition of
 * one, or refused. Written before the work can be started; nothing of them is changed but by an erasure.
 */
export class RowRepository extends WorkTable<StoredRow> {
  constructor(store: SealedDatabase) {
    super(store, 'batch_row', ['line']);
  }

  /** @param nameOf of a work of its own: what its rows tell of is held in its name */
  writer(work: string, nameOf: NameOf | null = null): RowWriter {
    return new RowWriter((rows) => this.#insert(work, rows, nameOf));
  }

  /** By its place among the items of the work; null when there is none. */
  async item(work: string, place: number): Promise<StoredRow | null> {
    const [row] = await this.store.read<SealedRow>(
      statement(`SELECT line, body FROM batch_row WHERE work = ? AND item = ? AND kind = 'item'`, [
        work,
        place,
      ]),
    );
    return row === undefined ? null : this.opened(work, row);
  }

  /** Works that begin like this one, and lists that belong to them, in order. */
  async works(prefix: string): Promise<string[]> {
    const found: string[] = [];
    // One bound alone: with two the database would walk over all rows between them.
    for (let [bound, from] = ['>=', prefix]; ;) {
      const [row] = await this.store.read<{ work: string | null }>(
        statement(`SELECT min(work) AS work FROM batch_row WHERE work ${bound} ? AND work < ?`, [
          from,
          `${prefix}\u{10ffff}`,
        ]),
      );
      if (row?.work == null) return found;
      found.push((from = row.work));
      bound = '>';
    }
  }

  /** What stands there stays: the same work has the same rows. */
  async #insert(work: string, rows: readonly PlacedRow[], nameOf: NameOf | null): Promise<void> {
    const values = await Promise.all(
      rows.map(async ({ row, place }) => {
        const body = await this.sealed(work, [row.line], row);
        return [work, row.line, row.kind, place, body];
      }),
    );
    const told = rows.flatMap(({ row }) =>
      nameOf === null
        ? []
        : documentsOf(row).map((document) => ({ subject: nameOf(document), line: row.line })),
    );
    await this.store.commit([
      insertInto('batch_row', ['work', 'line', 'kind', 'item', 'body'], values),
      // In the same transaction: nothing stands there that an erasure does not find.
      ...addSubjectLines(work, told),
      ...numberSubjects(told.map(({ subject }) => subject)),
    ]);
  }
}
