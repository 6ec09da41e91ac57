import { createHash } from 'node:crypto';
import { cooldownKind, type CooldownWindow } from '../domain/monitors/cooldown';
import type { FiledChange } from '../domain/monitors/kept';
import { getJson, keySegment, type Archive } from './archive';
import { monitorFolder } from './monitor-records';

/** A window on file: where it is, and the digest that was made up of it. */
export interface FiledWindow extends CooldownWindow {
  /** Ends with a slash. */
  folder: string;
  digest: FiledDigest | null;
  /** Of its digest. */
  trouble: DigestTrouble | null;
}

/** What a digest could not be told for. Counted over sweeps until it is taken. */
export interface DigestTrouble {
  count: number;
  firstAt: string;
  lastAt: string;
  sweep: string;
  why: string;
  /** Not to be tried before; null: at the next sweep. */
  againAt: string | null;
}

/** Made up once: told again, it is the same. One that is refused is halved. */
export interface FiledDigest {
  id: string;
  changeIds: readonly string[];
}

/**
 * Windows of cooldowns: `monitors/<id>/cooldown/<sum of the kind>/<number>/` holds `window.json`,
 * `folded/<change>.json` and `digest.json`, each put if absent, `trouble.json`, which is replaced, and
 * nothing once its digest is taken.
 */
export class CooldownWindows {
  readonly #archive: Archive;

  constructor(archive: Archive) {
    this.#archive = archive;
  }

