import { constants } from 'node:fs';
import { copyFile, link, mkdir, readFile, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { markerName } from '../blobs';
import { flush, writeOnce } from '../files';
import { SqliteConnection } from '../sqlite/connection';
import { blobsName, databaseName, readIdentity } from '../sqlite/database';
import { sql } from '../statement';
import { StoreError, StoreConfigError } from '../store-error';

/** Contents: `store.db`, `blobs/`, `backup.json`, and later erasures in `erasures/`. */
const backupFacts = z.object({
  /** ISO 8601: everything committed by then is in it. */
  at: z.string(),
  storeId: z.string(),
  epoch: z.number(),
  /** Files beside the database. */
  files: z.number(),
});
export type BackupFacts = z.infer<typeof backupFacts>;

export const erasuresName = 'erasures';
const factsName = 'backup.json';
const namesAtOnce = 1_000;
/** Bytes removed during the copy are missing in it. */
const mostTries = 20;

/** Copies a store (SQLite) in use. @param target appears at once, is created, or must be empty */
export async function backUp(folder: string, target: string): Promise<BackupFacts> {
  const there = await readdir(target).catch(() => []);
  if (there.length > 0) {
    throw new StoreConfigError(`${target} is not empty: name a folder that is to be made`);
  }
  const partial = `${target}.partial`;
  await rm(partial, { recursive: true, force: true });
  await mkdir(join(partial, blobsName), { recursive: true, mode: 0o700 });
  await mkdir(join(partial, erasuresName), { mode: 0o700 });
  await copyOver(join(folder, blobsName, markerName), join(partial, blobsName, markerName));
  const facts = await copyStore(folder, partial);
  await writeOnce(join(partial, factsName), `${JSON.stringify(facts, null, 2)}\n`);
  await flush(join(partial, blobsName));
  await flush(partial);
  await rename(partial, target);
  await flush(dirname(target));
  return facts;
}

/** Null when there is none, or it is incomplete. */
export async function readBackup(path: string): Promise<BackupFacts | null> {
  try {
    return backupFacts.parse(JSON.parse(await readFile(join(path, factsName), 'utf8')));
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return null;
    throw new StoreConfigError(`${join(path, factsName)} cannot be read: it is no backup`);
  }
}

/** Copies the records, then the bytes that they name. */
async function copyStore(from: string, to: string): Promise<BackupFacts> {
  const copied = new Set<string>();
  for (let tries = 1; tries <= mostTries; tries += 1) {
    const at = new Date().toISOString();
    const source = new SqliteConnection(join(from, databaseName), { readOnly: true });
    await rm(join(to, databaseName), { force: true });
    source.run(sql`VACUUM INTO ${join(to, databaseName)}`);
    source.close();
    await flush(join(to, databaseName));
    const copy = new SqliteConnection(join(to, databaseName), { readOnly: true });
    try {
      const { id: storeId, epoch } = readIdentity(copy);
      const named = new Set(namedBytes(copy));
      if (!(await copyBytes(from, to, named, copied))) continue;
      for (const name of copied)
        if (!named.has(name)) await rm(join(to, blobsName, name), { force: true });
      return { at, storeId, epoch, files: named.size };
    } finally {
      copy.close();
    }
  }
  throw new StoreError('busy', 'bytes of the store were replaced as fast as they were copied');
}

export function* namedBytes(connection: SqliteConnection): Generator<string> {
  for (let after = ''; ;) {
    const { rows } = connection.run(
      sql`SELECT DISTINCT blob FROM record WHERE blob > ${after} ORDER BY blob LIMIT ${namesAtOnce}`,
    );
    const names = (rows as { blob: string }[]).map(({ blob }) => blob);
    yield* names;
    const last = names.at(-1);
    if (last === undefined) return;
    after = last;
  }
}

/** @returns false when some are gone: a record that names them was replaced or erased */
export async function copyBytes(
  from: string,
  to: string,
  names: Iterable<string>,
  copied = new Set<string>(),
): Promise<boolean> {
  const days = new Set<string>();
  for (const name of names) {
    if (copied.has(name)) continue;
    const day = dirname(join(to, blobsName, name));
    if (!days.has(day)) await mkdir(day, { recursive: true, mode: 0o700 });
    days.add(day);
    try {
      await copyOver(join(from, blobsName, name), join(to, blobsName, name));
    } catch (error) {
      if ((error as { code?: string }).code === 'ENOENT') return false;
      throw error;
    }
    copied.add(name);
  }
  for (const day of days) await flush(day);
  return true;
}

/** Bytes are never changed: on one disk a hard link is a copy. */
async function copyOver(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'ENOENT') throw error;
    await copyFile(from, to, constants.COPYFILE_FICLONE);
    await flush(to);
  }
}
