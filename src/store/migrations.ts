import { monitorTables } from './monitors/tables';

/**
 * Forward only; each step is one transaction, and is never changed later. Written for SQLite; `postgres/dialect`
 * translates it.
 */
export const migrations: readonly string[][] = [
  [
    `CREATE TABLE schema_version (version INTEGER NOT NULL) STRICT`,
    `INSERT INTO schema_version (version) VALUES (0)`,
    `CREATE TABLE install (
       one INTEGER PRIMARY KEY CHECK (one = 1),
       id TEXT NOT NULL,
       id_key_fingerprint TEXT NOT NULL,
       created_at TEXT NOT NULL,
       epoch INTEGER NOT NULL DEFAULT 1,
       -- Since it was restored: what it has no record of may have been bought. NULL: it has records of all.
       doubt_since INTEGER
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
       CHECK ((receipt IS NOT DISTINCT FROM 'accepted') = (external_id IS NOT NULL))
     ) STRICT, WITHOUT ROWID`,
    // At most one undecided attempt of a subject.
    `CREATE UNIQUE INDEX attempt_undecided ON attempt (subject)
       WHERE kind = 'send' AND is_resolved = 0 AND (receipt IS NULL OR receipt = 'unknown')`,
    // An attempt that certainly was not sent may be repeated in its chunk until the chunk is closed.
    `CREATE UNIQUE INDEX attempt_run ON attempt (subject, workflow_id, chunk)
       WHERE receipt IS NULL OR receipt <> 'not_sent'`,
    `CREATE INDEX attempt_trace ON attempt (external_id)
       WHERE subject >= 'trace/' AND subject < 'trace0'`,
    `CREATE TABLE batch_row (
       job TEXT NOT NULL,
       line INTEGER NOT NULL,
       kind TEXT NOT NULL CHECK (kind IN ('item', 'duplicate', 'invalid', 'unsupported')),
       item INTEGER,
       -- Id of the job of the item, in a batch of jobs.
       child TEXT,
       body BLOB NOT NULL,
       PRIMARY KEY (job, line),
       CHECK ((item IS NULL) = (kind IN ('invalid', 'unsupported')))
     ) STRICT, WITHOUT ROWID`,
    `CREATE UNIQUE INDEX batch_row_item ON batch_row (job, item) WHERE kind = 'item'`,
    `CREATE INDEX batch_row_child ON batch_row (child) WHERE child IS NOT NULL`,
    `CREATE TABLE outcome (
       job TEXT NOT NULL,
       item INTEGER NOT NULL,
       stored_by TEXT NOT NULL,
       body BLOB NOT NULL,
       PRIMARY KEY (job, item, stored_by)
     ) STRICT, WITHOUT ROWID`,
    // Rows that a lane has deferred. Numbers only, no personal data.
    `CREATE TABLE deferred_row (
       job TEXT NOT NULL,
       lane TEXT NOT NULL,
       item INTEGER NOT NULL,
       attempts INTEGER NOT NULL,
       mode TEXT NOT NULL,
       not_before INTEGER NOT NULL,
       throttled INTEGER NOT NULL,
       was TEXT NOT NULL,
       put_in INTEGER NOT NULL,
       taken_in INTEGER,
       PRIMARY KEY (job, lane, item)
     ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX deferred_row_next ON deferred_row (job, lane, not_before) WHERE taken_in IS NULL`,
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
       -- Hash of the id of its job as the body has it, with numbers for names: NULL where it is of none.
       job TEXT,
       body BLOB NOT NULL,
       PRIMARY KEY (chain, number)
     ) STRICT`,
    `CREATE INDEX event_at ON event (at, chain, number)`,
    `CREATE INDEX event_job ON event (job, at, chain, number) WHERE job IS NOT NULL`,
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
    // Subjects of audit events; an erasure removes them.
    `CREATE TABLE subject_number (
       subject TEXT PRIMARY KEY,
       number TEXT NOT NULL UNIQUE
     ) STRICT, WITHOUT ROWID`,
    `CREATE TABLE job (
       holder TEXT PRIMARY KEY,
       id TEXT NOT NULL UNIQUE,
       kind TEXT NOT NULL,
       status TEXT,
       -- Since when it needs a person; NULL: it needs none.
       attention_at TEXT,
       label TEXT,
       created_at TEXT NOT NULL,
       ended_at TEXT,
       input BLOB NOT NULL,
       outcome BLOB,
       -- How its results are written and told; NULL: as nobody has said.
       output TEXT,
       CHECK ((status IS NULL) = (ended_at IS NULL))
     ) STRICT`,
    `CREATE INDEX job_created ON job (created_at, id)`,
    `CREATE INDEX job_ended ON job (ended_at, id) WHERE ended_at IS NOT NULL`,
    `CREATE INDEX job_kind ON job (kind, created_at, id)`,
    `CREATE INDEX job_status ON job (status, created_at, id)`,
    `CREATE INDEX job_label ON job (label, created_at, id) WHERE label IS NOT NULL`,
    `CREATE INDEX job_attention ON job (attention_at, id) WHERE attention_at IS NOT NULL`,
    `CREATE INDEX job_kind_attention ON job (kind, attention_at, id) WHERE attention_at IS NOT NULL`,
    // A claim of the job never commits while it exists.
    `CREATE TABLE stop_mark (
       holder TEXT PRIMARY KEY REFERENCES job (holder) ON DELETE CASCADE,
       word TEXT NOT NULL CHECK (word IN ('paused', 'cancelled'))
     ) STRICT, WITHOUT ROWID`,
    // Why an open job waits for a person, by the waiting workflow.
    `CREATE TABLE wait_mark (
       holder TEXT NOT NULL REFERENCES job (holder) ON DELETE CASCADE,
       source TEXT NOT NULL,
       reason TEXT NOT NULL,
       since TEXT NOT NULL,
       -- JSON: the number of rows, or a budget.
       about TEXT,
       PRIMARY KEY (holder, source)
     ) STRICT, WITHOUT ROWID`,
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
    // Rate lease of each worker per service, and the measured rate. No personal data.
    `CREATE TABLE rate_share (
       service TEXT NOT NULL,
       worker TEXT NOT NULL,
       until INTEGER NOT NULL,
       per_second REAL NOT NULL,
       ceiling REAL,
       reason TEXT NOT NULL,
       refusals INTEGER NOT NULL,
       PRIMARY KEY (service, worker)
     ) STRICT, WITHOUT ROWID`,
    ...monitorTables,
    // The events of an erasure are added; existing events stay unchanged.
    ...['event', 'anchor', 'anchor_head'].flatMap((table) =>
      ['UPDATE', 'DELETE'].map(
        (change) =>
          `CREATE TRIGGER ${table}_no_${change.toLowerCase()} BEFORE ${change} ON ${table}
           BEGIN SELECT RAISE(ABORT, 'the audit trail stays as it was written'); END`,
      ),
    ),
  ],
];
