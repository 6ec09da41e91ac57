import { closeSync, existsSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';

/** SQLITE_BUSY. */
const busy = 5;

export interface LockOptions {
  signal?: AbortSignal | undefined;
  /** Called once, when another process holds the lock. */
  onWait?: (holderPid: number) => void;
}

/**
 * Runs `work` while this process holds the lock, which is the write lock of an empty database at that path: the
 * system releases it with the process, and no pid has to be trusted. The file stays.
 */
export async function withLock<T>(
  path: string,
  options: LockOptions,
  work: () => Promise<T>,
): Promise<T> {
  closeSync(openSync(path, 'a', 0o600));
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    let printedAt: number | null = null;
    options.signal?.throwIfAborted();
    while (!isTaken(database)) {
      if (printedAt === null && (printedAt = holderOf(database)) !== null)
        options.onWait?.(printedAt);
      await sleep(500, undefined, { signal: options.signal });
    }
    try {
      return await work();
    } finally {
      // Closing alone would keep the lock while a statement lives.
      database.exec('ROLLBACK');
    }
  } finally {
    database.close();
  }
}

/** The process that holds the lock; null: none. */
export async function lockHolder(path: string): Promise<number | null> {
  if (!existsSync(path)) return null;
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    // A process that is just taking the lock has not written its name yet: the name there is an older one.
    for (let looks = 0; looks < 100; looks += 1, await sleep(5)) {
      if (tries(database, 'BEGIN IMMEDIATE')) return null;
      const pid = holderOf(database);
      if (pid !== null) return pid;
    }
    return null;
  } finally {
    database.close();
  }
}

/** Writes our pid first: while the lock is held, others can only read. */
function isTaken(database: DatabaseSyncInstance): boolean {
  const name = `PRAGMA user_version = ${process.pid}`;
  if (!tries(database, name) || !tries(database, 'BEGIN IMMEDIATE')) return false;
  if (holderOf(database) === process.pid) return true;
  // Another process overwrote the name and did not get the lock: both start over.
  database.exec('ROLLBACK');
  return false;
}

/** False when another connection blocks it. */
function tries(database: DatabaseSyncInstance, sql: string): boolean {
  try {
    database.exec(sql);
    return true;
  } catch (error) {
    if ((error as { errcode?: number }).errcode !== busy) throw error;
    return false;
  }
}

/** Null when no living process has written its pid. */
function holderOf(database: DatabaseSyncInstance): number | null {
  try {
    const row = database.prepare('PRAGMA user_version').get() as { user_version: number };
    return row.user_version !== 0 && isAlive(row.user_version) ? row.user_version : null;
  } catch (error) {
    if ((error as { errcode?: number }).errcode !== busy) throw error;
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
