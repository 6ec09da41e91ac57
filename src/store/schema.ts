import { randomUUID } from 'node:crypto';
import { migrations } from './migrations';
import { raw, sql, statement, type Statement, type StatementResult } from './statement';
import { StoreError } from './store-error';

export interface StoreIdentity {
  id: string;
  /** From 1; every restore starts a new one. */
  epoch: number;
  /** Fingerprint of the key that names subjects: another key would find nothing. */
  idKeyFingerprint: string;
}

export interface OpenedConnection {
  run: (one: Statement) => StatementResult | Promise<StatementResult>;
  dialect: {
    /** Begins a transaction that excludes others of its kind. */
    begin: readonly string[];
    /** Whether a table `install` exists. */
    isMade: string;
    /** Translates a migration for this database. */
    translated: (sql: string) => string;
  };
}

export const selectIdentity = sql`SELECT id, epoch, id_key_fingerprint AS "idKeyFingerprint",
     (SELECT version FROM schema_version) AS version FROM install`;

/** @throws StoreError when this program does not know its schema */
export function identityIn([row]: readonly unknown[]): StoreIdentity {
  const { version, ...identity } = (row ?? {}) as StoreIdentity & { version?: number };
  if (version === undefined) throw new StoreError('corrupt', 'the store has no identity');
  if (version === migrations.length) return identity;
  const schemas = `schema ${version}, this program knows ${migrations.length}`;
  throw new StoreError(
    'refused',
    version > migrations.length
      ? `the store was made by a later version of diligence (${schemas}): update this program`
      : `the store is of an earlier version of diligence (${schemas}): run \`diligence setup\``,
  );
}

export async function isMade({ run, dialect }: OpenedConnection): Promise<boolean> {
  return (await run(raw(dialect.isMade))).rows.length > 0;
}

/** Migrates a database to the schema of this program. @param where names the database in errors */
export async function prepareStore(
  connection: OpenedConnection,
  fingerprint: string,
  where: string,
): Promise<StoreIdentity> {
  if ((await versionOf(connection)) < migrations.length) await migrate(connection, fingerprint);
  const identity = identityIn((await connection.run(selectIdentity)).rows);
  if (identity.idKeyFingerprint === fingerprint) return identity;
  throw new StoreError(
    'refused',
    `the store ${where} was made with another id key (fingerprint ${identity.idKeyFingerprint}, ` +
      `ours is ${fingerprint}): set DILIGENCE_ID_KEY to the key it was made with, or use another store`,
  );
}

async function migrate(connection: OpenedConnection, fingerprint: string): Promise<void> {
  const { begin, translated } = connection.dialect;
  const run = async (text: string, parameters: readonly unknown[] = []): Promise<void> => {
    await connection.run(statement(text, parameters));
  };
  try {
    for (const one of begin) await run(one);
    // Another process may have migrated it.
    const version = await versionOf(connection);
    for (const one of migrations.slice(version).flat()) await run(translated(one));
    await run('UPDATE schema_version SET version = ? WHERE version < ?', [
      migrations.length,
      migrations.length,
    ]);
    await run(
      `INSERT INTO install (one, id, id_key_fingerprint, created_at) VALUES (1, ?, ?, ?)
       ON CONFLICT DO NOTHING`,
      [randomUUID(), fingerprint, new Date().toISOString()],
    );
    await run('COMMIT');
  } catch (error) {
    // It may not have started.
    await run('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

async function versionOf(connection: OpenedConnection): Promise<number> {
  if (!(await isMade(connection))) return 0;
  const { rows } = await connection.run(sql`SELECT version FROM schema_version`);
  const [row] = rows as { version: number }[];
  return row?.version ?? 0;
}
