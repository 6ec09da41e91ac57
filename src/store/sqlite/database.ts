import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IdKey } from '../../protection/id-key';
import { namesBytes, type Database } from '../database';
import { BlobDirectory } from '../blobs';
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
import { SqliteWriter, type Commit } from './writer';

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
  const database = sqliteDatabase(reader, identity, writer);
  await database.blobs.prepare(() => namesBytes(database));
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
      await sleep(20 + Math.random() * 50);
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
  if (isThere) return sqliteDatabase(connection, readIdentity(connection), null);
  connection.close();
  return null;
}

/** @throws StoreError when this program does not know its schema */
export function readIdentity(connection: SqliteConnection): StoreIdentity {
  return identityIn(connection.run(selectIdentity).rows);
}

/** @param writer null: read only */
function sqliteDatabase(
  reader: SqliteConnection,
  { id, epoch }: StoreIdentity,
  writer: SqliteWriter | null,
): Database {
  const folder = dirname(reader.path);
  const blobs = new BlobDirectory(join(folder, blobsName), id);
  const submit = async (commit: Commit): Promise<StatementResult[]> => {
    if (writer !== null) return writer.submit(commit);
    throw new StoreError('read-only', 'the store was opened to be read alone');
  };
  return {
    id,
    epoch,
    blobs,
    read: async <T>(select: Statement) => reader.run(select).rows as T[],
    commit: (statements, events = []) => submit({ statements, events }),
    async prove() {
      // Changes nothing; fails when the file was replaced.
      const statements = [sql`UPDATE install SET one = 1`, sql`PRAGMA synchronous`];
      const [, setting] = await submit({ statements });
      await blobs.remove(await blobs.put('probe'));
      const [row] = (setting?.rows ?? []) as { synchronous: number }[];
      const isFlushed = row?.synchronous === 2 && !(await isInMemory(folder));
      const engine = `SQLite ${versionOf(reader)}`;
      return { engine, mayLose: isFlushed ? [] : ['unflushed'] };
    },
    async forget() {
      for (let tries = 1; ; tries += 1) {
        try {
          await submit({ statements: [], erasesTraces: true });
          return;
        } catch (error) {
          const isBusy = error instanceof StoreError && error.code === 'busy';
          if (!isBusy || tries === mostTriesToForget) throw error;
          await sleep(100);
        }
      }
    },
    async close() {
      await writer?.close();
      reader.close();
    },
  };
}

function versionOf(connection: SqliteConnection): string {
  const { rows } = connection.run(sql`SELECT sqlite_version() AS version`);
  return (rows as { version: string }[])[0]?.version ?? '';
}
