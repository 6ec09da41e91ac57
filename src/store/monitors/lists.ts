import { createHash } from 'node:crypto';
import type { MonitorNote, ScannedPage } from '../../domain/monitors/scan';
import type { SweepLeft } from '../../domain/monitors/sweep';
import { Repository } from '../sealed/sealed-database';
import { insertInto, replacing } from '../sealed/table-rows';
import { sql } from '../statement';
import type { Store } from '../store';

/** Ids per page: an activity gets the page's number. */
const idsPerPage = 100;

/** The monitors of a schedule. An edition never changes: a changed list is a new edition. */
export interface MonitorList {
  name: string;
  /** Hash of its ids: the same list is the same edition. */
  edition: string;
  monitors: number;
  pages: number;
}

/** Lists of monitors by name, and the last scan of each of their pages. */
export class MonitorListRepository extends Repository<Store> {
  /** Stores the list in its order, replacing one of this name. Repeated ids are dropped. */
  async put(name: string, monitorIds: readonly string[]): Promise<MonitorList> {
    const ids = [...new Set(monitorIds)];
    const edition = createHash('sha256').update(ids.join('\n')).digest('hex').slice(0, 16);
    const pages = Math.ceil(ids.length / idsPerPage);
    const list = { name, edition, monitors: ids.length, pages };
    const { records } = this.store;
    // Scans of other monitors do not apply.
    if ((await this.latest(name))?.edition !== edition) await records.removeAll(`${scans}${name}/`);
    await records.putJson(idsKey(list), ids);
    await records.replace(`${lists}${name}`, JSON.stringify(list));
    return list;
  }

  /** Null: none of this name. */
  latest(name: string): Promise<MonitorList | null> {
    return this.store.records.getJson<MonitorList>(`${lists}${name}`);
  }

  all(): Promise<MonitorList[]> {
    return this.store.records.allJson<MonitorList>(lists);
  }

  /** Ids of one edition, in order; empty when it is not stored. */
  async ids(list: Pick<MonitorList, 'name' | 'edition'>): Promise<string[]> {
    return (await this.store.records.getJson<string[]>(idsKey(list))) ?? [];
  }

  /** Ids of one page, from 0. @throws RangeError when there is no such page */
  async page(list: Pick<MonitorList, 'name' | 'edition'>, page: number): Promise<string[]> {
    const ids = await this.ids(list);
    const its = ids.slice(page * idsPerPage, (page + 1) * idsPerPage);
    if (its.length === 0) throw new RangeError(`no page ${page} of the monitors of ${list.name}`);
    return its;
  }

  /** Stores the last scan of a page. @param monitorIds of the page */
  async putScan(
    list: string,
    page: number,
    scanned: ScannedPage,
    monitorIds: readonly string[],
  ): Promise<void> {
    const body = JSON.stringify({ scanned, monitorIds });
    await this.store.records.replace(`${scans}${list}/${page}`, body);
  }

  /** The last scans of a list's pages; default: of all lists. */
  async scans(list?: string): Promise<ScannedPage[]> {
    const found = await this.store.records.allJson<{ scanned: ScannedPage; monitorIds: string[] }>(
      list === undefined ? scans : `${scans}${list}/`,
    );
    return Promise.all(
      found.map(async ({ scanned, monitorIds }) => {
        return { ...scanned, notes: [...scanned.notes, ...(await this.#unfinished(monitorIds))] };
      }),
    );
  }

  async putUnfinished(monitorId: string, left: SweepLeft | null): Promise<void> {
    await this.store.commit([
      left === null
        ? sql`DELETE FROM monitor_left WHERE monitor_id = ${monitorId}`
        : insertInto(
            'monitor_left',
            [{ monitorId, body: left }],
            replacing('monitor_left', 'body'),
          ),
    ]);
  }

  async unfinished(monitorId: string): Promise<SweepLeft | null> {
    return (await this.#unfinished([monitorId]))[0]?.left ?? null;
  }

  async #unfinished(
    monitorIds: readonly string[],
  ): Promise<Extract<MonitorNote, { kind: 'unfinished' }>[]> {
    if (monitorIds.length === 0) return [];
    const rows = await this.store.select<{ monitorId: string; body: SweepLeft }>(
      'monitor_left',
      sql`WHERE monitor_id IN ${monitorIds} ORDER BY monitor_id`,
    );
    return rows.map(({ monitorId, body }) => ({ monitorId, kind: 'unfinished', left: body }));
  }
}

const lists = 'monitor-lists/';
const pages = 'monitor-list-pages/';
const scans = 'monitor-scans/';

function idsKey({ name, edition }: Pick<MonitorList, 'name' | 'edition'>): string {
  return `${pages}${name}/${edition}`;
}
