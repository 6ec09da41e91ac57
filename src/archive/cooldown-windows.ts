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
}

/** Made up once: told again, it is the same. */
export interface FiledDigest {
  id: string;
  changeIds: readonly string[];
}

/**
 * Windows of cooldowns: `monitors/<id>/cooldown/<sum of the kind>/<number>/` holds `window.json`,
 * `folded/<change>.json` and `digest.json`, each put if absent, and nothing once its digest is taken.
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
    const folder = `${prefixOf(monitorId)}${kind}/${String(number).padStart(6, '0')}/`;
    const key = `${folder}window.json`;
    await this.#archive.putIfAbsent(key, JSON.stringify(by), { durable: true });
    return this.#window(folder, number, await this.#archive.list(folder));
  }

  /** @returns false when the window was closed meanwhile: the digest does not tell the change */
  async fold(window: FiledWindow, changeId: string): Promise<boolean> {
    await this.#archive.putIfAbsent(foldedKey(window, changeId), '{}', { durable: true });
    const digest = await this.#digest(window.folder);
    return digest === null
      ? (await this.#archive.get(foldedKey(window, changeId))) !== null
      : digest.changeIds.includes(changeId);
  }

  /** Makes up the digest of these changes, unless there is one. @returns the one that stands */
  async close(window: FiledWindow, changeIds: readonly string[]): Promise<FiledDigest> {
    const sum = createHash('sha256').update([window.folder, ...changeIds].join('\n'));
    const digest = { id: `digest-${sum.digest('hex').slice(0, 32)}`, changeIds };
    const key = `${window.folder}digest.json`;
    const put = await this.#archive.putIfAbsent(key, JSON.stringify(digest), { durable: true });
    return put === 'stored' ? digest : ((await this.#digest(window.folder)) ?? digest);
  }

  /** The digest was taken. What it did not tell is left for another. */
  async clear(window: FiledWindow, digest: FiledDigest): Promise<void> {
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
      closed: digest !== null,
    };
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

function foldedKey({ folder }: FiledWindow, changeId: string): string {
  return `${folder}folded/${keySegment(changeId)}.json`;
}
