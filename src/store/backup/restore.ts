import { copyFile, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AuditEntry } from '../../domain/core/audit';
import type { IdKey } from '../../protection/id-key';
import { markerName } from '../blobs';
import { newEpoch } from '../epoch';
import { erase } from '../erasure/erasures';
import { plansOf } from '../erasure/plans';
import { flush } from '../files';
import { openStore, type StoreSealing } from '../open-store';
import { SqliteConnection } from '../sqlite/connection';
import { blobsName, databaseName } from '../sqlite/database';
import { sql } from '../statement';
import { StoreConfigError, StoreError } from '../store-error';
import type { Store } from '../store';
import { copyBytes, namedBytes, readBackup, type BackupFacts } from './back-up';
import { storedErasures, noteBackup } from './stored-backups';

export interface Restored {
  backup: BackupFacts;
  /** Jobs that were open, and now wait for a person. */
  openJobs: number;
  /** Erasures after the backup that were applied again. */
  erasures: number;
}

/** Into a folder without a store, as a new epoch, at once, and without what was erased since. */
export async function restore(
  source: string,
  folder: string,
  { idKey, sealing, entry }: { idKey: IdKey; sealing: StoreSealing | null; entry: AuditEntry },
): Promise<Restored> {
  const backup = await readBackup(source);
  if (backup === null) throw new StoreConfigError(`${source} is no backup, or was not finished`);
  const there = await readdir(folder).catch(() => []);
  if (there.length > 0) {
    throw new StoreConfigError(
      `${folder} holds a store: move it away first, nothing of it is overwritten`,
    );
  }
  const partial = `${folder}.restoring`;
  await rm(partial, { recursive: true, force: true });
  await mkdir(join(partial, blobsName), { recursive: true, mode: 0o700 });
  await copyFile(join(source, databaseName), join(partial, databaseName));
  await flush(join(partial, databaseName));
  await copyFile(join(source, blobsName, markerName), join(partial, blobsName, markerName));
  await proveWhole(source, partial);
  const store = await openStore({ storeUrl: partial, blobsUrl: null }, idKey, sealing);
  const facts = await beginAnew(store, entry);
  const erasures = await eraseAgain(store, source, idKey);
  // Later erasures must be stored beside this backup too.
  await noteBackup(store, { path: source, at: backup.at, until: null });
  await store.close();
  await flush(partial);
  await rm(folder, { recursive: true, force: true });
  await rename(partial, folder);
  await flush(dirname(folder));
  return { backup, ...facts, erasures };
}

/** @returns number of open jobs, which now wait for a person */
export async function beginAnew(store: Store, entry: AuditEntry): Promise<{ openJobs: number }> {
  const open = await store.read<{ jobs: number }>(
    sql`SELECT count(*) AS jobs FROM job WHERE ended_at IS NULL`,
  );
  await store.commit(newEpoch(Date.parse(entry.happenedAt)), [entry]);
  return { openJobs: open[0]?.jobs ?? 0 };
}

async function proveWhole(source: string, partial: string): Promise<void> {
  const connection = new SqliteConnection(join(partial, databaseName), { readOnly: true });
  try {
    const { rows } = connection.run(sql`PRAGMA integrity_check(1)`);
    const [{ integrity_check: found }] = rows as [{ integrity_check: string }];
    if (found !== 'ok') throw new StoreError('corrupt', `${source} is damaged: ${found}`);
    if (!(await copyBytes(source, partial, namedBytes(connection)))) {
      throw new StoreError(
        'corrupt',
        `${source} is not whole: bytes that its records name are missing`,
      );
    }
  } finally {
    connection.close();
  }
}

/** Temporal's histories were deleted at the time of the erasure. */
async function eraseAgain(store: Store, source: string, idKey: IdKey): Promise<number> {
  const erasures = await storedErasures(source, store);
  const nameOf = (text: string): string => idKey.nameOf('document', text);
  const deleteRuns = async (): Promise<void> => undefined;
  for (const { request, by, reason } of erasures)
    for await (const plan of plansOf(store, nameOf, request))
      if (plan.draft.size > 0) await erase(store, plan, { by, reason, runs: [], deleteRuns });
  return erasures.length;
}
