import { randomUUID } from 'node:crypto';
import { migrations } from '../migrations';
import { SqliteConnection, storeErrorOf, type FileIdentity } from './connection';
import { StoreError } from '../store-error';

/** Who a store is. */
export interface StoreIdentity {
  id: string;
  /** From 1; another one whenever it was restored. */
  epoch: number;
  /** Of the key that names subjects: with another one nothing would be found. */
  idKeyFingerprint: string;
  file: FileIdentity;
}

const openPatienceMs = 10_000;

/**
 * Brings the database at a path to the schema of this program, and makes it one at the first use.
 *
 * @returns the identity that stands there, which is ours only when there was none
 * @throws StoreError when a later program made it
 */
export async function prepareDatabase(
  path: string,
  idKeyFingerprint: string,
): Promise<StoreIdentity> {
  return withPatience(() => {
    const connection = new SqliteConnection(path);
    try {
      migrate(connection);
      connection.run({
        sql: `INSERT INTO install (one, id, id_key_fingerprint, created_at) VALUES (1, ?, ?, ?)
              ON CONFLICT DO NOTHING`,
        parameters: [randomUUID(), idKeyFingerprint, new Date().toISOString()],
      });
      return readIdentity(connection);
    } finally {
      connection.close();
    }
  });
}

/** @throws StoreError when this program does not know its schema, or nobody finished making it */
export function readIdentity(connection: SqliteConnection): StoreIdentity {
  refuseOtherSchema(connection);
  const [row] = connection.run({
    sql: 'SELECT id, epoch, id_key_fingerprint AS idKeyFingerprint FROM install',
    parameters: [],
  }).rows as Omit<StoreIdentity, 'file'>[];
  if (row === undefined) throw new StoreError('corrupt', `${connection.path} has no identity`);
  return { ...row, file: connection.file };
}

function refuseOtherSchema(connection: SqliteConnection): void {
  const version = versionOf(connection);
  if (version > migrations.length) {
    throw new StoreError(
      'refused',
      `${connection.path} was made by a later version of diligence (schema ${version}, this one knows ${migrations.length}): update this program`,
    );
  }
  if (version < migrations.length) {
    throw new StoreError(
      'refused',
      `${connection.path} has schema ${version}, and this program needs ${migrations.length}: start a worker or a command that writes once`,
    );
  }
}

/** Runs the migrations that a database has not seen. */
export function migrate(connection: SqliteConnection): void {
  if (versionOf(connection) >= migrations.length) return;
  connection.exec('BEGIN IMMEDIATE');
  try {
    connection.exec('CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL) STRICT');
    // Another process may have been first.
    const version = versionOf(connection);
    for (const sql of migrations.slice(version).flat()) connection.exec(sql);
    connection.exec('DELETE FROM schema_version');
    connection.run({
      sql: 'INSERT INTO schema_version (version) VALUES (?)',
      parameters: [Math.max(version, migrations.length)],
    });
    connection.exec('COMMIT');
  } catch (error) {
    connection.exec('ROLLBACK');
    throw error;
  }
}

function versionOf(connection: SqliteConnection): number {
  const known = connection.run({
    sql: `SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'schema_version'`,
    parameters: [],
  });
  if (known.rows.length === 0) return 0;
  const [row] = connection.run({
    sql: 'SELECT version FROM schema_version',
    parameters: [],
  }).rows as { version: number }[];
  return row?.version ?? 0;
}

/** Several processes may open it for the first time at once. */
async function withPatience<T>(open: () => T): Promise<T> {
  const giveUpAt = Date.now() + openPatienceMs;
  for (;;) {
    try {
      return open();
    } catch (error) {
      const failure = storeErrorOf(error, 'opening the store');
      if (failure.code !== 'busy' || Date.now() > giveUpAt) throw failure;
      await new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 50));
    }
  }
}
