const ofChange = 'FOREIGN KEY (monitor_id, change_id) REFERENCES change (monitor_id, change_id)';

/** Columns of a table by what they hold. */
export interface TableColumns {
  key: readonly string[];
  /** BLOBs: bodies of the row, which are sealed for it. */
  bodies: readonly string[];
  flags: readonly string[];
  json: readonly string[];
}

const declared = new Map<string, TableColumns>();

/** As declared: a later migration that adds a column declares it too. */
export function columnsOf(name: string): TableColumns {
  return declared.get(name) ?? { key: [], bodies: [], flags: [], json: [] };
}

/**
 * A table, sorted by its key.
 *
 * @param key its columns, as `columns`: what may be NULL ends with `?`; also FLAG, a boolean, and JSON
 */
function table(name: string, key: string, columns: string, ...rules: readonly string[]): string {
  const ofKey = key.split(',').map((column) => column.trim());
  const others = columns.split(',').flatMap((column) => column.trim() || []);
  const named = (all: readonly string[]): string[] => all.map((one) => one.split(' ', 1)[0] ?? '');
  const ofType = (type: string): string[] =>
    named(others.filter((column) => column.replace('?', '').split(' ')[1] === type));
  const itsKey = named(ofKey);
  declared.set(name, {
    key: itsKey,
    bodies: ofType('BLOB'),
    flags: ofType('FLAG'),
    json: ofType('JSON'),
  });
  const parts = [...ofKey, ...others].map((column) => {
    const typed = column.replace(' FLAG', ' INTEGER').replace(' JSON', ' TEXT');
    return typed.endsWith('?') ? typed.slice(0, -1) : `${typed} NOT NULL`;
  });
  const all = [...parts, `PRIMARY KEY (${itsKey.join(', ')})`, ...rules];
  return `CREATE TABLE ${name} (${all.join(', ')}) STRICT, WITHOUT ROWID`;
}

/** Large bodies would slow a table that is sorted by its key (sqlite.org/withoutrowid.html). */
function withLargeRows(sql: string): string {
  return sql.replace(', WITHOUT ROWID', '');
}

/**
 * Forward only; each step is one transaction, and is never changed later. Written for SQLite; `postgres/dialect`
 * translates it.
 */
