import { createHash } from 'node:crypto';
import { getJson, keySegment, type Archive } from './archive';

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

/** Lists of monitors by name: `monitor-lists/<name>/latest.json`, `<edition>/<page>.json`. */
export class MonitorLists {
  readonly #archive: Archive;

  constructor(archive: Archive) {
    this.#archive = archive;
  }

  /** Files the list, in its order, in place of the one with this name. Ids that repeat are dropped. */
  async put(name: string, monitorIds: readonly string[]): Promise<MonitorList> {
    const ids = [...new Set(monitorIds)];
    const edition = createHash('sha256').update(ids.join('\n')).digest('hex').slice(0, 16);
    const pages = Math.ceil(ids.length / idsPerPage);
    for (let page = 0; page < pages; page += 1) {
      const its = ids.slice(page * idsPerPage, (page + 1) * idsPerPage);
      await this.#archive.putIfAbsent(pageKey(name, edition, page), JSON.stringify(its));
    }
    const list: MonitorList = { name, edition, monitors: ids.length, pages };
    await this.#archive.replace(latestKey(name), JSON.stringify(list));
    return list;
  }

  /** Null: there is none of this name. */
  latest(name: string): Promise<MonitorList | null> {
    return getJson<MonitorList>(this.#archive, latestKey(name));
  }

  /** Ids of one page, from 0. @throws RangeError when there is no such page */
  async page(list: Pick<MonitorList, 'name' | 'edition'>, page: number): Promise<string[]> {
    const ids = await getJson<string[]>(this.#archive, pageKey(list.name, list.edition, page));
    if (ids === null) throw new RangeError(`no page ${page} of the monitors of ${list.name}`);
    return ids;
  }

  async remove(name: string): Promise<void> {
    await this.#archive.removeAll(`monitor-lists/${keySegment(name)}/`);
  }
}

function latestKey(name: string): string {
  return `monitor-lists/${keySegment(name)}/latest.json`;
}

function pageKey(name: string, edition: string, page: number): string {
  return `monitor-lists/${keySegment(name)}/${edition}/${String(page).padStart(5, '0')}.json`;
}
