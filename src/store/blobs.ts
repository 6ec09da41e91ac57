import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { markerName, type NewBlob } from './blob-files';
import { writeOnce } from './files';
import { storeErrorOf } from './sqlite/connection';
import { StoreError } from './store-error';

const isDay = /^\d{4}-\d{2}-\d{2}$/;
const isBlob = /^\d{4}-\d{2}-\d{2}\/[0-9a-f-]{36}$/;

/**
 * Bytes beside the database, in a directory: files 0600, one folder a day. Names are random and never
 * used again. Bytes are on the disk, with their name, before `put` resolves: only then may a row name
 * them.
 */
export class BlobDirectory {
  readonly #root: string;
  readonly #write: (blob: NewBlob) => Promise<unknown>;

  /** @param write puts bytes on the disk, as `BlobFiles` */
  constructor(root: string, write: (blob: NewBlob) => Promise<unknown>) {
    this.#root = root;
    this.#write = write;
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
    await this.#write({ name, body });
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

  #path(name: string): string {
    if (!isBlob.test(name)) throw new RangeError('not a blob');
    return join(this.#root, name);
  }
}