export const migrations: readonly string[][] = [
  [
    `CREATE TABLE schema_version (version INTEGER NOT NULL) STRICT`,
    `INSERT INTO schema_version (version) VALUES (0)`,
    table(
      'install',
      'one INTEGER',
      // `doubt_since`: when it was restored, so that what it has no record of may have been bought. NULL: it has
      // records of all.
      'id TEXT, id_key_fingerprint TEXT, created_at TEXT, epoch INTEGER DEFAULT 1, doubt_since INTEGER?',
      'CHECK (one = 1)',
    ),
    withLargeRows(
      table(
        'record',
        'key TEXT',
        'body BLOB?, blob TEXT?',
        'CHECK ((body IS NULL) <> (blob IS NULL))',
      ),
    ),
    `CREATE INDEX record_blob ON record (blob) WHERE blob IS NOT NULL`,
    table(
      'attempt',
      'subject TEXT, n INTEGER',
      `kind TEXT, nonce TEXT, workflow_id TEXT, chunk TEXT, answer_by INTEGER, claimed_at INTEGER,
       after_unknown FLAG, receipt TEXT?, receipt_at INTEGER?, external_id TEXT?, why BLOB?,
       is_resolved FLAG DEFAULT 0`,
      `CHECK (kind IN ('send', 'closed'))`,
      `CHECK (receipt IN ('accepted', 'refused', 'not_sent', 'unknown'))`,
      'CHECK ((receipt IS NULL) = (receipt_at IS NULL))',
      `CHECK ((receipt IS NOT DISTINCT FROM 'accepted') = (external_id IS NOT NULL))`,
    ),
    // At most one undecided attempt of a subject.
    `CREATE UNIQUE INDEX attempt_undecided ON attempt (subject)
       WHERE kind = 'send' AND is_resolved = 0 AND (receipt IS NULL OR receipt = 'unknown')`,
    // An attempt that certainly was not sent may be repeated in its chunk until the chunk is closed.
    `CREATE UNIQUE INDEX attempt_run ON attempt (subject, workflow_id, chunk)
       WHERE receipt IS NULL OR receipt <> 'not_sent'`,
    `CREATE INDEX attempt_trace ON attempt (external_id)
       WHERE subject >= 'trace/' AND subject < 'trace0'`,
    table(
      'resolution',
      'subject TEXT, n INTEGER, number INTEGER',
      'action TEXT, external_id TEXT?, at INTEGER, said BLOB',
      `CHECK (action IN ('reissue', 'abandon', 'adopt'))`,
    ),
    table(
      'batch_row',
      'job TEXT, line INTEGER',
      // `child`: id of the job of the item, in a batch of jobs.
      'kind TEXT, item INTEGER?, child TEXT?, body BLOB',
      `CHECK (kind IN ('item', 'duplicate', 'invalid', 'unsupported'))`,
      `CHECK ((item IS NULL) = (kind IN ('invalid', 'unsupported')))`,
    ),
    `CREATE UNIQUE INDEX batch_row_item ON batch_row (job, item) WHERE kind = 'item'`,
    `CREATE INDEX batch_row_child ON batch_row (child) WHERE child IS NOT NULL`,
    table('outcome', 'job TEXT, item INTEGER, stored_by TEXT', 'body BLOB'),
    // Rows that a lane has deferred. Numbers only, no personal data.
    table(
      'deferred_row',
      'job TEXT, lane TEXT, row_index INTEGER',
      `attempts INTEGER, mode TEXT, not_before INTEGER, throttled INTEGER, was TEXT, put_in INTEGER,
       taken_in INTEGER?`,
    ),
    `CREATE INDEX deferred_row_next ON deferred_row (job, lane, not_before) WHERE taken_in IS NULL`,
    table('fact', 'external_id TEXT', 'body BLOB'),
    withLargeRows(
      table(
        'event',
        'chain TEXT, number INTEGER',
        // `job`: hash of the id of its job as the body has it, with numbers for names. NULL: it is of none.
        'at TEXT, prev TEXT, hash TEXT, mac TEXT, name TEXT UNIQUE, job TEXT?, body BLOB',
      ),
    ),
    `CREATE INDEX event_at ON event (at, chain, number)`,
    `CREATE INDEX event_job ON event (job, at, chain, number) WHERE job IS NOT NULL`,
    table('anchor', 'number INTEGER', 'at TEXT, prev TEXT, hash TEXT, mac TEXT'),
    table(
      'anchor_head',
      'anchor INTEGER REFERENCES anchor (number), chain TEXT',
      'number INTEGER, hash TEXT',
    ),
    `CREATE INDEX anchor_head_chain ON anchor_head (chain, number)`,
    // The events of an erasure are added; existing events stay unchanged.
    ...['event', 'anchor', 'anchor_head'].flatMap((name) =>
      ['UPDATE', 'DELETE'].map(
        (change) =>
          `CREATE TRIGGER ${name}_no_${change.toLowerCase()} BEFORE ${change} ON ${name}
           BEGIN SELECT RAISE(ABORT, 'the audit trail stays as it was written'); END`,
      ),
    ),
    table('subject', 'subject TEXT, holder TEXT, line INTEGER DEFAULT 0', ''),
    `CREATE INDEX subject_holder ON subject (holder)`,
    // Subjects of audit events; an erasure removes them.
    table('subject_number', 'subject TEXT', 'number TEXT UNIQUE'),
    withLargeRows(
      table(
        'job',
        'folder TEXT',
        // `attention_at`: since when it needs a person; NULL: it needs none. `output`: how its results are written.
        `id TEXT UNIQUE, kind TEXT, status TEXT?, attention_at TEXT?, label TEXT?, created_at TEXT,
         ended_at TEXT?, input BLOB, outcome BLOB?, output JSON?`,
        'CHECK ((status IS NULL) = (ended_at IS NULL))',
      ),
    ),
    `CREATE INDEX job_created ON job (created_at, id)`,
    `CREATE INDEX job_ended ON job (ended_at, id) WHERE ended_at IS NOT NULL`,
    `CREATE INDEX job_kind ON job (kind, created_at, id)`,
    `CREATE INDEX job_status ON job (status, created_at, id)`,
    `CREATE INDEX job_label ON job (label, created_at, id) WHERE label IS NOT NULL`,
    `CREATE INDEX job_attention ON job (attention_at, id) WHERE attention_at IS NOT NULL`,
    `CREATE INDEX job_kind_attention ON job (kind, attention_at, id) WHERE attention_at IS NOT NULL`,
    // A claim of the job never commits while it exists.
    table(
      'stop_mark',
      'folder TEXT REFERENCES job (folder) ON DELETE CASCADE',
      'word TEXT',
      `CHECK (word IN ('paused', 'cancelled'))`,
    ),
    // Why an open job waits for a person, by the waiting workflow.
    table(
      'wait_mark',
      'folder TEXT REFERENCES job (folder) ON DELETE CASCADE, source TEXT',
      // `about`: the number of rows or a budget.
      'reason TEXT, since TEXT, about JSON?',
    ),
    // Rate lease of each worker per service, and the measured rate. No personal data.
    table(
      'rate_share',
      'service TEXT, worker TEXT',
      'until INTEGER, per_second REAL, ceiling REAL?, reason TEXT, refusals INTEGER',
    ),
    // Monitors and their changes. Rows are permanent; only failure counts change.
    table(
      'monitor',
      'monitor_id TEXT',
      'health BLOB?, walked_at TEXT?, unfinished_at TEXT?, unfinished_walks INTEGER DEFAULT 0',
    ),
    table('monitor_answer', 'monitor_id TEXT REFERENCES monitor (monitor_id)', 'body BLOB'),
    withLargeRows(
      table(
        'change',
        'monitor_id TEXT REFERENCES monitor (monitor_id), change_id TEXT',
        `seen_at TEXT, sweep TEXT, found_as TEXT, severity TEXT, is_erased FLAG DEFAULT 0,
         body BLOB`,
        `CHECK (found_as IN ('open', 'elsewhere'))`,
      ),
    ),
    `CREATE INDEX change_seen ON change (seen_at, monitor_id, change_id)`,
    // Name of the sink, `acknowledged`, or `gone`.
    table(
      'change_mark',
      'monitor_id TEXT, change_id TEXT, name TEXT',
      'at TEXT, sweep TEXT, details JSON',
      ofChange,
    ),
    // Of a change or a digest.
    table('trouble', 'monitor_id TEXT, change_id TEXT', 'count INTEGER, first_at TEXT, body BLOB'),
    table('review', 'monitor_id TEXT, change_id TEXT, at TEXT', 'body BLOB', ofChange),
    table(
      'unreadable_item',
      'monitor_id TEXT REFERENCES monitor (monitor_id), sum TEXT',
      'seen_at TEXT, count INTEGER, last_sweep TEXT, body BLOB',
    ),
    table(
      'cooldown',
      'monitor_id TEXT, change_id TEXT',
      'kind TEXT, opened_at INTEGER, is_held FLAG, digest TEXT?',
      ofChange,
    ),
    table('monitor_left', 'monitor_id TEXT', 'body BLOB'),
  ],
];
