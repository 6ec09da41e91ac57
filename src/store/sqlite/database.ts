import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { IdKey } from '../../protection/id-key';
import type { NewBlob } from '../blob-files';
import { namesBytes, type Database, type DatabaseFacts } from '../database';
import { BlobDirectory } from '../blobs';
import type { NewEvent } from '../audit/chain';
import { isInMemory, refuseNetworkDisk } from './disk';
import { prepareDatabase, readIdentity, type StoreIdentity } from './schema';
import { SqliteConnection } from './connection';
import type { Statement, StatementResult } from '../statement';
import { StoreError } from '../store-error';
import { StoreThread } from '../thread';
import type { CommitRequest, WriterData } from './writer-thread';

/** Others read for moments. */
const mostTriesToForget = 50;
const databaseName = 'store.db';
const blobsName = 'blobs';

/**
 * Opens the store in a folder, and makes it one at the first use.
 *
 * @param idKey that names subjects, and proves the audit trail
 * @throws StoreError when it was made with another key, or by a later program
 */
export async function openDatabase(folder: string, idKey: IdKey): Promise<Database> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await refuseNetworkDisk(folder);
  const path = join(folder, databaseName);
  const identity = await prepareDatabase(path, idKey.fingerprint);
  if (identity.idKeyFingerprint !== idKey.fingerprint) {
    throw new StoreError(
      'refused',
      `the store ${folder} was made with another id key (fingerprint ${identity.idKeyFingerprint}, ` +
        `ours is ${idKey.fingerprint}): set DILIGENCE_ID_KEY to the key it was made with, or use another store`,
    );
  }
  const reader = new SqliteConnection(path, { readOnly: true, expected: identity.file });
  const database = new SqliteDatabase(
    reader,
    identity,
    new WritingThreads(folder, identity, idKey),
  );
  await database.blobs.prepare(identity.id, () => namesBytes(database));
  return database;
}

/** A store as it is there, whoever's it is, to be read alone; null when there is none. */
export function databaseToRead(folder: string): Database | null {
  const path = join(folder, databaseName);
  let connection: SqliteConnection;
  try {
    connection = new SqliteConnection(path, { readOnly: true });
  } catch (error) {
    if (error instanceof StoreError && error.code === 'gone') return null;
    throw error;
  }
  const identity = readIdentity(connection);
  return new SqliteDatabase(connection, identity, null);
}

/** Of a process: one commits, the other puts bytes on the disk. Each starts when it is first needed. */
class WritingThreads {
  readonly commits: StoreThread<CommitRequest, StatementResult[]>;
  readonly blobs: StoreThread<NewBlob, null>;

  constructor(folder: string, { id: storeId, file: expected }: StoreIdentity, { auditKey }: IdKey) {
    const path = join(folder, databaseName);
    const data: WriterData = { path, expected, storeId, auditKey };
    this.commits = new StoreThread('sqlite/writer-thread.js', data);
    this.blobs = new StoreThread('blob-thread.js', join(folder, blobsName));
  }

  async close(): Promise<void> {
    await Promise.all([this.commits.close(), this.blobs.close()]);
  }
}

class SqliteDatabase implements Database {
  readonly id: string;
  readonly epoch: number;
  readonly blobs: BlobDirectory;
  readonly #reader: SqliteConnection;
  readonly #threads: WritingThreads | null;

  /** @param threads null: it is only read */
  constructor(
    reader: SqliteConnection,
    { id, epoch }: StoreIdentity,
    threads: WritingThreads | null,
  ) {
    this.id = id;
    this.epoch = epoch;
    this.#reader = reader;
    this.#threads = threads;
    this.blobs = new BlobDirectory(join(dirname(reader.path), blobsName), async (blob) =>
      this.#writing().blobs.ask(blob),
    );
  }

  async read<T>(statement: Statement): Promise<T[]> {
    return this.#reader.run(statement).rows as T[];
  }

  async commit(
    statements: readonly Statement[],
    events: readonly NewEvent[] = [],
  ): Promise<StatementResult[]> {
    return this.#writing().commits.ask({ statements, events });
  }

  #writing(): WritingThreads {
    if (this.#threads !== null) return this.#threads;
    throw new StoreError('read-only', 'the store was opened to be read alone');
  }

  async prove(): Promise<DatabaseFacts> {
    // Changes nothing; fails when the file is not in its place any more.
    const [, synchronous] = await this.commit([
      { sql: 'UPDATE install SET one = 1', parameters: [] },
      { sql: 'PRAGMA synchronous', parameters: [] },
    ]);
    await this.blobs.remove(await this.blobs.put('probe'));
    const [facts] = await this.read<{ version: string }>({
      sql: 'SELECT sqlite_version() AS version',
      parameters: [],
    });
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
        await this.#writing().commits.ask({ statements: [], erasesTraces: true });
        return;
      } catch (error) {
        const isBusy = error instanceof StoreError && error.code === 'busy';
        if (!isBusy || tries === mostTriesToForget) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  }

  async close(): Promise<void> {
    await this.#threads?.close();
    this.#reader.close();
  }
}
