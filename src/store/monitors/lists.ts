import { createHash } from 'node:crypto';
import type { PassOnFile, SweepNote } from '../../domain/monitors/watch';
import { SealedTable } from '../sealed-table';
import { marksOf, replacing, statement } from '../statement';
import type { Store } from '../store';

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

type Look = Omit<PassOnFile, 'left'>;

/** Lists of monitors by name, and how the last pass over each of their pages went. */
export class MonitorListRepository {
  readonly #store: Store;
  readonly #left: SealedTable<string, { monitor: string }>;

  constructor(store: Store) {
    this.#store = store;
    this.#left = new SealedTable(store, 'monitor_left', ['monitor']);
  }

  /** Stores the list, in its order, in place of the one with this name. Ids that repeat are dropped. */
  async put(name: string, monitorIds: readonly string[]): Promise<MonitorList> {
    const ids = [...new Set(monitorIds)];
    const edition = createHash('sha256').update(ids.join('\n')).digest('hex').slice(0, 16);
    const pages = Math.ceil(ids.length / idsPerPage);
    const list = { name, edition, monitors: ids.length, pages };
    const { records } = this.#store;
    await records.putJson(idsKey(list), ids);
    await records.replace(`${lists}${name}`, JSON.stringify(list));
    return list;
  }

  /** Null: there is none of this name. */
  latest(name: string): Promise<MonitorList | null> {
    return this.#store.records.getJson<MonitorList>(`${lists}${name}`);
  }

  /** By name. */
  async all(): Promise<MonitorList[]> {
    return this.#allBelow<MonitorList>(lists);
  }

  /** Ids of one page, from 0. @throws RangeError when there is no such page */
  async page(list: Pick<MonitorList, 'name' | 'edition'>, page: number): Promise<string[]> {
    const ids = (await this.#store.records.getJson<string[]>(idsKey(list))) ?? [];
    const its = ids.slice(page * idsPerPage, (page + 1) * idsPerPage);
    if (its.length === 0) throw new RangeError(`no page ${page} of the monitors of ${list.name}`);
    return its;
  }

  async remove(name: string): Promise<void> {
    const { records } = this.#store;
    await records.remove(`${lists}${name}`);
    for (const folder of [pages, looks]) await records.removeAll(`${folder}${name}/`);
  }

  /** The last look at a page, in place of the one before. @param monitorIds of the page */
  async putLook(
    list: string,
    page: number,
    look: Look,
    monitorIds: readonly string[],
  ): Promise<void> {
    const body = JSON.stringify({ look, monitorIds });
    await this.#store.records.replace(`${looks}${list}/${page}`, body);
  }

  /** Null: nobody has looked yet. */
  async look(list: string, page: number): Promise<PassOnFile | null> {
    const found = await this.#store.records.getJson<StoredLook>(`${looks}${list}/${page}`);
    return found && this.#withLeft(found);
  }

  /** The last looks at all pages of all lists. */
  async looks(): Promise<PassOnFile[]> {
    const found = await this.#allBelow<StoredLook>(looks);
    return Promise.all(found.map((one) => this.#withLeft(one)));
  }

  /** What the last sweeps of monitors left, in place of what earlier ones had. */
  async putLeft(notes: readonly SweepNote[]): Promise<void> {
    const written = notes.flatMap(({ monitorId, left }) =>
      left.length === 0
        ? statement('DELETE FROM monitor_left WHERE monitor = ?', [monitorId])
        : this.#left.insert([[monitorId, left.join('; ')]], replacing(['monitor'], ['body'])),
    );
    if (notes.length > 0) await this.#store.commit(written);
  }

  /** Of those that have any. Stays until a sweep of theirs comes through. */
  async left(monitorIds: readonly string[]): Promise<NonNullable<PassOnFile['left']>> {
    if (monitorIds.length === 0) return [];
    const where = statement(`monitor IN ${marksOf([monitorIds])}`, monitorIds);
    const rows = await this.#left.read([], { where });
    return rows.map(({ monitor, body }) => ({ monitorId: monitor, why: body }));
  }

  async #withLeft({ look, monitorIds }: StoredLook): Promise<PassOnFile> {
    return { ...look, left: await this.left(monitorIds) };
  }

  async #allBelow<T>(folder: string): Promise<T[]> {
    const { records } = this.#store;
    const keys = await records.list(folder);
    const found = await Promise.all(keys.map((key) => records.getJson<T>(key)));
    return found.filter((one) => one !== null);
  }
}

interface StoredLook {
  look: Look;
  monitorIds: string[];
}

const lists = 'monitor-lists/';
const pages = 'monitor-list-pages/';
const looks = 'monitor-looks/';

function idsKey({ name, edition }: Pick<MonitorList, 'name' | 'edition'>): string {
  return `${pages}${name}/${edition}`;
}
