import type { SealedStore } from './sealed-store';
import { statement, type Statement } from './statement';

/** Rows of one look, and of one transaction that rewrites them. */
const perLook = 200;

/** With the columns of its key. */
export interface SealedRow extends Readonly<Record<string, unknown>> {
  readonly body: Uint8Array;
}

/** A table of sealed records of works, in the order of a key that they have within their work. */
export class WorkTable<T> {
  protected readonly store: SealedStore;
  readonly #name: string;
  readonly #key: readonly string[];

  constructor(store: SealedStore, name: string, key: readonly string[]) {
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

  /**
   * For an erasure: each as `change` leaves it.
   *
   * @returns how many were changed
   */
  async rewrite(work: string, change: (record: T) => T): Promise<number> {
    let changed = 0;
    for await (const rows of this.#looks(work)) {
      const updates: Statement[] = [];
      for (const row of rows) {
        const before = this.opened(work, row);
        const after = change(before);
        if (JSON.stringify(after) === JSON.stringify(before)) continue;
        const key = this.#keyOf(row);
        updates.push(
          statement(
            `UPDATE ${this.#name} SET body = ? WHERE work = ? AND (${this.#columns}) = (${marks(key)})`,
            [await this.sealed(work, key, after), work, ...key],
          ),
        );
      }
      if (updates.length > 0) await this.store.commit(updates);
      changed += updates.length;
    }
    return changed;
  }

  async remove(work: string): Promise<void> {
    await this.store.commit([statement(`DELETE FROM ${this.#name} WHERE work = ?`, [work])]);
  }

  protected async sealed(work: string, key: readonly unknown[], record: T): Promise<Buffer> {
    const sealed = await this.store.seal(this.#nameOf(work, key), JSON.stringify(record));
    return Buffer.from(sealed as string);
  }

  protected opened(work: string, row: SealedRow): T {
    const opened = this.store.open(this.#nameOf(work, this.#keyOf(row)), row.body);
    return JSON.parse(opened.toString('utf8')) as T;
  }

  /** In pages: a look that stays open would keep the log of the database from being worked off. */
  async *#looks(work: string): AsyncGenerator<SealedRow[]> {
    for (let after: unknown[] = []; ;) {
      const further = after.length === 0 ? '' : `AND (${this.#columns}) > (${marks(after)})`;
      const rows = await this.store.read<SealedRow>(
        statement(
          `SELECT ${this.#columns}, body FROM ${this.#name} WHERE work = ? ${further}
           ORDER BY ${this.#columns} LIMIT ${perLook}`,
          [work, ...after],
        ),
      );
      const last = rows.at(-1);
      if (last === undefined) return;
      yield rows;
      after = this.#keyOf(last);
    }
  }

  get #columns(): string {
    return this.#key.join(', ');
  }

  #keyOf(row: SealedRow): unknown[] {
    return this.#key.map((column) => row[column]);
  }

  #nameOf(work: string, key: readonly unknown[]): string {
    return [this.#name, work, ...key].join('/');
  }
}

function marks(values: readonly unknown[]): string {
  return values.map(() => '?').join(', ');
}
