import { closeSync, fsyncSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  DatabaseSync,
  type DatabaseSyncInstance,
  type StatementSyncInstance,
} from '@photostructure/sqlite';
import type { Statement, StatementResult } from '../statement';
import { StoreError, storeErrorOf } from '../store-error';

/** Older versions may corrupt the file when two processes write and checkpoint at once. */
const oldestVersion = '3.51.3';
/** Short, and retried by the caller: SQLite's own waiting is not fair. */
const busyTimeoutMs = 100;
const mostStatements = 200;

/** The file that a connection has opened: another one may replace it at its path. */
export interface FileIdentity {
  dev: number;
  ino: number;
}

export interface ConnectionOptions {
  readOnly?: boolean;
  /** The file that another connection has opened at this path. */
  expected?: FileIdentity;
}

/** One connection to the database file. All SQLite specifics are in this file. */
export class SqliteConnection {
  readonly path: string;
  readonly file: FileIdentity;
  readonly #database: DatabaseSyncInstance;
  readonly #statements = new Map<string, StatementSyncInstance>();

  /** @throws StoreError `gone` when the expected file is missing */
  constructor(path: string, { readOnly = false, expected }: ConnectionOptions = {}) {
    this.path = path;
    if (!readOnly && expected === undefined) makeFile(path);
    try {
      this.file = expected ?? identityOf(path);
      // SQLite would create a missing file.
      if (!this.isInPlace()) throw goneError(path);
      this.#database = new DatabaseSync(path, { readOnly, timeout: busyTimeoutMs });
      if (!this.isInPlace()) throw goneError(path);
      if (!readOnly) {
        this.exec('PRAGMA journal_mode = WAL');
        this.exec('PRAGMA synchronous = FULL');
        this.exec('PRAGMA secure_delete = ON');
        // 16 MiB: pages that every commit changes are copied back less often.
        this.exec('PRAGMA wal_autocheckpoint = 4000');
      }
      this.exec('PRAGMA foreign_keys = ON');
      refuseOldVersion(this.#database);
    } catch (error) {
      throw storeErrorOf(error, `opening ${path}`);
    }
  }

  exec(sql: string): void {
    this.#database.exec(sql);
  }

  run({ sql, parameters }: Statement): StatementResult {
    const statement = this.#prepared(sql);
    const values = parameters.map(bindable);
    if (returnsRows(sql)) {
      const rows: unknown[] = statement.all(...values);
      return { rows, changes: rows.length };
    }
    return { rows: [], changes: statement.run(...values).changes };
  }

  /** Removes overwritten and deleted data (`secure_delete`) from the log. @throws StoreError `busy` */
  eraseTraces(): void {
    const [state] = this.run({ sql: 'PRAGMA wal_checkpoint(TRUNCATE)', parameters: [] }).rows as {
      busy: number;
    }[];
    if (state?.busy !== 0) throw new StoreError('busy', 'the log of the store is in use');
  }

  /** Whether the file at its path is the one that was opened. */
  isInPlace(): boolean {
    try {
      const { dev, ino } = statSync(this.path);
      return dev === this.file.dev && ino === this.file.ino;
    } catch {
      return false;
    }
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }

  #prepared(sql: string): StatementSyncInstance {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      if (this.#statements.size >= mostStatements) this.#statements.clear();
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

export function goneError(path: string): StoreError {
  return new StoreError('gone', `${path} is not the file that was opened`);
}

function refuseOldVersion(database: DatabaseSyncInstance): void {
  const { version } = database.prepare('SELECT sqlite_version() AS version').get() as {
    version: string;
  };
  if (version.localeCompare(oldestVersion, 'en', { numeric: true }) < 0) {
    throw new StoreError(
      'refused',
      `SQLite ${version} corrupts what several processes write: ${oldestVersion} or later is needed`,
    );
  }
}

/** The write-ahead log inherits the mode of the file. */
function makeFile(path: string): void {
  let file: number;
  try {
    file = openSync(path, 'wx', 0o600);
  } catch (error) {
    if ((error as { code?: string }).code === 'EEXIST') return;
    throw storeErrorOf(error, `making ${path}`);
  }
  fsyncSync(file);
  closeSync(file);
  const folder = openSync(dirname(path), 'r');
  fsyncSync(folder);
  closeSync(folder);
}

function identityOf(path: string): FileIdentity {
  const { dev, ino } = statSync(path);
  return { dev, ino };
}

function bindable(value: unknown): string | number | bigint | Uint8Array | null {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return (value ?? null) as string | number | bigint | Uint8Array | null;
}

function returnsRows(sql: string): boolean {
  return /^\s*(?:select|with|pragma)\b|\breturning\b/i.test(sql);
}
