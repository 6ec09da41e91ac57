import {
  accessSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { storeErrorOf } from './sqlite/connection';
import type { StoreError } from './store-error';

/** Stands beside the bytes: which store they are of. */
export const markerName = 'store-id';

export interface NewBlob {
  /** `<day>/<random>`. */
  name: string;
  body: Uint8Array | string;
}

/** Writes bytes where it is called, and holds the thread until they are on the disk. */
export class BlobFiles {
  readonly #root: string;
  readonly #folders = new Set<string>();

  constructor(root: string) {
    this.#root = root;
  }

  /** @returns of each null once it is on the disk together with its name, or why it is not */
  put(blobs: readonly NewBlob[]): (StoreError | null)[] {
    const ends = blobs.map((blob) => this.#attempt(() => this.#write(blob)));
    const named = blobs.filter((_, at) => ends[at] === null);
    const failed = this.#attempt(() => {
      for (const day of new Set(named.map(({ name }) => dirname(name)))) {
        flushFolder(join(this.#root, day));
      }
    });
    return ends.map((end) => end ?? failed);
  }

  #attempt(doIt: () => void): StoreError | null {
    try {
      doIt();
      return null;
    } catch (error) {
      this.#folders.clear();
      return storeErrorOf(error, 'storing bytes');
    }
  }

  #write({ name, body }: NewBlob): void {
    // An empty directory in the place of ours would take them as well.
    accessSync(join(this.#root, markerName));
    this.#makeFolder(dirname(name));
    const path = join(this.#root, name);
    // A torn one is named by no row, and swept.
    const file = openSync(path, 'wx', 0o600);
    try {
      writeFileSync(file, body);
      fsyncSync(file);
    } catch (error) {
      rmSync(path, { force: true });
      throw error;
    } finally {
      closeSync(file);
    }
  }

  #makeFolder(day: string): void {
    if (this.#folders.has(day)) return;
    try {
      // Not with its parents: where the root is gone, nothing is to be made.
      mkdirSync(join(this.#root, day), { mode: 0o700 });
    } catch (error) {
      if ((error as { code?: string }).code !== 'EEXIST') throw error;
    }
    // Also of who came second: the first may not have come to it.
    flushFolder(this.#root);
    this.#folders.add(day);
  }
}

function flushFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
