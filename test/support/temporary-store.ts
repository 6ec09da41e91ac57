import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Store } from '../../src/store/store';
import { storeInFolder, type StoreAddress } from '../../src/store/open-store';
import { KeySeal } from '../../src/store/sealed/seal';
import { TemporaryPostgres, postgresIn, postgresOfRun, runInPostgres } from './temporary-postgres';
import type { Attempt } from '../../src/domain/core/service/attempts';
import { IdKey } from '../../src/protection/id-key';
import { KeyRing } from '../../src/protection/key-ring';
import { EventChain, type NewEvent } from '../../src/store/audit/chain';
import { BlobDirectory } from '../../src/store/blobs';
import { resolutionsOf } from '../../src/store/core/attempt-rows';
import { migrations } from '../../src/store/migrations';
import { SealedDatabase } from '../../src/store/sealed/sealed-database';
import { SqliteConnection } from '../../src/store/sqlite/connection';
import type { Statement, StatementResult } from '../../src/store/statement';
import type { Database, DatabaseFacts } from '../../src/store/database';
import { runInTransaction } from '../../src/store/sqlite/transaction';

/** Of the installations under test. */
export const testPayloadKeys = `test:${'7e57'.repeat(16)}`;

/** Of the stores of unit tests. */
export const testIdKey = IdKey.parse('ab'.repeat(32));

/** Of a store in a folder. */
export const inFolder = (storeUrl: string): StoreAddress => ({ storeUrl, blobsUrl: '' });

/** A folder that is gone after the test, and a store in it. */
export class TemporaryStore {
  readonly folder = mkdtempSync(join(tmpdir(), 'diligence-store-'));
  readonly root = join(this.folder, 'temporary');
  readonly database: DatabaseOfTest = databaseOf(this.root);
  readonly store = new Store(this.database);

  /** Another process on the same store: what it tells stands in a chain of its own. */
  writer(now?: () => number, idKey?: IdKey): SealedDatabase {
    return new SealedDatabase(new DatabaseWithoutThread(this.root, now, idKey));
  }

  /** Past the program, as a stranger might; returns the rows of the statement. */
  tamper(sql: string, ...parameters: unknown[]): unknown[] {
    return this.database.readNow({ sql, parameters });
  }

  /** As a stranger must who changes what the audit trail says. */
  openTrail(): void {
    openTrail((sql) => this.tamper(sql) as { name: string }[]);
  }

  /** What stands under a key, as it stands: '' when there is nothing. */
  bodyOf(key: string): Buffer {
    const [row] = this.database.readNow({
      sql: 'SELECT body FROM record WHERE key = ?',
      parameters: [key],
    });
    return Buffer.from((row as { body: Uint8Array } | undefined)?.body ?? []);
  }

  /** Puts something else in its place, as a bad disk or a stranger might. */
  spoil(key: string, body: Uint8Array | string): void {
    this.database.commitNow([
      { sql: 'DELETE FROM record WHERE key = ?', parameters: [key] },
      { sql: 'INSERT INTO record (key, body) VALUES (?, ?)', parameters: [key, Buffer.from(body)] },
    ]);
  }

  /** Takes everything away that stands below it, past the store. */
  drop(prefix: string): void {
    this.database.commitNow([
      {
        sql: 'DELETE FROM record WHERE substr(key, 1, ?) = ?',
        parameters: [prefix.length, prefix],
      },
    ]);
  }

  remove(): void {
    void this.database.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** PostgreSQL in the project of that name, SQLite in all others. Past the program only SQLite is reached. */
type DatabaseOfTest = Database & Pick<DatabaseWithoutThread, 'readNow' | 'commitNow'>;

function databaseOf(root: string): DatabaseOfTest {
  const server = postgresOfRun();
  if (server === null) return new DatabaseWithoutThread(root);
  const beyond = (): never => {
    throw new Error('not in PostgreSQL');
  };
  const database = new TemporaryPostgres(server, root, testIdKey);
  return Object.assign(database, { readNow: beyond, commitNow: beyond });
}

/** Commits where it is called: for tests that are not about the writer. */
class DatabaseWithoutThread implements Database {
  readonly id = 'a1b2c3d4-store-of-a-test';
  readonly epoch = 1;
  readonly blobs: BlobDirectory;
  readonly #connection: SqliteConnection;
  readonly #chain: EventChain;
  static #last: Promise<unknown> = Promise.resolve();

  constructor(root: string, now?: () => number, { auditKey } = testIdKey) {
    this.#chain = new EventChain({ storeId: this.id, auditKey }, now);
    mkdirSync(join(root, 'blobs'), { recursive: true });
    writeFileSync(join(root, 'blobs', 'store-id'), this.id);
    this.blobs = new BlobDirectory(join(root, 'blobs'), this.id);
    const isNew = !existsSync(join(root, 'store.db'));
    this.#connection = new SqliteConnection(join(root, 'store.db'));
    if (isNew) for (const sql of migrations.flat()) this.#connection.exec(sql);
    this.#connection.run({
      sql: `INSERT INTO install (one, id, id_key_fingerprint, created_at) VALUES (1, ?, '', '') ON CONFLICT DO NOTHING`,
      parameters: [this.id],
    });
  }

