import { documentsOf } from '../../domain/core/documents/held-documents';
import { numberSubjects } from '../audit/numbers';
import { pagesOf } from '../pages';
import { Repository } from '../sealed/sealed-database';
import { inserts } from '../sealed/table-rows';
import { endOf, raw, sql, type Statement } from '../statement';
import { RowWriter, type NumberedRow, type StoredRow } from './row-writer';
import { addSubjectLines, type NameOf } from './subjects';

const perPage = 200;

/**
 * Input rows of jobs, and of the lists that resolutions make: an item, a repetition of one, or refused. Written
 * before the job can be started; only an erasure changes them.
 */
export class RowRepository extends Repository {
  /** @param nameOf set for a job: indexes the subjects of its rows under its name */
  writer(folder: string, nameOf: NameOf | null = null): RowWriter {
    return new RowWriter((rows) => this.put(folder, rows, nameOf));
  }

  async item(folder: string, rowIndex: number): Promise<StoredRow | null> {
    const [row] = await this.#read(folder, sql`item = ${rowIndex} AND kind = 'item'`);
    return row ?? null;
  }

  itemsAfter(folder: string, rowIndex: number, limit: number): Promise<StoredRow[]> {
    return this.#read(
      folder,
      sql`item > ${rowIndex} AND kind = 'item' ORDER BY item LIMIT ${limit}`,
    );
  }

  pages(folder: string): AsyncGenerator<StoredRow[]> {
    return pagesOf(perPage, (last: StoredRow | undefined) =>
      this.#read(folder, sql`line > ${last?.line ?? 0} ORDER BY line LIMIT ${perPage}`),
    );
  }

  async *all(folder: string): AsyncGenerator<StoredRow> {
    for await (const page of this.pages(folder)) yield* page;
  }

  where(folder: string, column: 'line' | 'item', values: Iterable<number>): Promise<StoredRow[]> {
    return this.store.among(values, (some) => this.#read(folder, sql`${raw(column)} IN ${some}`));
  }

  async #read(folder: string, rest: Statement): Promise<StoredRow[]> {
    const rows = await this.store.select<{ body: StoredRow }>(
      'batch_row',
      sql`WHERE job = ${folder} AND ${rest}`,
      sql`job, line, body`,
    );
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
      ...inserts(
        'batch_row',
        rows.map(({ row, rowIndex: item }) => {
          const { child, kind, line } = row;
          return { job: folder, line, kind, item, child: child?.jobId ?? null, body: row };
        }),
      ),
      // In the same transaction, so that an erasure finds every row.
      ...addSubjectLines(folder, subjectLines),
      ...numberSubjects(subjectLines.map(({ subject }) => subject)),
    ]);
  }
}
