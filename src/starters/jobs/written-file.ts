import { randomUUID, createHash } from 'node:crypto';
import { constants, createReadStream, existsSync } from 'node:fs';
import { access, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import {
  OtherBytesError,
  findLarge,
  putLarge,
  type LargeObject,
} from '../../store/core/large-objects';
import type { Store } from '../../store/store';
import { CommandError, UsageError } from './errors';

/** Writes atomically, readable by its owner only: the old file stays until the new one is complete. */
export async function writeWhole(
  folder: string,
  name: string,
  body: string | Buffer | AsyncIterable<Uint8Array>,
): Promise<void> {
  // Two commands may export the same job at once.
  const aside = join(folder, `.${name}.${randomUUID()}.partial`);
  try {
    await writeFile(aside, body, { mode: 0o600 });
  } catch (error) {
    await rm(aside, { force: true });
    throw error;
  }
  await rename(aside, join(folder, name));
}

/** Checks, before anything is sent, that a folder can be made or written. Creates nothing. */
export async function refuseUnwritable(out: string): Promise<void> {
  let folder = resolve(out);
  while (!existsSync(folder)) folder = dirname(folder);
  await access(`${folder}/.`, constants.W_OK | constants.X_OK).catch(
    ({ code = 'unreadable' }: NodeJS.ErrnoException) => {
      const why =
        code === 'ENOTDIR' ? [`${folder} is a file`, `${folder} é um arquivo`] : [code, code];
      throw new UsageError([
        `--out: ${out} cannot be written (${why[0]})`,
        `--out: não é possível gravar em ${out} (${why[1]})`,
      ]);
    },
  );
}

/** Removes files of these names unless they were just written; others stay. */
export async function removeOthers(
  folder: string,
  ours: RegExp,
  kept: { has(name: string): boolean },
): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  for (const name of names) {
    if (ours.test(name) && !kept.has(name)) await rm(join(folder, name), { force: true });
  }
}

/** Size and sha256 of a file on the disk. */
export async function sumOf(path: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}

/** Streams an unchanged copy of a file that was read before into the store. */
export async function storeCopy(
  store: Store,
  key: string,
  path: string,
  sha256: string,
): Promise<LargeObject> {
  const stored = await findLarge(store, key);
  if (stored !== null) return stored;
  return putLarge(store, key, createReadStream(path), { sha256 }).catch((error: unknown) => {
    if (!(error instanceof OtherBytesError)) throw error;
    throw new CommandError([
      `${path} changed while it was read; nothing was sent`,
      `${path} mudou durante a leitura; nada foi enviado`,
    ]);
  });
}

/** Stores an input file unchanged, addressed by its sha256. */
export async function storeFile(
  store: Store,
  path: string,
): Promise<{ inputSha256: string; inputKey: string }> {
  const { sha256: inputSha256 } = await sumOf(path);
  const inputKey = `inputs/${inputSha256.slice(0, 2)}/${inputSha256}`;
  await store.records.putIfAbsent(inputKey, await readFile(path), { bytes: true });
  return { inputSha256, inputKey };
}
