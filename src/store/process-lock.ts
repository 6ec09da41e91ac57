import { closeSync, existsSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';

export interface LockOptions {
  signal?: AbortSignal | undefined;
  /** Called once, when another process holds the lock. */
  onWait?: (holderPid: number) => void;
  /** Gap between two looks at a lock that is held. Default 500. */
  pollIntervalMs?: number;
}

/**
 * Runs `work` while this process holds the lock. The lock is the write lock of an empty database at that path: the
 * system releases it with the process, however that ends, and no pid has to be believed. The file stays.
 */
export async function withLock<T>(
  path: string,
  options: LockOptions,
  work: () => Promise<T>,
): Promise<T> {
  closeSync(openSync(path, 'a', 0o600));
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    let isTold = false;
    options.signal?.throwIfAborted();
    while (!isTaken(database)) {
      if (!isTold) options.onWait?.(holderOf(database));
      isTold = true;
      await sleep(options.pollIntervalMs ?? 500, undefined, { signal: options.signal });
    }
    try {
      return await work();
    } finally {
      // Closing alone keeps it for as long as a statement lives.
      database.exec('ROLLBACK');
    }
  } finally {
    database.close();
  }
}

/** The process that holds the lock now; null when none does. */
export function lockHolder(path: string): number | null {
  if (!existsSync(path)) return null;
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    return mayWrite(database) ? null : holderOf(database);
  } finally {
    database.close();
  }
}

/** Writes who we are first: while the lock is held, others can only read. */
function isTaken(database: DatabaseSyncInstance): boolean {
  if (!mayWrite(database)) return false;
  database.exec(`PRAGMA user_version = ${process.pid}; COMMIT`);
  return mayWrite(database);
}

function mayWrite(database: DatabaseSyncInstance): boolean {
  const busy = 5;
  try {
    database.exec('BEGIN IMMEDIATE');
    return true;
  } catch (error) {
    if ((error as { errcode?: number }).errcode !== busy) throw error;
    return false;
  }
}

function holderOf(database: DatabaseSyncInstance): number {
  return Number(Object.values(database.prepare('PRAGMA user_version').get() as object)[0]);
}
