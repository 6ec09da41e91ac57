import { isWalkDue, type PassOnFile, type WalksOnFile } from '../domain/monitors/watch';
import { getJson, keySegment, type Archive } from './archive';
import { inParallel } from './in-parallel';
import { monitorFolder } from './monitor-records';

/**
 * How passes over monitors stand. All of it is replaced by the next pass, and holds ids alone.
 *
 * - `monitor-lists/<name>/passes/<page>.json`: the last look at a page of a list
 * - `monitors/<id>/reconciled.json`: the last walks over all states
 */
export class MonitorPasses {
  readonly #archive: Archive;

  constructor(archive: Archive) {
    this.#archive = archive;
  }

  async putPass(list: string, page: number, pass: PassOnFile): Promise<void> {
    await this.#archive.replace(passKey(list, page), JSON.stringify(pass));
  }

  /** Null: nobody has looked yet. */
  pass(list: string, page: number): Promise<PassOnFile | null> {
    return getJson<PassOnFile>(this.#archive, passKey(list, page));
  }

  /** The last looks at all pages of all lists. */
  async all(): Promise<PassOnFile[]> {
    const keys = await this.#archive.list('monitor-lists/');
    const passes = await inParallel(
      keys.filter((key) => key.split('/')[2] === 'passes'),
      16,
      (key) => getJson<PassOnFile>(this.#archive, key),
    );
    return passes.filter((pass) => pass !== null);
  }

  /** A walk has come to its end, and left nothing. */
  async putReconciled(
    monitorId: string,
    walk: Pick<WalksOnFile, 'sweep' | 'pages' | 'found'> & { at: string },
  ): Promise<void> {
    await this.#putWalks(monitorId, walk);
  }

  /** A walk did not come to its end, or left something that it owes the sinks. */
  async putUnfinished(
    monitorId: string,
    walk: Pick<WalksOnFile, 'sweep' | 'pages' | 'found'> & { at: string },
  ): Promise<void> {
    const before = await this.#walks(monitorId);
    const times = (before?.unfinished?.times ?? 0) + 1;
    const { at, ...its } = walk;
    await this.#putWalks(monitorId, {
      ...its,
      at: before?.at ?? null,
      ...(before?.owed === true && { owed: true }),
      unfinished: { at, times },
    });
  }

  /** Null: never walked to its end, or not since something was owed. */
  async reconciled(monitorId: string): Promise<WalksOnFile | null> {
    const walks = await this.#walks(monitorId);
    if (walks === null || walks.at === null) return null;
    return walks.owed === true || walks.unfinished !== undefined ? null : walks;
  }

  async isWalkDue(monitorId: string, now: number): Promise<boolean> {
    return isWalkDue(await this.#walks(monitorId), now);
  }

  /** What was acknowledged is to be looked up: the next sweep walks, whenever the last one did. */
  async oweWalk(monitorId: string): Promise<void> {
    const walks = await this.#walks(monitorId);
    if (walks === null || walks.owed === true) return;
    await this.#putWalks(monitorId, { ...walks, owed: true });
  }

  #walks(monitorId: string): Promise<WalksOnFile | null> {
    return getJson<WalksOnFile>(this.#archive, reconciledKey(monitorId));
  }

  async #putWalks(monitorId: string, walks: WalksOnFile): Promise<void> {
    await this.#archive.replace(reconciledKey(monitorId), JSON.stringify(walks));
  }
}

function passKey(list: string, page: number): string {
  return `monitor-lists/${keySegment(list)}/passes/${String(page).padStart(5, '0')}.json`;
}

function reconciledKey(monitorId: string): string {
  return `${monitorFolder(monitorId)}/reconciled.json`;
}
