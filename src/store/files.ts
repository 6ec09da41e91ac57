import { randomUUID } from 'node:crypto';
import { closeSync, fsync, openSync, writeFile, writeFileSync } from 'node:fs';
import { link, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Up to here the copy into the page cache takes less than a turn of another thread. */
const mostAtOnce = 256 * 1024;

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
  const file = openSync(path, 'wx', 0o600);
  try {
    if (body.length <= mostAtOnce) writeFileSync(file, body);
    else await settled((done) => writeFile(file, body, done));
    await settled((done) => fsync(file, done));
  } catch (error) {
    await unlink(path).catch(() => undefined);
    throw error;
  } finally {
    closeSync(file);
  }
}

/** Flushes a file, or the names in a folder. */
export async function flush(path: string): Promise<void> {
  const file = openSync(path, 'r');
  try {
    await settled((done) => fsync(file, done));
  } finally {
    closeSync(file);
  }
}

function settled(call: (done: (error: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) =>
    call((error) => (error === null ? resolve() : reject(error))),
  );
}