  readNow(statement: Statement): StatementResult['rows'] {
    return this.#connection.run(statement).rows;
  }

  commitNow(statements: readonly Statement[]): void {
    for (const one of statements) this.#connection.run(one);
  }

  async read<T>(statement: Statement): Promise<T[]> {
    return this.readNow(statement) as T[];
  }

  async commit(
    statements: readonly Statement[],
    events: readonly NewEvent[] = [],
  ): Promise<StatementResult[]> {
    const units = [{ statements, events }];
    // One after the other: who waits for the database holds this thread.
    const mine = DatabaseWithoutThread.#last.then(() =>
      runInTransaction(this.#connection, units, this.#chain),
    );
    DatabaseWithoutThread.#last = mine.catch(() => undefined);
    return (await mine)[0] ?? [];
  }

  async prove(): Promise<DatabaseFacts> {
    return { engine: '', mayLose: [] };
  }

  async forget(): Promise<void> {
    this.#connection.eraseTraces();
  }

  async close(): Promise<void> {
    this.#connection.close();
  }
}

/** What people have noted about attempts, a JSON object each. */
export async function notesOf(store: Store): Promise<string[]> {
  const subjects = await store.attempts.subjects('');
  const notes = await Promise.all(subjects.map((subject) => notesAbout(store, subject)));
  return notes.flat().map((note) => JSON.stringify({ note }));
}

/** Notes of all resolutions, also of those that another one followed. */
export async function notesAbout(store: Store, subject: string): Promise<string[]> {
  return (await resolutionsOf(store, subject)).map(({ resolution: { note } }) => note);
}

/** Every attempt at every thing that can be bought. */
export async function allAttempts({ attempts }: Store): Promise<Attempt[]> {
  const subjects = await attempts.subjects('');
  return (await Promise.all(subjects.map((subject) => attempts.of(subject)))).flat();
}

const opened = new Map<string, Store>();

/** What the installation in a folder has stored, to be looked at while it works. */
export function storeIn(folder: string): Store {
  const root = join(folder, 'data', 'store');
  const database = opened.has(root) ? null : postgresIn(folder);
  if (database !== null) opened.set(root, new Store(database, new KeySeal(keysOf(root))));
  return storeAt(root);
}

/** Past the program that works there, as a stranger might; returns the rows of the statement. */
export async function tamperWith(
  folder: string,
  sql: string,
  ...parameters: unknown[]
): Promise<unknown[]> {
  const onPostgres = runInPostgres(folder, { sql, parameters });
  if (onPostgres !== null) return onPostgres;
  const connection = new SqliteConnection(join(folder, 'data', 'store', 'store.db'));
  try {
    return connection.run({ sql, parameters }).rows;
  } finally {
    connection.close();
  }
}

/** The same, of an installation. */
export async function openTrailIn(folder: string): Promise<void> {
  for (const table of ['event', 'anchor', 'anchor_head']) {
    const disabled = { sql: `ALTER TABLE ${table} DISABLE TRIGGER USER`, parameters: [] };
    const onPostgres = runInPostgres(folder, disabled);
    if (onPostgres !== null) await onPostgres;
  }
  for (const { name } of (await tamperWith(folder, triggers).catch(() => [])) as { name: string }[])
    await tamperWith(folder, `DROP TRIGGER ${name}`);
}

const triggers = `SELECT name FROM sqlite_schema WHERE type = 'trigger'`;

/** Takes the triggers away that keep it as it was written. */
function openTrail(run: (sql: string) => { name: string }[]): void {
  for (const { name } of run(triggers)) run(`DROP TRIGGER ${name}`);
}

export function storeAt(root: string): Store {
  const known = opened.get(root);
  if (known !== undefined) return known;
  const store = storeInFolder(root, new KeySeal(keysOf(root)));
  if (store === null) throw new Error(`nothing is stored in ${root} yet`);
  opened.set(root, store);
  return store;
}

/** Those that were generated beside it, or those of an installation under test. */
function keysOf(root: string): KeyRing {
  const file = join(root, '..', 'payload-keys');
  return KeyRing.parse(existsSync(file) ? readFileSync(file, 'utf8').trim() : testPayloadKeys);
}
