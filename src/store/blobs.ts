import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { mkdir, readFile, readdir, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { flush, writeNew, writeOnce } from './files';
import { GroupQueue } from './group-queue';
import { StoreError, storeErrorOf } from './store-error';

/** File beside the bytes that names their store. */
export const markerName = 'store-id';

interface NewBlob {
  /** `<day>/<random>`. */
  name: string;
  body: Uint8Array | string;
}

const isDay = /^\d{4}-\d{2}-\d{2}$/;
const isBlob = /^\d{4}-\d{2}-\d{2}\/[0-9a-f-]{36}$/;

/**
 * Bytes beside the database, in a directory: files 0600, one folder a day. Names are random and never reused.
 * `put` resolves after bytes and name are flushed: only then may a row name them.
 */
export class BlobDirectory {
  readonly #root: string;
  readonly #storeId: string;
  /** The marker file that was last read as ours: only another file in its place is read again. */
  #marker: { dev?: number; ino?: number } = {};
  /** Days whose folders exist, with their names. */
  readonly #days = new Set<string>();
  /** Concurrent writes share the flush of their folder; larger groups would wait too long. */
  readonly #writing = new GroupQueue<NewBlob, null>({
    most: 32,
    run: (group) => this.#writeAll(group),
  });

  constructor(root: string, storeId: string) {
    this.#root = root;
    this.#storeId = storeId;
  }

  /** @param names whether a row names bytes, which must then be in another directory */
  async prepare(names: () => Promise<boolean>): Promise<void> {
    const marker = join(this.#root, markerName);
    if (!existsSync(marker)) {
      if (await names()) {
        throw new StoreError(
          'refused',
          `${this.#root} does not hold the bytes of the store: mount that directory, or correct its address`,
        );
      }
      await mkdir(this.#root, { recursive: true, mode: 0o700 });
      await writeOnce(marker, `${this.#storeId}\n`);
    }
    this.#refuseOther('refused');
  }

  /** The directory at our path may be that of another store by now, or of none. */
  #refuseOther(code: 'gone' | 'refused'): void {
    const path = join(this.#root, markerName);
    const { dev, ino } = statSync(path);
    if (dev === this.#marker.dev && ino === this.#marker.ino) return;
    const found = readFileSync(path, 'utf8').trim();
    if (found !== this.#storeId)
      throw new StoreError(code, `${this.#root} holds the bytes of another store (${found})`);
    this.#marker = { dev, ino };
  }

  /** @returns the name to read it by */
  async put(body: Uint8Array | string): Promise<string> {
    const name = `${new Date().toISOString().slice(0, 10)}/${randomUUID()}`;
    await this.#writing.submit({ name, body });
    return name;
  }

  async get(name: string): Promise<Buffer | null> {
    const path = this.#path(name);
    try {
      return await readFile(path);
    } catch (error) {
      if ((error as { code?: string }).code === 'ENOENT') return null;
      throw storeErrorOf(error, 'reading bytes');
    }
  }

  /** Call it when no row names it any more. Idempotent. */
  async remove(name: string): Promise<void> {
    const path = this.#path(name);
    try {
      await unlink(path);
    } catch (error) {
      if ((error as { code?: string }).code !== 'ENOENT')
        throw storeErrorOf(error, 'removing bytes');
    }
  }

  /** Days (`2026-11-22`, UTC) whose bytes were all stored before an instant. */
  async daysBefore(at: number): Promise<string[]> {
    const last = new Date(at).toISOString().slice(0, 10);
    const names = await readdir(this.#root);
    return names.filter((name) => isDay.test(name) && name < last).toSorted();
  }

  async namesOf(day: string): Promise<string[]> {
    const names = await readdir(join(this.#root, day));
    return names.map((name) => `${day}/${name}`).filter((name) => isBlob.test(name));
  }

  async #writeAll(group: readonly NewBlob[]): Promise<(StoreError | null)[]> {
    const days = [...new Set(group.map(({ name }) => dirname(name)))];
    const unfit = await this.#attempt(async () => {
      this.#refuseOther('gone');
      for (const day of days) await this.#makeFolder(day);
    });
    if (unfit !== null) return group.map(() => unfit);
    // No row names a torn file, and it is swept.
    const ends = await Promise.all(
      group.map(({ name, body }) => this.#attempt(() => writeNew(join(this.#root, name), body))),
    );
    const failed = await this.#attempt(async () => {
      for (const day of days) await flush(join(this.#root, day));
      // Ours may have been moved away meanwhile, and a row would name what it does not hold.
      this.#refuseOther('gone');
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

  async #makeFolder(day: string): Promise<void> {
    if (this.#days.has(day)) return;
    try {
      // Without its parents: when the root is gone, nothing must be created.
      await mkdir(join(this.#root, day), { mode: 0o700 });
    } catch (error) {
      if ((error as { code?: string }).code !== 'EEXIST') throw error;
    }
    // Even when another process created it: that one may not have flushed yet.
    await flush(this.#root);
    this.#days.add(day);
  }

  #path(name: string): string {
    if (!isBlob.test(name)) throw new RangeError('not a blob');
    return join(this.#root, name);
  }
}
