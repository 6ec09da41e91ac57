import type { PassOnFile } from '../domain/monitors/watch';
import { getJson, keySegment, type Archive } from './archive';
import { monitorFolder } from './monitor-records';

/**
 * How passes over monitors stand. All of it is replaced by the next pass, and holds ids alone.
 *
 * - `monitor-lists/<name>/passes/<page>.json`: the last look at a page of a list
 * - `monitors/<id>/reconciled.json`: the last walk over all states
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

  async putReconciled(monitorId: string, walk: ReconciledOnFile): Promise<void> {
    await this.#archive.replace(reconciledKey(monitorId), JSON.stringify(walk));
  }

  /** Null: never walked to its end, or owed another walk. */
  async reconciled(monitorId: string): Promise<ReconciledOnFile | null> {
    const walk = await this.#lastWalk(monitorId);
    return walk?.owed === true ? null : walk;
  }

  /** What was acknowledged is to be looked up: the next sweep walks, whenever the last one did. */
  async oweWalk(monitorId: string): Promise<void> {
    const walk = await this.#lastWalk(monitorId);
    if (walk === null || walk.owed === true) return;
    await this.putReconciled(monitorId, { ...walk, owed: true });
  }

  #lastWalk(monitorId: string): Promise<ReconciledOnFile | null> {
    return getJson<ReconciledOnFile>(this.#archive, reconciledKey(monitorId));
  }
}

export interface ReconciledOnFile {
  at: string;
  sweep: string;
  pages: number;
  found: number;
  /** Since then something was acknowledged, perhaps, and not put down. */
  owed?: boolean;
}

function passKey(list: string, page: number): string {
  return `monitor-lists/${keySegment(list)}/passes/${String(page).padStart(5, '0')}.json`;
}

function reconciledKey(monitorId: string): string {
  return `${monitorFolder(monitorId)}/reconciled.json`;
}
