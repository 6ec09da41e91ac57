import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { access, mkdir, readFile, readdir, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { flush, writeNew, writeOnce } from './files';
import { GroupQueue } from './group-queue';
import { StoreError, storeErrorOf } from './store-error';

/** Stands beside the bytes: which store they are of. */
export const markerName = 'store-id';

interface NewBlob {
  /** `<day>/<random>`. */
  name: string;
  body: Uint8Array | string;
}

const isDay = /^\d{4}-\d{2}-\d{2}$/;
const isBlob = /^\d{4}-\d{2}-\d{2}\/[0-9a-f-]{36}$/;

/**
 * Bytes beside the database, in a directory: files 0600, one folder a day. Names are random and never
 * used again. Bytes are on the disk, with their name, before `put` resolves: only then may a row name
 * them.
 */
export class BlobDirectory {
  readonly #root: string;
  /** Days whose folders are there, with their names. */
  readonly #days = new Set<string>();
  /** Those that come together share the flush of their folder; who waits behind more would wait for long. */
  readonly #writing = new GroupQueue<NewBlob, null>({
    most: 32,
    run: (group) => this.#writeAll(group),
  });

  constructor(root: string) {
    this.#root = root;
  }

  /**
   * Marks the directory as that of a store. To be called when the store is opened.
   *
   * @param names whether a row names bytes, which another directory must hold then
   */
  async prepare(storeId: string, names: () => Promise<boolean>): Promise<void> {
    const marker = join(this.#root, markerName);
    if (!existsSync(marker)) {
      if (await names()) {
        throw new StoreError(
          'refused',
          `${this.#root} is not where the bytes of the store are: mount that directory, or mend its address`,
        );
      }
      await mkdir(this.#root, { recursive: true, mode: 0o700 });
      await writeOnce(marker, `${storeId}\n`);
    }
    const found = (await readFile(marker, 'utf8')).trim();
    if (found !== storeId) {
      throw new StoreError('refused', `${this.#root} holds the bytes of another store (${found})`);
    }
  }

  /**
   * @returns the name under which it is read again
   * @throws StoreError
   */
  async put(body: Uint8Array | string): Promise<string> {
    const name = `${new Date().toISOString().slice(0, 10)}/${randomUUID()}`;
    await this.#writing.submit({ name, body });
    return name;
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
    return names.map((name) => `${day}/${name}`).filter((name) => isBlob.test(name));
  }

  async #writeAll(group: readonly NewBlob[]): Promise<(StoreError | null)[]> {
    const ends: (StoreError | null)[] = [];
    for (const blob of group) ends.push(await this.#attempt(() => this.#write(blob)));
    const failed = await this.#attempt(async () => {
      const written = group.filter((_, at) => ends[at] === null);
      for (const day of new Set(written.map(({ name }) => dirname(name))))
        await flush(join(this.#root, day));
    });
    return ends.map((end) => end ?? failed);
  }

  async #attempt(doIt: () => Promise<void>): Promise<StoreError | null> {
    try {
      await doIt();
      return null;
    } catch (error) {
      this.#days.clear();
      return storeErrorOf(error, 'storing bytes');
    }
  }

  async #write({ name, body }: NewBlob): Promise<void> {
    // An empty directory in the place of ours would take them as well.
    await access(join(this.#root, markerName));
    await this.#makeFolder(dirname(name));
    // A torn one is named by no row, and swept.
    await writeNew(join(this.#root, name), body);
  }

  async #makeFolder(day: string): Promise<void> {
    if (this.#days.has(day)) return;
    try {
      // Not with its parents: where the root is gone, nothing is to be made.
      await mkdir(join(this.#root, day), { mode: 0o700 });
    } catch (error) {
      if ((error as { code?: string }).code !== 'EEXIST') throw error;
    }
    // Also of who came second: the first may not have come to it.
    await flush(this.#root);
    this.#days.add(day);
  }

  #path(name: string): string {
    if (!isBlob.test(name)) throw new RangeError('not a blob');
    return join(this.#root, name);
  }
}
