import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, type QueryConfig } from 'pg';
import type { IdKey } from '../../src/protection/id-key';
import type { NewEvent } from '../../src/store/audit/chain';
import { BlobDirectory } from '../../src/store/blobs';
import type { Database, DatabaseFacts } from '../../src/store/database';
import { openPostgres, postgresToRead } from '../../src/store/postgres/database';
import { queryOf } from '../../src/store/postgres/query';
import type { Statement, StatementResult } from '../../src/store/statement';

/** PostgreSQL in the projects that ask for it: the address of the server of the run. Null: SQLite, as everywhere else. */
export function postgresOfRun(): string | null {
  const { onPostgres } = globalThis as { onPostgres?: true };
  if (!onPostgres) return null;
  const server = process.env['TEST_POSTGRES'];
  if (server === undefined) throw new Error('TEST_POSTGRES: set by the jest set-up');
  return server;
}

/** Opened by what is first asked of it. */
class DatabaseOpenedLate implements Database {
  readonly id = 'a1b2c3d4-store-of-a-test';
  readonly epoch = 1;
  readonly blobs: BlobDirectory;
  readonly #opening: () => Promise<Database>;
  #opened: Promise<Database> | null = null;

  constructor(blobs: string, opening: () => Promise<Database>) {
    this.blobs = new BlobDirectory(blobs, this.id);
    this.#opening = opening;
  }

  async read<T>(statement: Statement): Promise<T[]> {
    return (await this.#database()).read<T>(statement);
  }

  async commit(
    statements: readonly Statement[],
    events?: readonly NewEvent[],
  ): Promise<StatementResult[]> {
    return (await this.#database()).commit(statements, events);
  }

  async prove(): Promise<DatabaseFacts> {
    return (await this.#database()).prove();
  }

  async forget(): Promise<void> {
    await (await this.#database()).forget();
  }

  async close(): Promise<void> {
    if (this.#opened !== null) await (await this.#opened).close();
  }

  #database(): Promise<Database> {
    return (this.#opened ??= this.#opening());
  }
}

/** A store in a schema of its own. */
export class TemporaryPostgres extends DatabaseOpenedLate {
  constructor(server: string, root: string, idKey: IdKey) {
    const schema = `store_${randomBytes(8).toString('hex')}`;
    const url = `${server}?options=${encodeURIComponent(`-c search_path=${schema}`)}`;
    mkdirSync(join(root, 'blobs'), { recursive: true });
    super(join(root, 'blobs'), async () => {
      await runAt(server, `CREATE SCHEMA ${schema}`);
      return openPostgres(url, join(root, 'postgres-blobs'), idKey);
    });
    writeFileSync(join(root, 'blobs', 'store-id'), this.id);
  }
}

/** Addresses of the stores of installations, by their folders. */
const stores = new Map<string, { url: string; blobs: string }>();

/** @returns what the processes of an installation are told: a database of its own, and a directory in its folder */
export async function postgresSettings(
  server: string,
  folder: string,
): Promise<Record<string, string>> {
  const name = `store_${randomBytes(8).toString('hex')}`;
  await runAt(server, `CREATE DATABASE ${name}`);
  const url = new URL(server);
  url.pathname = name;
  const place = { url: url.href, blobs: join(folder, 'blobs') };
  stores.set(folder, place);
  return { DILIGENCE_STORE_URL: place.url, DILIGENCE_BLOBS_URL: place.blobs };
}

/** The store of an installation, to be read alone; null when it is not on PostgreSQL. */
export function postgresIn(folder: string): Database | null {
  const place = stores.get(folder);
  if (place === undefined) return null;
  return new DatabaseOpenedLate(place.blobs, async () => {
    const database = await postgresToRead(place.url, place.blobs);
    if (database === null) throw new Error(`nothing is stored for ${folder} yet`);
    return database;
  });
}

/** Past the program; null when the store of the installation is not on PostgreSQL. */
export function runInPostgres(folder: string, statement: Statement): Promise<unknown[]> | null {
  const place = stores.get(folder);
  return place === undefined ? null : runAt(place.url, queryOf(statement));
}

async function runAt(server: string, query: string | QueryConfig): Promise<unknown[]> {
  const client = new Client({ connectionString: server });
  await client.connect();
  try {
    return (await client.query<object>(query)).rows;
  } finally {
    await client.end();
  }
}