  /** In order, by the sum of their kind (`sumOfKind`). */
  async of(monitorId: string): Promise<Map<string, FiledWindow[]>> {
    const prefix = prefixOf(monitorId);
    const keys = new Map<string, string[]>();
    for (const key of await this.#archive.list(prefix)) {
      const folder = /^[^/]+\/\d+\//.exec(key.slice(prefix.length))?.[0];
      if (folder === undefined) continue;
      const its = keys.get(folder) ?? [];
      keys.set(folder, its);
      its.push(key);
    }
    const found = new Map<string, FiledWindow[]>();
    for (const [folder, its] of keys) {
      const [kind = '', number = ''] = folder.split('/');
      const windows = found.get(kind) ?? [];
      found.set(kind, windows);
      windows.push(await this.#window(`${prefix}${folder}`, Number(number), its));
    }
    return found;
  }

  /** @returns the window that stands under this number */
  async open(
    monitorId: string,
    kind: string,
    number: number,
    by: { changeId: string; at: number },
  ): Promise<FiledWindow> {
    const folder = folderOf(`${prefixOf(monitorId)}${kind}/`, number);
    const key = `${folder}window.json`;
    await this.#archive.putIfAbsent(key, JSON.stringify(by));
    return this.#window(folder, number, await this.#archive.list(folder));
  }

  /** @returns false when the window was closed meanwhile: the digest does not tell the change */
  async fold(window: FiledWindow, changeId: string): Promise<boolean> {
    await this.#archive.putIfAbsent(foldedKey(window, changeId), '{}');
    const digest = await this.#digest(window.folder);
    return digest === null
      ? (await this.#archive.get(foldedKey(window, changeId))) !== null
      : digest.changeIds.includes(changeId);
  }

  /** Makes up the digest of these changes, unless there is one. @returns the one that stands */
  async close(window: FiledWindow, changeIds: readonly string[]): Promise<FiledDigest> {
    const digest = digestOf(window.folder, changeIds);
    const key = `${window.folder}digest.json`;
    const put = await this.#archive.putIfAbsent(key, JSON.stringify(digest));
    return put === 'stored' ? digest : ((await this.#digest(window.folder)) ?? digest);
  }

  /**
   * Makes two digests of one: the first half stays, the other stands in a window of its own, which is
   * over. Cut short, it may stand in both.
   *
   * @param number of the new window: the next of its kind
   */
  async halve(
    window: FiledWindow,
    { changeIds }: FiledDigest,
    number: number,
  ): Promise<[FiledWindow, FiledWindow]> {
    const middle = Math.ceil(changeIds.length / 2);
    const folder = folderOf(window.folder.replace(/\d+\/$/, ''), number);
    const moved = changeIds.slice(middle);
    for (const changeId of moved) {
      const key = foldedKey({ folder }, changeId);
      await this.#archive.putIfAbsent(key, '{}');
    }
    if (window.trouble !== null) await this.#putTrouble(folder, window.trouble);
    const digest = digestOf(window.folder, changeIds.slice(0, middle));
    const key = `${window.folder}digest.json`;
    await this.#archive.replace(key, JSON.stringify(digest));
    for (const changeId of moved) await this.#archive.remove(foldedKey(window, changeId));
    const kept = new Set([...window.folded].filter((changeId) => !moved.includes(changeId)));
    return [
      { ...window, folded: kept, digest, closed: true },
      await this.#window(folder, number, await this.#archive.list(folder)),
    ];
  }

  /** @returns the trouble as it stands now, with its count */
  async countTrouble(
    { folder, trouble: before }: FiledWindow,
    { at, ...what }: Pick<DigestTrouble, 'sweep' | 'why' | 'againAt'> & { at: string },
  ): Promise<DigestTrouble> {
    const count = (before?.count ?? 0) + 1;
    const trouble = { ...what, count, firstAt: before?.firstAt ?? at, lastAt: at };
    await this.#putTrouble(folder, trouble);
    return trouble;
  }

  /** The digest was taken. What it did not tell is left for another. */
  async clear(window: FiledWindow, digest: FiledDigest): Promise<void> {
    await this.#archive.remove(`${window.folder}trouble.json`);
    await this.#archive.remove(`${window.folder}window.json`);
    for (const changeId of digest.changeIds)
      await this.#archive.remove(foldedKey(window, changeId));
    await this.#archive.remove(`${window.folder}digest.json`);
  }

  /** Nothing came in it. */
  async forget(window: FiledWindow): Promise<void> {
    await this.#archive.remove(`${window.folder}window.json`);
  }

  async #window(folder: string, number: number, keys: readonly string[]): Promise<FiledWindow> {
    const prefix = `${folder}folded/`;
    const folded = keys.filter((key) => key.startsWith(prefix));
    const opened = await getJson<{ changeId: string; at: number }>(
      this.#archive,
      `${folder}window.json`,
    );
    const digest = keys.includes(`${folder}digest.json`) ? await this.#digest(folder) : null;
    return {
      folder,
      number,
      openedAt: opened?.at ?? null,
      opener: opened?.changeId ?? null,
      folded: new Set(
        folded.map((key) => decodeURIComponent(key.slice(prefix.length, -'.json'.length))),
      ),
      digest,
      trouble: keys.includes(`${folder}trouble.json`)
        ? await getJson<DigestTrouble>(this.#archive, `${folder}trouble.json`)
        : null,
      closed: digest !== null,
    };
  }

  async #putTrouble(folder: string, trouble: DigestTrouble): Promise<void> {
    const key = `${folder}trouble.json`;
    await this.#archive.replace(key, JSON.stringify(trouble));
  }

  #digest(folder: string): Promise<FiledDigest | null> {
    return getJson<FiledDigest>(this.#archive, `${folder}digest.json`);
  }
}

/** Names a kind of change in a key. */
export function sumOfKind({ change }: Pick<FiledChange, 'change'>): string {
  return createHash('sha256').update(cooldownKind(change)).digest('hex').slice(0, 16);
}

function prefixOf(monitorId: string): string {
  return `${monitorFolder(monitorId)}/cooldown/`;
}

function folderOf(kindFolder: string, number: number): string {
  return `${kindFolder}${String(number).padStart(6, '0')}/`;
}

function digestOf(folder: string, changeIds: readonly string[]): FiledDigest {
  const sum = createHash('sha256').update([folder, ...changeIds].join('\n'));
  return { id: `digest-${sum.digest('hex').slice(0, 32)}`, changeIds };
}

function foldedKey({ folder }: Pick<FiledWindow, 'folder'>, changeId: string): string {
  return `${folder}folded/${keySegment(changeId)}.json`;
}
