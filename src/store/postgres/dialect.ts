import type { OpenedConnection } from '../schema';

/** SQLite's trigger has the message itself. */
const refusal = `CREATE OR REPLACE FUNCTION stays_as_written() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION 'the audit trail stays as it was written'
      USING ERRCODE = 'integrity_constraint_violation';
  END $$`;

export const dialect: OpenedConnection['dialect'] = {
  // An arbitrary number for the lock.
  begin: ['BEGIN', 'SELECT pg_advisory_xact_lock(7201733)', refusal],
  isMade: `SELECT 1 WHERE to_regclass('install') IS NOT NULL`,
  translated: inPostgres,
};

/** Translates a table or trigger. Text is compared by bytes, as in SQLite. */
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
