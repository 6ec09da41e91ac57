import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { IdKey } from '../../protection/id-key';
import { namesBytes, type Database, type DatabaseFacts } from '../database';
import { BlobDirectory } from '../blobs';
import type { NewEvent } from '../audit/chain';
import { isInMemory, refuseNetworkDisk } from './disk';
import {
  identityIn,
  prepareStore,
  selectIdentity,
  type OpenedConnection,
  type StoreIdentity,
} from '../schema';
import { SqliteConnection, type FileIdentity } from './connection';
import { raw, sql, type Statement, type StatementResult } from '../statement';
import { StoreError, storeErrorOf } from '../store-error';
import { SqliteWriter } from './writer';

/** Other processes read for moments. */
const mostTriesToForget = 50;
const openPatienceMs = 10_000;
export const databaseName = 'store.db';
export const blobsName = 'blobs';

export const dialect: OpenedConnection['dialect'] = {
  begin: ['BEGIN IMMEDIATE'],
  isMade: `SELECT 1 FROM sqlite_schema WHERE name = 'install'`,
  translated: (text) => text,
};

/** Opens the store in a folder; creates it at the first use. */
export async function openDatabase(folder: string, idKey: IdKey): Promise<Database> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await refuseNetworkDisk(folder);
  const path = join(folder, databaseName);
  const { identity, file: expected } = await prepared(path, idKey.fingerprint);
  const reader = new SqliteConnection(path, { readOnly: true, expected });
  const { auditKey } = idKey;
  const writer = new SqliteWriter({ path, expected, storeId: identity.id, auditKey });
  const database = new SqliteDatabase(reader, identity, writer);
  await database.blobs.prepare(identity.id, () => namesBytes(database));
  return database;
}

/** Several processes may create it at once. */
async function prepared(
  path: string,
  fingerprint: string,
): Promise<{ identity: StoreIdentity; file: FileIdentity }> {
  for (const giveUpAt = Date.now() + openPatienceMs; ;) {
    let connection: SqliteConnection | null = null;
    try {
      const opened = (connection = new SqliteConnection(path));
      const run = (one: Statement): StatementResult => opened.run(one);
      const identity = await prepareStore({ run, dialect }, fingerprint, dirname(path));
      return { identity, file: opened.file };
    } catch (error) {
      const failure = storeErrorOf(error, 'opening the store');
      if (failure.code !== 'busy' || Date.now() > giveUpAt) throw failure;
      await new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 50));
    } finally {
      connection?.close();
    }
  }
}

/** Any existing store, read only; null: none. */
export function databaseToRead(folder: string): Database | null {
  const path = join(folder, databaseName);
  let connection: SqliteConnection;
  try {
    connection = new SqliteConnection(path, { readOnly: true });
  } catch (error) {
    if (error instanceof StoreError && error.code === 'gone') return null;
    throw error;
  }
  const isThere = connection.run(raw(dialect.isMade)).rows.length > 0;
  return isThere ? new SqliteDatabase(connection, readIdentity(connection), null) : null;
}

/** @throws StoreError when this program does not know its schema */
export function readIdentity(connection: SqliteConnection): StoreIdentity {
  return identityIn(connection.run(selectIdentity).rows);
}

class SqliteDatabase implements Database {
  readonly id: string;
  readonly epoch: number;
  readonly blobs: BlobDirectory;
  readonly #reader: SqliteConnection;
  readonly #writer: SqliteWriter | null;

  /** @param writer null: read only */
  constructor(reader: SqliteConnection, { id, epoch }: StoreIdentity, writer: SqliteWriter | null) {
    this.id = id;
    this.epoch = epoch;
    this.#reader = reader;
    this.#writer = writer;
    this.blobs = new BlobDirectory(join(dirname(reader.path), blobsName));
  }

  async read<T>(select: Statement): Promise<T[]> {
    return this.#reader.run(select).rows as T[];
  }

  async commit(
    statements: readonly Statement[],
    events: readonly NewEvent[] = [],
  ): Promise<StatementResult[]> {
    return this.#writing().submit({ statements, events });
  }

  #writing(): SqliteWriter {
    if (this.#writer !== null) return this.#writer;
    throw new StoreError('read-only', 'the store was opened to be read alone');
  }

  async prove(): Promise<DatabaseFacts> {
    // Changes nothing; fails when the file was replaced.
    const [, synchronous] = await this.commit([
      sql`UPDATE install SET one = 1`,
      sql`PRAGMA synchronous`,
    ]);
    await this.blobs.remove(await this.blobs.put('probe'));
    const [facts] = await this.read<{ version: string }>(sql`SELECT sqlite_version() AS version`);
    const [row] = (synchronous?.rows ?? []) as { synchronous: number }[];
    const isFlushed = row?.synchronous === 2 && !(await isInMemory(dirname(this.#reader.path)));
    return {
      engine: `SQLite ${facts?.version ?? ''}`,
      mayLose: isFlushed ? [] : ['unflushed'],
    };
  }

  async forget(): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        await this.#writing().submit({ statements: [], erasesTraces: true });
        return;
      } catch (error) {
        const isBusy = error instanceof StoreError && error.code === 'busy';
        if (!isBusy || tries === mostTriesToForget) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  }

  async close(): Promise<void> {
    await this.#writer?.close();
    this.#reader.close();
  }
}
