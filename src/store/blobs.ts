import { randomUUID } from 'node:crypto';
import { access, mkdir, readFile, readdir, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { flushFolder, writeAside, writeOnce } from './files';
import { storeErrorOf } from './sqlite';
import { StoreError } from './store-error';

const markerName = 'store-id';
const isDay = /^\d{4}-\d{2}-\d{2}$/;

/**
 * Bytes beside the database, in a directory: files 0600, one folder a day. Names are random and never
 * used again. Bytes are on the disk, with their name, before `put` resolves: only then may a row name
 * them.
 */
export class BlobDirectory {
  readonly #root: string;
  readonly #flushes = new FolderFlushes();
  readonly #folders = new Set<string>();

  constructor(root: string) {
    this.#root = root;
  }

  /** Marks the directory as that of a store. To be called when the store is opened. */
  async prepare(storeId: string): Promise<void> {
    await mkdir(this.#root, { recursive: true, mode: 0o700 });
    await writeOnce(join(this.#root, markerName), `${storeId}\n`);
    const found = (await readFile(join(this.#root, markerName), 'utf8')).trim();
    if (found !== storeId) {
      throw new StoreError('refused', `${this.#root} holds the bytes of another store (${found})`);
    }
  }

  /**
   * @returns the name under which it is read again
   * @throws StoreError
   */
  async put(body: Uint8Array | string): Promise<string> {
    try {
      // An empty directory in the place of ours would take them as well.
      await access(join(this.#root, markerName));
      const day = new Date().toISOString().slice(0, 10);
      const folder = await this.#folder(day);
      const name = `${day}/${randomUUID()}`;
      await rename(await writeAside(folder, body), join(this.#root, name));
      await this.#flushes.flush(folder);
      return name;
    } catch (error) {
      this.#folders.clear();
      throw storeErrorOf(error, 'storing bytes');
    }
  }

  /** Null when there are none under this name. */
  async get(name: string): Promise<Buffer | null> {
    const path = this.#path(name);
    try {
      return await readFile(path);
    } catch (error) {
      if ((error as { code?: string }).code === 'ENOENT') return null;
      throw storeErrorOf(error, 'reading bytes');
    }
  }

  /** To be called when no row names it any more. None is no error. */
  async remove(name: string): Promise<void> {
    const path = this.#path(name);
    try {
      await unlink(path);
    } catch (error) {
      if ((error as { code?: string }).code !== 'ENOENT')
        throw storeErrorOf(error, 'removing bytes');
    }
  }

  /** Days (`2026-11-22`, UTC) on which bytes were stored, all of it before an instant. */
  async daysBefore(at: number): Promise<string[]> {
    const last = new Date(at).toISOString().slice(0, 10);
    const names = await readdir(this.#root);
    return names.filter((name) => isDay.test(name) && name < last).toSorted();
  }

  /** Names of the bytes that were stored on a day. */
  async namesOf(day: string): Promise<string[]> {
    const names = await readdir(join(this.#root, day));
    return names.filter((name) => !name.startsWith('.')).map((name) => `${day}/${name}`);
  }

  async #folder(day: string): Promise<string> {
    const folder = join(this.#root, day);
    if (this.#folders.has(day)) return folder;
    // Not with its parents: where the root is gone, nothing is to be made.
    const isNew = await mkdir(folder, { mode: 0o700 }).then(
      () => true,
      (error: unknown) => {
        if ((error as { code?: string }).code === 'EEXIST') return false;
        throw error;
      },
    );
    if (isNew) await flushFolder(this.#root);
    this.#folders.add(day);
    return folder;
  }

  #path(name: string): string {
    if (!/^\d{4}-\d{2}-\d{2}\/[0-9a-f-]{36}$/.test(name)) throw new RangeError('not a blob');
    return join(this.#root, name);
  }
}

/** Flushes of folders: who waits for one that has not begun yet shares it. */
class FolderFlushes {
  readonly #running = new Map<string, Promise<void>>();
  readonly #next = new Map<string, Promise<void>>();

  /** What the folder named when this was called is on the disk once it resolves. */
  flush(folder: string): Promise<void> {
    const shared = this.#next.get(folder);
    if (shared !== undefined) return shared;
    const before = this.#running.get(folder) ?? Promise.resolve();
    const begin = (): Promise<void> => {
      // From here on it is too late to share it.
      this.#next.delete(folder);
      const running = flushFolder(folder).finally(() => {
        if (this.#running.get(folder) === running) this.#running.delete(folder);
      });
      this.#running.set(folder, running);
      return running;
    };
    const next = before.then(begin, begin);
    this.#next.set(folder, next);
    return next;
  }
}
