import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs';
import { link, open, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** Half the processor time of a file handle. */
const written = promisify(writeFile);

/** Writes a file (0600) at once, flushed with its name. False: one of that name exists, and stays. */
export async function writeOnce(path: string, body: Uint8Array | string): Promise<boolean> {
  const aside = await writeAside(dirname(path), body);
  try {
    await link(aside, path);
  } catch (error) {
    if ((error as { code?: string }).code === 'EEXIST') return false;
    throw error;
  } finally {
    await unlink(aside);
  }
  await flush(dirname(path));
  return true;
}

/** As `writeOnce`, and replaces an existing file. */
export async function replaceFile(path: string, body: Uint8Array | string): Promise<void> {
  await rename(await writeAside(dirname(path), body), path);
  await flush(dirname(path));
}

/** @returns the path of a flushed file whose name begins with a dot */
async function writeAside(folder: string, body: Uint8Array | string): Promise<string> {
  const path = join(folder, `.${randomUUID()}`);
  await writeNew(path, body);
  return path;
}

/** Writes and flushes a new file (0600); a failure leaves none. */
export async function writeNew(path: string, body: Uint8Array | string): Promise<void> {
  try {
    await written(path, body, { flag: 'wx', mode: 0o600, flush: true });
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') await unlink(path).catch(() => undefined);
    throw error;
  }
}

/** Flushes a file, or the names in a folder. */
export async function flush(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
