import { randomUUID } from 'node:crypto';
import { monitorTables } from '../monitors/tables';
import { SqliteConnection, storeErrorOf, type FileIdentity } from './connection';
import { StoreError } from '../store-error';

/** Who a store is: made once, never changed. */
export interface StoreIdentity {
  /** Its first 8 characters end the names of the task queues. */
  id: string;
  /** Of the key that names subjects: with another one nothing would be found. */
  idKeyFingerprint: string;
  file: FileIdentity;
}

/** Forward only; each step in a transaction of its own. What stands here is never changed again. */
const migrations: readonly string[][] = [
  [
    `CREATE TABLE install (
       one INTEGER PRIMARY KEY CHECK (one = 1),
       id TEXT NOT NULL,
       id_key_fingerprint TEXT NOT NULL,
       created_at TEXT NOT NULL
     ) STRICT`,
    `CREATE TABLE record (
       key TEXT PRIMARY KEY,
       body BLOB,
       blob TEXT,
       CHECK ((body IS NULL) <> (blob IS NULL))
     ) STRICT`,
    `CREATE INDEX record_blob ON record (blob) WHERE blob IS NOT NULL`,
    `CREATE TABLE attempt (
       subject TEXT NOT NULL,
       n INTEGER NOT NULL,
       kind TEXT NOT NULL CHECK (kind IN ('send', 'closed')),
       nonce TEXT NOT NULL,
       workflow_id TEXT NOT NULL,
       chunk TEXT NOT NULL,
       answer_by INTEGER NOT NULL,
       claimed_at INTEGER NOT NULL,
       after_unknown INTEGER NOT NULL,
       receipt TEXT CHECK (receipt IN ('accepted', 'refused', 'not_sent', 'unknown')),
       receipt_at INTEGER,
       external_id TEXT,
       why BLOB,
       is_resolved INTEGER NOT NULL DEFAULT 0,
       PRIMARY KEY (subject, n),
       CHECK ((receipt IS NULL) = (receipt_at IS NULL)),
       CHECK ((receipt IS 'accepted') = (external_id IS NOT NULL))
     ) STRICT, WITHOUT ROWID`,
    // At most one of a subject of which nobody knows the end.
    `CREATE UNIQUE INDEX attempt_undecided ON attempt (subject)
       WHERE kind = 'send' AND is_resolved = 0 AND (receipt IS NULL OR receipt = 'unknown')`,
    // What surely never left may go again in its run, until the run is closed.
    `CREATE UNIQUE INDEX attempt_run ON attempt (subject, workflow_id, chunk)
       WHERE receipt IS NULL OR receipt <> 'not_sent'`,
    `CREATE TABLE batch_row (
       work TEXT NOT NULL,
       line INTEGER NOT NULL,
       kind TEXT NOT NULL CHECK (kind IN ('item', 'duplicate', 'invalid', 'unsupported')),
       item INTEGER,
       body BLOB NOT NULL,
       PRIMARY KEY (work, line),
       CHECK ((item IS NULL) = (kind IN ('invalid', 'unsupported')))
     ) STRICT, WITHOUT ROWID`,
    `CREATE UNIQUE INDEX batch_row_item ON batch_row (work, item) WHERE kind = 'item'`,
    `CREATE TABLE outcome (
       work TEXT NOT NULL,
       item INTEGER NOT NULL,
       filed_by TEXT NOT NULL,
       body BLOB NOT NULL,
       PRIMARY KEY (work, item, filed_by)
     ) STRICT, WITHOUT ROWID`,
    `CREATE TABLE fact (
       external_id TEXT PRIMARY KEY,
       body BLOB NOT NULL
     ) STRICT, WITHOUT ROWID`,
    `CREATE TABLE event (
       chain TEXT NOT NULL,
       number INTEGER NOT NULL,
       at TEXT NOT NULL,
       prev TEXT NOT NULL,
       hash TEXT NOT NULL,
       mac TEXT NOT NULL,
       name TEXT NOT NULL UNIQUE,
       body BLOB NOT NULL,
       PRIMARY KEY (chain, number)
     ) STRICT`,
    `CREATE INDEX event_at ON event (at, chain, number)`,
    `CREATE TABLE anchor (
       number INTEGER PRIMARY KEY,
       at TEXT NOT NULL,
       prev TEXT NOT NULL,
       hash TEXT NOT NULL,
       mac TEXT NOT NULL
     ) STRICT`,
    `CREATE TABLE anchor_head (
       anchor INTEGER NOT NULL REFERENCES anchor (number),
       chain TEXT NOT NULL,
       number INTEGER NOT NULL,
       hash TEXT NOT NULL,
       PRIMARY KEY (anchor, chain)
     ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX anchor_head_chain ON anchor_head (chain, number)`,
    `CREATE TABLE subject (
       subject TEXT NOT NULL,
       holder TEXT NOT NULL,
       line INTEGER NOT NULL DEFAULT 0,
       PRIMARY KEY (subject, holder, line)
     ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX subject_holder ON subject (holder)`,
    `CREATE TABLE job (
       id TEXT PRIMARY KEY,
       kind TEXT NOT NULL,
       status TEXT,
       needs_attention INTEGER NOT NULL DEFAULT 0,
       label TEXT,
       holder TEXT NOT NULL,
       asked TEXT NOT NULL UNIQUE REFERENCES record (key) ON DELETE CASCADE,
       created_at TEXT NOT NULL,
       ended_at TEXT,
       CHECK ((status IS NULL) = (ended_at IS NULL))
     ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX job_created ON job (created_at, id)`,
    `CREATE INDEX job_ended ON job (ended_at, id) WHERE ended_at IS NOT NULL`,
    `CREATE INDEX job_kind ON job (kind, created_at, id)`,
    `CREATE INDEX job_status ON job (status, created_at, id)`,
    `CREATE INDEX job_label ON job (label, created_at, id) WHERE label IS NOT NULL`,
    `CREATE INDEX job_attention ON job (created_at, id) WHERE needs_attention = 1`,
    `CREATE INDEX job_holder ON job (holder)`,
    `CREATE TABLE resolution (
       subject TEXT NOT NULL,
       n INTEGER NOT NULL,
       number INTEGER NOT NULL,
       action TEXT NOT NULL CHECK (action IN ('reissue', 'abandon', 'adopt')),
       external_id TEXT,
       at INTEGER NOT NULL,
       said BLOB NOT NULL,
       PRIMARY KEY (subject, n, number)
     ) STRICT, WITHOUT ROWID`,
    ...monitorTables,
  ],
];

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
    sql: 'SELECT id, id_key_fingerprint AS idKeyFingerprint FROM install',
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
