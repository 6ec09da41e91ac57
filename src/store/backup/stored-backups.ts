import { mkdir, readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ErasureRequest } from '../erasure/plan';
import { writeOnce } from '../files';
import type { Seal } from '../sealed/seal';
import type { Store } from '../store';
import { erasuresName, readBackup } from './back-up';

export interface StoredBackup {
  path: string;
  at: string;
  /** ISO 8601 of its earliest removal; null when another system manages it. */
  until: string | null;
}

/** A backup that holds erased data. `isAway`: not at its path, so that nothing can be stored beside it. */
export type HoldingBackup = StoredBackup & { isAway: boolean };

export interface StoredErasure {
  id: string;
  request: ErasureRequest;
  by: string;
  reason: string;
}

const folder = 'backups/';

export async function noteBackup(store: Store, stored: StoredBackup): Promise<void> {
  await store.records.putJson(`${folder}${stored.at}.json`, stored);
}

/** Stores an erasure, sealed, beside the backups that hold the erased data. Call it before anything is erased. */
export async function keepErasure(store: Store, erasure: StoredErasure): Promise<HoldingBackup[]> {
  const held: HoldingBackup[] = [];
  for (const stored of await store.records.allJson<StoredBackup>(folder)) {
    const isAway = (await readBackup(stored.path).catch(() => null))?.storeId !== store.id;
    // It has expired, and was removed.
    if (isAway && stored.until !== null && stored.until < new Date().toISOString()) {
      await store.records.remove(`${folder}${stored.at}.json`);
      continue;
    }
    held.push({ ...stored, isAway });
    if (isAway) continue;
    const beside = join(stored.path, erasuresName);
    await mkdir(beside, { recursive: true, mode: 0o700 });
    const name = `${erasure.id}.json`;
    await writeOnce(join(beside, name), await store.seal(name, JSON.stringify(erasure)));
  }
  return held;
}

/** The erasures beside a backup, oldest first. */
export async function storedErasures(path: string, seal: Seal): Promise<StoredErasure[]> {
  const beside = join(path, erasuresName);
  const names = await readdir(beside).catch(() => []);
  const bodies = names.filter((name) => name.endsWith('.json')).toSorted();
  return Promise.all(
    bodies.map(async (name) => {
      const opened = seal.open(name, await readFile(join(beside, name)));
      return JSON.parse(opened.toString('utf8')) as StoredErasure;
    }),
  );
}
