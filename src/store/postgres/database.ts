import { Client, Pool, type ClientBase, type PoolConfig } from 'pg';
import type { IdKey } from '../../protection/id-key';
import { BlobDirectory } from '../blobs';
import { namesBytes, type Database, type Loss } from '../database';
import {
  identityIn,
  isMade,
  prepareStore,
  selectIdentity,
  type OpenedConnection,
  type StoreIdentity,
} from '../schema';
import { sql, type Statement } from '../statement';
import { StoreError, restoredError } from '../store-error';
import { dialect } from './dialect';
import { openingError, postgresErrorOf } from './errors';
import { queryOf, resultOf } from './query';
import { PostgresWriter } from './writer';

/** Claims and receipts must not wait for a batch's pages, which hold more values than this. */
const mostValuesOfShort = 300;
const readers = 4;
const common: PoolConfig = {
  connectionTimeoutMillis: 5_000,
  // A command ends when it is done, not after an idle timeout.
  allowExitOnIdle: true,
  keepAlive: true,
  application_name: 'diligence',
};
/** The server times out first. Without the second timeout a silent server would block as long as TCP: a quarter of an hour. */
const toRead: PoolConfig = { statement_timeout: 30_000, query_timeout: 35_000 };
const toWrite: PoolConfig = {
  statement_timeout: 10_000,
  idle_in_transaction_session_timeout: 10_000,
  query_timeout: 12_000,
};

/** Opens the store in a PostgreSQL database; creates it at the first use. */
export async function openPostgres(url: string, blobs: string, idKey: IdKey): Promise<Database> {
  const reading = poolOf(url, readers, toRead);
  const writing = Array.from({ length: 2 }, () => poolOf(url, 1, toWrite));
  const pools = [reading, ...writing];
  try {
    const identity = await prepared(url, idKey);
    provesIdentity(reading, identity);
    for (const pool of writing) provesIdentity(pool, identity, 'SET synchronous_commit = on');
    const key = { storeId: identity.id, auditKey: idKey.auditKey };
    const database = postgresDatabase(
      identity,
      reading,
      writing.map((pool) => new PostgresWriter(pool, key)),
      blobs,
    );
    await database.blobs.prepare(() => namesBytes(database));
    return database;
  } catch (error) {
    await Promise.all(pools.map((pool) => pool.end()));
    throw openingError(error, url);
  }
}

/** A migration has no timeout. */
async function prepared(url: string, idKey: IdKey): Promise<StoreIdentity> {
  const client = new Client({ connectionString: url, ...common });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await prepareStore(connectionOf(client), idKey.fingerprint, 'in PostgreSQL');
  } finally {
    await client.end();
  }
}

/** Any existing store, read only; null: none. */
export async function postgresToRead(url: string, blobs: string): Promise<Database | null> {
  const reading = poolOf(url, readers, toRead);
  try {
    const client = await reading.connect();
    const connection = connectionOf(client);
    const identity = (await isMade(connection)) ? await identityOf(client) : null;
    client.release();
    if (identity !== null) return postgresDatabase(identity, reading, [], blobs);
  } catch (error) {
    await reading.end();
    throw openingError(error, url);
  }
  await reading.end();
  return null;
}

/** @param writers for short units and long ones; none: read only */
function postgresDatabase(
  { id, epoch }: StoreIdentity,
  reading: Pool,
  [short, long]: readonly PostgresWriter[],
  directory: string,
): Database {
  const blobs = new BlobDirectory(directory, id);
  const read = async <T>(statement: Statement): Promise<T[]> => {
    try {
      return (await reading.query<object>(queryOf(statement))).rows as T[];
    } catch (error) {
      throw postgresErrorOf(error, 'reading the store');
    }
  };
  const commit: Database['commit'] = async (statements, events = []) => {
    const values = statements.reduce((sum, { parameters }) => sum + parameters.length, 0);
    // Concurrent units commit together: a claim, and the receipt of the previous row.
    const writer = values > mostValuesOfShort ? long : short;
    if (writer !== undefined) return writer.submit({ statements, events });
    throw new StoreError('read-only', 'the store was opened to be read alone');
  };
  return {
    id,
    epoch,
    blobs,
    read,
    commit,
    async prove() {
      await commit([sql`UPDATE install SET one = 1`]);
      await blobs.remove(await blobs.put('probe'));
      const [facts] = await read<{ version: string; fsync: string; awaited: boolean }>(sql`
        SELECT current_setting('server_version') AS version, current_setting('fsync') AS fsync,
          current_setting('synchronous_standby_names') <> ''
            OR NOT EXISTS (SELECT 1 FROM pg_stat_replication) AS awaited`);
      const mayLose: Loss[] = [];
      if (facts?.fsync !== 'on') mayLose.push('fsync-off');
      if (facts?.awaited !== true) mayLose.push('standby-not-awaited');
      return { engine: `PostgreSQL ${facts?.version ?? ''}`, mayLose };
    },
    /** Old row versions live until the vacuum, and the write-ahead log for as long as its owner sets. */
    async forget() {
      await reading.query('VACUUM').catch(() => undefined);
    },
    async close() {
      await Promise.all([short?.close(), long?.close()]);
      await reading.end();
    },
  };
}

function connectionOf(client: ClientBase): OpenedConnection {
  return { run: async (one) => resultOf(await client.query<object>(queryOf(one))), dialect };
}

async function identityOf(client: ClientBase): Promise<StoreIdentity> {
  return identityIn((await client.query<object>(queryOf(selectIdentity))).rows);
}

function poolOf(url: string, max: number, timeouts: PoolConfig): Pool {
  const pool = new Pool({ connectionString: url, max, ...common, ...timeouts });
  // A lost connection fails its query, or was idle; an unhandled event would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** Another database may answer at the address by now, or this one after a restore. */
function provesIdentity(pool: Pool, expected: StoreIdentity, setting?: string): void {
  pool.options.verify = (client, done) => {
    // oxlint-disable-next-line promise/no-callback-in-promise -- the pool is called back
    void faultOf(client, expected, setting).then(done);
  };
}

/** @param setting required of the connection, regardless of the database's default */
async function faultOf(
  client: ClientBase,
  { id, epoch }: StoreIdentity,
  setting?: string,
): Promise<Error | undefined> {
  try {
    const found = await identityOf(client);
    if (setting !== undefined) await client.query(setting);
    if (found.id !== id) {
      return new StoreError('gone', `another store (${found.id}) is where ${id} was`);
    }
    return found.epoch === epoch ? undefined : restoredError();
  } catch (error) {
    return postgresErrorOf(error, 'reading the store');
  }
}
