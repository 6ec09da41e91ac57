import { randomUUID } from 'node:crypto';
import type { Dirent } from 'node:fs';
import {
  link,
  mkdir,
  open,
  readFile,
  readdir,
  rename,
  rm,
  rmdir,
  stat,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Archive, PutOptions, PutResult } from './archive';

/**
 * An archive in a directory. Objects appear by `link(2)`, which fails when the name is taken and
 * never shows half an object; `rename` would replace, `open('wx')` could leave an empty file
 * behind a crash (PROTOCOLS 1). Files 0600, folders 0700.
 */
export class FileArchive implements Archive {
  readonly id: string;
  readonly #root: string;
  readonly #folders = new Set<string>();
  readonly #syncs = new FolderSyncs();

  constructor(root: string, id: string) {
    this.#root = resolve(root);
    this.id = id;
  }

  async putIfAbsent(
    key: string,
    body: Uint8Array | string,
    { durable = false }: PutOptions = {},
  ): Promise<PutResult> {
    const path = this.#path(key);
    const temporary = await this.#writeAside(path, body, durable);
    try {
      await link(temporary, path);
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return 'exists';
      throw error;
    } finally {
      await unlink(temporary);
    }
    if (durable) await this.#syncs.sync(dirname(path));
    return 'stored';
  }

  async replace(
    key: string,
    body: Uint8Array | string,
    { durable = false }: PutOptions = {},
  ): Promise<void> {
    const path = this.#path(key);
    await rename(await this.#writeAside(path, body, durable), path);
    if (durable) await syncFolder(dirname(path));
  }

  /** Folders that are left empty go too: their names tell ids. */
  async remove(key: string): Promise<void> {
    const path = this.#path(key);
    await unlink(path).catch((error: unknown) => {
      if (!isAbsent(error)) throw error;
    });
    await this.#removeEmpty(dirname(path));
  }

  async removeAll(prefix: string, keep?: string): Promise<void> {
    const folder = this.#path(prefix.replace(/\/$/, ''));
    const kept = keep === undefined ? null : this.#path(keep);
    for (const { name } of await entriesOf(folder)) {
      const path = join(folder, name);
      if (path !== kept) await rm(path, { recursive: true, force: true, maxRetries: 3 });
    }
    this.#folders.clear();
    await this.#removeEmpty(folder);
  }

  async #removeEmpty(from: string): Promise<void> {
    let folder = from;
    while (folder.length > this.#root.length && (await removeIfEmpty(folder))) {
      this.#folders.delete(folder);
      folder = dirname(folder);
    }
    await syncFolder(folder).catch((error: unknown) => {
      if (!isAbsent(error)) throw error;
    });
  }

  async get(key: string): Promise<Buffer | null> {
    try {
      return await readFile(this.#path(key));
    } catch (error) {
      if (isAbsent(error)) return null;
      throw error;
    }
  }

  /** Folder by folder: one that goes meanwhile was empty, and the others are listed all the same. */
  async list(prefix: string): Promise<string[]> {
    const folders = [prefix === '' ? this.#root : this.#path(prefix.replace(/\/$/, ''))];
    const keys: string[] = [];
    for (const folder of folders) {
      for (const entry of await entriesOf(folder)) {
        const path = join(folder, entry.name);
        if (entry.isDirectory()) folders.push(path);
        else if (entry.isFile() && !entry.name.startsWith('.')) {
          keys.push(path.slice(this.#root.length + 1));
        }
      }
    }
    return keys.sort();
  }

  async localPath(key: string): Promise<string> {
    return this.#path(key);
  }

  async #writeAside(path: string, body: Uint8Array | string, durable: boolean): Promise<string> {
    const folder = dirname(path);
    await this.#ensureFolder(folder, durable);
    try {
      return await this.#writeInto(folder, body, durable);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
      // Somebody removed the folder while we remembered it.
      this.#folders.delete(folder);
      await this.#ensureFolder(folder, durable);
      return this.#writeInto(folder, body, durable);
    }
  }

  async #writeInto(folder: string, body: Uint8Array | string, durable: boolean): Promise<string> {
    const temporary = join(folder, `.${randomUUID()}`);
    if (!durable) {
      await writeFile(temporary, body, { mode: 0o600, flag: 'wx' });
      return temporary;
    }
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(body);
      await file.sync();
    } finally {
      await file.close();
    }
    return temporary;
  }

  async #ensureFolder(folder: string, durable: boolean): Promise<void> {
    if (this.#folders.has(folder)) return;
    const made = await mkdir(folder, { recursive: true, mode: 0o700 });
    // A new folder is durable once every parent down from the first new one knows its child; what
    // is put into the last is synced with it afterwards.
    if (made !== undefined && durable) {
      for (let path = dirname(folder); path.length >= dirname(made).length; path = dirname(path)) {
        await syncFolder(path);
        if (path === dirname(path)) break;
      }
    }
    // Bounded: a long run touches a folder per document.
    if (this.#folders.size > 10_000) this.#folders.clear();
    this.#folders.add(folder);
  }

  #path(key: string): string {
    if (key.split('/').some((segment) => segment === '' || segment === '.' || segment === '..')) {
      throw new RangeError('archive key with an empty or climbing segment');
    }
    return join(this.#root, key);
  }
}

/** Flushes of folders: who waits for one that has not begun yet shares it. */
class FolderSyncs {
  readonly #running = new Map<string, Promise<void>>();
  readonly #next = new Map<string, Promise<void>>();

  /** What the folder named when this was called is on the disk once it resolves. */
  sync(folder: string): Promise<void> {
    const shared = this.#next.get(folder);
    if (shared !== undefined) return shared;
    const before = this.#running.get(folder) ?? Promise.resolve();
    const begin = (): Promise<void> => {
      // From here on it is too late to share it.
      this.#next.delete(folder);
      const running = syncFolder(folder).finally(() => {
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

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** None when there is no such folder. */
async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (!isAbsent(error)) throw error;
    // Where the file system does not tell kinds, a file that went meanwhile is missed, too.
    const isThere = await stat(folder).then(
      (found) => found.isDirectory(),
      () => false,
    );
    return isThere ? entriesOf(folder) : [];
  }
}

async function removeIfEmpty(folder: string): Promise<boolean> {
  return rmdir(folder).then(
    () => true,
    (error: unknown) => {
      if (isAbsent(error)) return true;
      if (codeOf(error) === 'ENOTEMPTY' || codeOf(error) === 'EEXIST') return false;
      throw error;
    },
  );
}

function codeOf(error: unknown): string | undefined {
  return (error as { code?: string } | null)?.code;
}

function isAbsent(error: unknown): boolean {
  return codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR';
}
