import { documentsOf } from '../../domain/core/documents/held-documents';
import { numberSubjects } from '../audit/numbers';
import type { SealedDatabase } from '../sealed/sealed-database';
import { SealedTable } from '../sealed/sealed-table';
import { endOf, sql } from '../statement';
import { RowWriter, type NumberedRow, type StoredRow } from './row-writer';
import { addSubjectLines, type NameOf } from './subjects';

/**
 * Input rows of jobs, and of the lists that resolutions make: an item, a repetition of one, or refused. Written
 * before the job can be started; only an erasure changes them.
 */
export class RowRepository extends SealedTable<StoredRow> {
  constructor(store: SealedDatabase) {
    super(store, 'batch_row');
  }

  /** @param nameOf set for a job: indexes the subjects of its rows under its name */
  writer(folder: string, nameOf: NameOf | null = null): RowWriter {
    return new RowWriter((rows) => this.put(folder, rows, nameOf));
  }

  /** By row index; null: none. */
  async item(folder: string, rowIndex: number): Promise<StoredRow | null> {
    const [row] = await this.read([folder], {
      where: sql`item = ${rowIndex} AND kind = 'item'`,
    });
    return row?.body ?? null;
  }

  /** Rows after an index, in order. */
  async itemsAfter(folder: string, rowIndex: number, limit: number): Promise<StoredRow[]> {
    const rows = await this.read([folder], {
      where: sql`item > ${rowIndex} AND kind = 'item'`,
      order: `item LIMIT ${limit}`,
    });
    return rows.map(({ body }) => body);
  }

  /** Jobs with this prefix, and their lists, in order. */
  async lists(prefix: string): Promise<string[]> {
    const found: string[] = [];
    // One bound only: with two, the database would read all rows between them.
    for (let bound = sql`job >= ${prefix}`; ;) {
      const [row] = await this.store.read<{ job: string | null }>(
        sql`SELECT min(job) AS job FROM batch_row WHERE ${bound} AND job < ${endOf(prefix)}`,
      );
      if (row?.job == null) return found;
      found.push(row.job);
      bound = sql`job > ${row.job}`;
    }
  }

  /** Existing rows stay: a job's rows never change. */
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
      // In the same transaction, so that an erasure finds every row.
      ...addSubjectLines(folder, subjectLines),
      ...numberSubjects(subjectLines.map(({ subject }) => subject)),
    ]);
  }
}
