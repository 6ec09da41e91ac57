import type { SealedDatabase } from '../sealed-database';
import { pagesOf } from '../pages';
import { rowName } from '../seal';
import { marksOf, partsOf, statement } from '../statement';

/** Rows of one look. */
const perLook = 200;

/** With the columns of its key. */
export interface SealedRow extends Readonly<Record<string, unknown>> {
  readonly body: Uint8Array;
}

/** A table of sealed records of works, in the order of a key that they have within their work. */
export class WorkTable<T> {
  protected readonly store: SealedDatabase;
  readonly #name: string;
  readonly #key: readonly string[];

  constructor(store: SealedDatabase, name: string, key: readonly string[]) {
    this.store = store;
    this.#name = name;
    this.#key = key;
  }

  /** In order. */
  async *all(work: string): AsyncGenerator<T> {
    for await (const records of this.pages(work)) yield* records;
  }

  /** In order, and never an empty one. */
  async *pages(work: string): AsyncGenerator<T[]> {
    for await (const rows of this.#looks(work)) yield rows.map((row) => this.opened(work, row));
  }

  /** Those with one of these values in a column of the table, in order. */
  async where(work: string, column: string, values: Iterable<number>): Promise<T[]> {
    const found: T[] = [];
    for (const some of partsOf([...values])) {
      const rows = await this.store.read<SealedRow>(
        statement(
          `SELECT ${this.#columns}, body FROM ${this.#name}
           WHERE work = ? AND ${column} IN ${marksOf([some])} ORDER BY ${this.#columns}`,
          [work, ...some],
        ),
      );
      found.push(...rows.map((row) => this.opened(work, row)));
    }
    return found;
  }

  protected sealed(work: string, key: readonly unknown[], record: T): Promise<Buffer> {
    return this.store.sealed(this.#nameOf(work, key), record);
  }

  protected opened(work: string, row: SealedRow): T {
    return this.store.opened(this.#nameOf(work, this.#keyOf(row)), row.body) as T;
  }

  #looks(work: string): AsyncGenerator<SealedRow[]> {
    return pagesOf<SealedRow>(perLook, (last) => {
      const after = last === undefined ? [] : this.#keyOf(last);
      const further = last === undefined ? '' : `AND (${this.#columns}) > ${marksOf([after])}`;
      return this.store.read(
        statement(
          `SELECT ${this.#columns}, body FROM ${this.#name} WHERE work = ? ${further}
           ORDER BY ${this.#columns} LIMIT ${perLook}`,
          [work, ...after],
        ),
      );
    });
  }

  get #columns(): string {
    return this.#key.join(', ');
  }

  #keyOf(row: SealedRow): unknown[] {
    return this.#key.map((column) => row[column]);
  }

  #nameOf(work: string, key: readonly unknown[]): string {
    return rowName(this.#name, work, ...key);
  }
}
