import { createHash } from 'node:crypto';
import type { PassOnFile, SweepNote } from '../../domain/monitors/watch';
import type { SealedDatabase } from '../sealed-database';
import { insertInto, replacing, statement } from '../statement';
import { rowName } from '../seal';

/** Ids of one page: what one activity is handed the name of. */
const idsPerPage = 100;

/** Which monitors a schedule watches. An edition is never changed: a new list is a new one. */
export interface MonitorList {
  name: string;
  /** Made of its ids: the same list is the same edition. */
  edition: string;
  monitors: number;
  pages: number;
}

interface LookRow {
  list: string;
  page: number;
  body: Uint8Array;
}

const pageKey = ['list', 'page'];
const leftKey = [...pageKey, 'monitor'];

/** Lists of monitors by name, and how the last pass over each of their pages went. */
export class MonitorListRepository {
  readonly #store: SealedDatabase;

  constructor(store: SealedDatabase) {
    this.#store = store;
  }

  /** Stores the list, in its order, in place of the one with this name. Ids that repeat are dropped. */
  async put(name: string, monitorIds: readonly string[]): Promise<MonitorList> {
    const ids = [...new Set(monitorIds)];
    const edition = createHash('sha256').update(ids.join('\n')).digest('hex').slice(0, 16);
    const pages = Math.ceil(ids.length / idsPerPage);
    for (let page = 0; page < pages; page += 1) {
      const its = JSON.stringify(ids.slice(page * idsPerPage, (page + 1) * idsPerPage));
      const row = [name, edition, page, its];
      await this.#store.commit([
        insertInto('monitor_list_page', ['list', 'edition', 'page', 'monitors'], [row]),
      ]);
    }
    const list: MonitorList = { name, edition, monitors: ids.length, pages };
    const columns = Object.keys(list);
    await this.#store.commit([
      insertInto('monitor_list', columns, [Object.values(list)], replacing(['name'], columns)),
    ]);
    return list;
  }

  /** Null: there is none of this name. */
  async latest(name: string): Promise<MonitorList | null> {
    return (await this.all()).find((list) => list.name === name) ?? null;
  }

  /** By name. */
  all(): Promise<MonitorList[]> {
    return this.#store.read(
      statement('SELECT name, edition, monitors, pages FROM monitor_list ORDER BY name'),
    );
  }

  /** Ids of one page, from 0. @throws RangeError when there is no such page */
  async page(list: Pick<MonitorList, 'name' | 'edition'>, page: number): Promise<string[]> {
    const [row] = await this.#store.read<{ monitors: string }>(
      statement(
        'SELECT monitors FROM monitor_list_page WHERE list = ? AND edition = ? AND page = ?',
        [list.name, list.edition, page],
      ),
    );
    if (row === undefined) throw new RangeError(`no page ${page} of the monitors of ${list.name}`);
    return JSON.parse(row.monitors) as string[];
  }

  async remove(name: string): Promise<void> {
    await this.#store.commit([
      statement('DELETE FROM monitor_list WHERE name = ?', [name]),
      ...['monitor_list_page', 'monitor_look', 'monitor_left'].map((table) =>
        statement(`DELETE FROM ${table} WHERE list = ?`, [name]),
      ),
    ]);
  }

  /**
   * The last look at a page, in place of the one before. What sweeps of its monitors have left stays
   * until a sweep of theirs comes through.
   *
   * @param monitorIds of the page
   */
  async putLook(
    list: string,
    page: number,
    look: Omit<PassOnFile, 'left'>,
    monitorIds: readonly string[],
  ): Promise<void> {
    const row = [list, page, await this.#store.sealed(rowName('monitor_look', list, page), look)];
    const marks = monitorIds.map(() => '?').join(', ');
    await this.#store.commit([
      insertInto('monitor_look', [...pageKey, 'body'], [row], replacing(pageKey, ['body'])),
      statement(
        `DELETE FROM monitor_left WHERE list = ? AND page = ? AND monitor NOT IN (${marks})`,
        [list, page, ...monitorIds],
      ),
    ]);
  }

  /** Null: nobody has looked yet. */
  async look(list: string, page: number): Promise<PassOnFile | null> {
    const rows = await this.#store.read<LookRow>(
      statement('SELECT list, page, body FROM monitor_look WHERE list = ? AND page = ?', [
        list,
        page,
      ]),
    );
    return (await this.#looksOf(rows))[0] ?? null;
  }

  /** The last looks at all pages of all lists. */
  async looks(): Promise<PassOnFile[]> {
    const all = statement('SELECT list, page, body FROM monitor_look ORDER BY list, page');
    return this.#looksOf(await this.#store.read<LookRow>(all));
  }

  /** What the last sweeps of monitors of a page left, in place of what earlier ones had. */
  async putLeft(list: string, page: number, notes: readonly SweepNote[]): Promise<void> {
    const written = notes.map(async ({ monitorId, left }) => {
      const row = [list, page, monitorId];
      const where = leftKey.map((column) => `${column} = ?`).join(' AND ');
      if (left.length === 0) return statement(`DELETE FROM monitor_left WHERE ${where}`, row);
      const body = await this.#store.sealed(rowName('monitor_left', ...row), left.join('; '));
      const columns = [...leftKey, 'body'];
      return insertInto('monitor_left', columns, [[...row, body]], replacing(leftKey, ['body']));
    });
    if (notes.length > 0) await this.#store.commit(await Promise.all(written));
  }

  /** By monitor. */
  async left(list: string, page: number): Promise<NonNullable<PassOnFile['left']>> {
    const rows = await this.#store.read<{ monitorId: string; body: Uint8Array }>(
      statement(
        `SELECT monitor AS "monitorId", body FROM monitor_left
         WHERE list = ? AND page = ? ORDER BY monitor`,
        [list, page],
      ),
    );
    return rows.map(({ monitorId, body }) => {
      const why = this.#store.opened(rowName('monitor_left', list, page, monitorId), body);
      return { monitorId, why: why as string };
    });
  }

  #looksOf(rows: readonly LookRow[]): Promise<PassOnFile[]> {
    return Promise.all(
      rows.map(async ({ list, page, body }) => {
        const look = this.#store.opened(rowName('monitor_look', list, page), body) as PassOnFile;
        return { ...look, left: await this.left(list, page) };
      }),
    );
  }
}
