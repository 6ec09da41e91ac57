import { pagesOf } from '../pages';
import type { SealedDatabase } from '../sealed-database';
import { statement, type Statement } from '../statement';
import { rowName } from '../seal';

const perPage = 200;

interface ErasableTable {
  table: string;
  /** Columns that tell the rows of a monitor apart. */
  key: readonly string[];
  /** What is erased stays as its own tombstone. */
  isMarked?: true;
}

/** Where something about people stands: the body of each row. */
const tables = {
  changes: { table: 'change', key: ['id'], isMarked: true },
  unreadable: { table: 'unreadable_item', key: ['sum'] },
  reviews: { table: 'review', key: ['change', 'at'] },
  answer: { table: 'monitor_answer', key: [] },
} satisfies Record<string, ErasableTable>;

export type ErasableKind = keyof typeof tables;

/** What is left of a row; null: nothing. The very same: it stays as it is. */
export type Erase = (body: unknown) => unknown;

interface Change {
  key: string[];
  before: unknown;
  after: unknown;
}

/** What an erasure changes of monitors. It may be done twice. */
export class MonitorErasure {
  readonly #store: SealedDatabase;

  constructor(store: SealedDatabase) {
    this.#store = store;
  }

  /** What it would change. */
  async plan(kind: ErasableKind, monitorId: string, erase: Erase): Promise<Change[]> {
    const changes: Change[] = [];
    for await (const some of this.#changes(tables[kind], monitorId, erase)) changes.push(...some);
    return changes;
  }

  async carryOut(kind: ErasableKind, monitorId: string, erase: Erase): Promise<void> {
    const of: ErasableTable = tables[kind];
    const where = ['monitor', ...of.key].map((column) => `${column} = ?`).join(' AND ');
    for await (const some of this.#changes(of, monitorId, erase)) {
      const written = some.map(async ({ key, after }): Promise<Statement> => {
        const row = [monitorId, ...key];
        if (after === null) return statement(`DELETE FROM ${of.table} WHERE ${where}`, row);
        const body = await this.#store.sealed(rowName(of.table, ...row), after);
        const mark = of.isMarked ? ', is_erased = 1' : '';
        return statement(`UPDATE ${of.table} SET body = ?${mark} WHERE ${where}`, [body, ...row]);
      });
      if (some.length > 0) await this.#store.commit(await Promise.all(written));
    }
  }

  /** Of each monitor that has any: changes acknowledged before an instant and not erased yet. */
  async acknowledgedBefore(instant: string): Promise<Map<string, Set<string>>> {
    const found = new Map<string, Set<string>>();
    const pages = pagesOf<{ monitor: string; change: string }>(perPage, (after) =>
      this.#store.read(
        statement(
          `SELECT a.monitor, a.change FROM acknowledgement a
           JOIN change c ON c.monitor = a.monitor AND c.id = a.change
           WHERE (a.monitor, a.change) > (?, ?) AND a.at < ? AND c.is_erased = 0
           ORDER BY a.monitor, a.change LIMIT ${perPage}`,
          [after?.monitor ?? '', after?.change ?? '', instant],
        ),
      ),
    );
    for await (const rows of pages) {
      for (const { monitor, change } of rows) {
        found.set(monitor, (found.get(monitor) ?? new Set<string>()).add(change));
      }
    }
    return found;
  }

  async *#changes(
    { table, key, isMarked }: ErasableTable,
    monitorId: string,
    erase: Erase,
  ): AsyncGenerator<Change[]> {
    const columns = ['monitor', ...key].join(', ');
    const marks = ['?', ...key.map(() => '?')].join(', ');
    const pages = pagesOf<{ body: Uint8Array } & Record<string, string>>(perPage, (after) =>
      this.#store.read(
        statement(
          `SELECT ${columns}, body FROM ${table} WHERE monitor = ?
             AND (${columns}) ${after === undefined ? '>=' : '>'} (${marks})
             ${isMarked ? 'AND is_erased = 0' : ''}
           ORDER BY ${columns} LIMIT ${perPage}`,
          [monitorId, monitorId, ...key.map((column) => after?.[column] ?? '')],
        ),
      ),
    );
    for await (const rows of pages) {
      yield rows.flatMap((row) => {
        const its = key.map((column) => row[column] ?? '');
        const before = this.#store.opened(rowName(table, monitorId, ...its), row.body);
        const after = erase(before);
        const isSame = JSON.stringify(after) === JSON.stringify(before);
        return isSame ? [] : [{ key: its, before, after }];
      });
    }
  }
}
