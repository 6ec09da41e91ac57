import { randomUUID } from 'node:crypto';
import type { ClientBase } from 'pg';
import { migrations } from '../migrations';
import { StoreError } from '../store-error';

/** Who a store is. */
export interface PostgresIdentity {
  id: string;
  /** From 1; another one whenever it was restored. */
  epoch: number;
  idKeyFingerprint: string;
}

/** One of several programs that open it for the first time at once; any number would do. */
const migrationLock = 7_201_733;

/**
 * Brings a database to the schema of this program, and makes it a store at the first use.
 *
 * @returns the identity that stands there, which is ours only when there was none
 * @throws StoreError when a later program made it
 */
export async function preparePostgres(
  client: ClientBase,
  idKeyFingerprint: string,
): Promise<PostgresIdentity> {
  if ((await versionOf(client)) < migrations.length) await migrate(client, idKeyFingerprint);
  return readPostgresIdentity(client);
}

/** @throws StoreError when this program does not know its schema */
export async function readPostgresIdentity(client: ClientBase): Promise<PostgresIdentity> {
  const { rows } = await client.query<{ version: string }>('SELECT version FROM schema_version');
  refuseOtherSchema(Number(rows[0]?.version ?? 0));
  const found = await client.query<Omit<PostgresIdentity, 'epoch'> & { epoch: string }>(
    'SELECT id, epoch, id_key_fingerprint AS "idKeyFingerprint" FROM install',
  );
  const [row] = found.rows;
  if (row === undefined) throw new StoreError('corrupt', 'the database has no identity');
  return { ...row, epoch: Number(row.epoch) };
}

function refuseOtherSchema(version: number): void {
  if (version > migrations.length) {
    throw new StoreError(
      'refused',
      `the store was made by a later version of diligence (schema ${version}, this one knows ${migrations.length}): update this program`,
    );
  }
  if (version < migrations.length) {
    throw new StoreError(
      'refused',
      `the store has schema ${version}, and this program needs ${migrations.length}: run \`diligence setup\``,
    );
  }
}

async function migrate(client: ClientBase, idKeyFingerprint: string): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query('SELECT pg_advisory_xact_lock($1)', [migrationLock]);
    // Another program may have been first.
    const version = await versionOf(client);
    if (version < migrations.length) {
      await client.query('CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)');
      await client.query(refusal);
      for (const sql of migrations.slice(version).flat()) await client.query(inPostgres(sql));
      await client.query('DELETE FROM schema_version');
      await client.query('INSERT INTO schema_version (version) VALUES ($1)', [migrations.length]);
    }
    await client.query(
      `INSERT INTO install (one, id, id_key_fingerprint, created_at) VALUES (1, $1, $2, $3)
       ON CONFLICT DO NOTHING`,
      [randomUUID(), idKeyFingerprint, new Date().toISOString()],
    );
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/** 0 where nothing is stored yet. */
async function versionOf(client: ClientBase): Promise<number> {
  const found = await client.query<{ known: boolean }>(
    `SELECT to_regclass('schema_version') IS NOT NULL AS known`,
  );
  if (found.rows[0]?.known !== true) return 0;
  const { rows } = await client.query<{ version: string }>('SELECT version FROM schema_version');
  return Number(rows[0]?.version ?? 0);
}

/** What a trigger of SQLite says itself. */
const refusal = `CREATE OR REPLACE FUNCTION stays_as_written() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION 'the audit trail stays as it was written'
      USING ERRCODE = 'integrity_constraint_violation';
  END $$`;

/** The same table, or trigger. Text is compared by its bytes, as SQLite does. */
function inPostgres(sql: string): string {
  const [, trigger, table] = /^(CREATE TRIGGER \w+ BEFORE \w+) ON (\w+)\s/.exec(sql) ?? [];
  if (trigger !== undefined) {
    const change = trigger.endsWith('DELETE') ? `${trigger} OR TRUNCATE` : trigger;
    return `${change} ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION stays_as_written()`;
  }
  return sql
    .replaceAll(/\bTEXT\b/g, 'TEXT COLLATE "C"')
    .replaceAll(/\bINTEGER\b/g, 'BIGINT')
    .replaceAll(/\bBLOB\b/g, 'BYTEA')
    .replace(/\)\s*STRICT(?:, WITHOUT ROWID)?$/, ')');
}
