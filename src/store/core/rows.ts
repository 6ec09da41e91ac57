import { documentsOf } from '../../domain/core/documents/held-documents';
import { numberSubjects } from '../audit/numbers';
import type { SealedDatabase } from '../sealed/sealed-database';
import { SealedTable } from '../sealed/sealed-table';
import { rangeOf, statement } from '../statement';
import { RowWriter, type NumberedRow, type StoredRow } from './row-writer';
import { addSubjectLines, type NameOf } from './subjects';

/**
 * The input lines of works, and of the lists that a person's decisions make: an item, a repetition of
 * one, or refused. Written before the work can be started; nothing of them is changed but by an erasure.
 */
export class RowRepository extends SealedTable<StoredRow> {
  constructor(store: SealedDatabase) {
    super(store, 'batch_row', ['work', 'line'], ['kind', 'item', 'child']);
  }

  /** @param nameOf of a work of its own: what its rows tell of is held in its name */
  writer(folder: string, nameOf: NameOf | null = null): RowWriter {
    return new RowWriter((rows) => this.put(folder, rows, nameOf));
  }

  /** By its place among the items of the work; null when there is none. */
  async item(folder: string, rowIndex: number): Promise<StoredRow | null> {
    const [row] = await this.read([folder], {
      where: statement(`item = ? AND kind = 'item'`, [rowIndex]),
    });
    return row?.body ?? null;
  }

  /** Those above a place among the items, in order. */
  async itemsAfter(folder: string, rowIndex: number, limit: number): Promise<StoredRow[]> {
    const rows = await this.read([folder], {
      where: statement(`item > ? AND kind = 'item'`, [rowIndex]),
      order: `item LIMIT ${limit}`,
    });
    return rows.map(({ body }) => body);
  }

  /** Works that begin like this one, and lists that belong to them, in order. */
  async lists(prefix: string): Promise<string[]> {
    const found: string[] = [];
    // One bound alone: with two the database would walk over all rows between them.
    for (let [bound, from] = ['>=', prefix]; ;) {
      const [row] = await this.store.read<{ work: string | null }>(
        statement(`SELECT min(work) AS work FROM batch_row WHERE work ${bound} ? AND work < ?`, [
          from,
          rangeOf(prefix)[1],
        ]),
      );
      if (row?.work == null) return found;
      found.push((from = row.work));
      bound = '>';
    }
  }

  /** What stands there stays: the same work has the same rows. */
  async put(folder: string, rows: readonly NumberedRow[], nameOf: NameOf | null): Promise<void> {
    const subjectLines = rows.flatMap(({ row }) =>
      nameOf === null
        ? []
        : documentsOf(row).map((document) => ({ subject: nameOf(document), line: row.line })),
    );
    await this.store.commit([
      ...this.insert(
        rows.map(({ row, rowIndex }) => [
          folder,
          row.line,
          row.kind,
          rowIndex,
          row.child?.jobId ?? null,
          row,
        ]),
      ),
      // In the same transaction: nothing stands there that an erasure does not find.
      ...addSubjectLines(folder, subjectLines),
      ...numberSubjects(subjectLines.map(({ subject }) => subject)),
    ]);
  }
}
