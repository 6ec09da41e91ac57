import { columnsOf } from '../migrations';
import { pagesOf } from '../pages';
import { Sealed, rowName } from './seal';
import type { SealedDatabase } from './sealed-database';
import { insertInto, joined, partsOf, raw, sql, type Statement } from '../statement';

const perPage = 200;

/** Columns by their names in camel case, and the opened body. */
export type SealedRow<Columns, Body> = Columns & { body: Body };

/** A table whose rows hold a sealed body beside key and other columns. */
export class SealedTable<Body, Columns extends object = object> {
  protected readonly store: SealedDatabase;
  readonly #name: string;
  readonly #key: readonly string[];
  readonly #columns: readonly string[];

  /** @param name of a table with a column `body` */
  constructor(store: SealedDatabase, name: string) {
    const { key, plain } = columnsOf(name);
    this.store = store;
    this.#name = name;
    this.#key = key;
    this.#columns = [...key, ...plain];
  }

  /**
   * @param rows the values of their columns in order, then the body
   * @param otherwise conflict clause; default: an existing row stays
   */
  insert(rows: readonly (readonly unknown[])[], otherwise?: string): Statement[] {
    const sealed = rows.map((row) => {
      const location = rowName(this.#name, ...row.slice(0, this.#key.length));
      return [...row.slice(0, -1), new Sealed(location, row.at(-1))];
    });
    return partsOf(sealed).map((some) =>
      insertInto(this.#name, [...this.#columns, 'body'], some, otherwise),
    );
  }

  /**
   * Rows whose keys begin like this, in order.
   *
   * @param order default: by the rest of the key
   */
  async read(
    beginning: readonly unknown[],
    { where, order = this.#restOf(beginning) }: { where?: Statement; order?: string } = {},
  ): Promise<SealedRow<Columns, Body>[]> {
    const conditions = [
      ...beginning.map((value, at) => sql`${raw(this.#key[at] ?? '')} = ${value}`),
      ...(where === undefined ? [] : [where]),
    ];
    const among = conditions.length === 0 ? raw('') : sql`WHERE ${joined(conditions, ' AND ')}`;
    const columns = this.#columns.map((column) => `${column} AS "${inCamelCase(column)}"`);
    const rows = await this.store.read<SealedRow<Columns, Uint8Array>>(sql`
      SELECT ${raw(columns.join(', '))}, body FROM ${raw(this.#name)} ${among}
      ${raw(order === '' ? '' : `ORDER BY ${order}`)}`);
    return rows.map((row) => {
      const name = rowName(this.#name, ...valuesOf(row, this.#key));
      return { ...row, body: this.store.opened(name, row.body) as Body };
    });
  }

  /** The same, in order, in non-empty pages. */
  pages(beginning: readonly unknown[]): AsyncGenerator<SealedRow<Columns, Body>[]> {
    const rest = this.#restOf(beginning);
    return pagesOf(perPage, (last) => {
      const after = last && valuesOf(last, this.#key.slice(beginning.length));
      return this.read(beginning, {
        ...(after && { where: sql`(${raw(rest)}) > ${after}` }),
        order: `${rest} LIMIT ${perPage}`,
      });
    });
  }

  /** Bodies of the rows whose keys begin like this, in order. */
  async *all(...beginning: readonly unknown[]): AsyncGenerator<Body> {
    for await (const page of this.pages(beginning)) for (const { body } of page) yield body;
  }

  /** Bodies of rows with one of these values in a column, in order. @param first of their keys */
  async where(first: unknown, column: string, values: Iterable<unknown>): Promise<Body[]> {
    const found: Body[] = [];
    for (const some of partsOf([...values])) {
      const rows = await this.read([first], { where: sql`${raw(column)} IN ${some}` });
      found.push(...rows.map(({ body }) => body));
    }
    return found;
  }

  #restOf(beginning: readonly unknown[]): string {
    return this.#key.slice(beginning.length).join(', ');
  }
}

function valuesOf(row: object, columns: readonly string[]): unknown[] {
  return columns.map((column) => (row as Record<string, unknown>)[inCamelCase(column)]);
}

function inCamelCase(column: string): string {
  return column.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
