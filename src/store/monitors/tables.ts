/** Monitors and their changes. Rows are permanent; only failure counts change. */
export const monitorTables: readonly string[] = [
  `CREATE TABLE monitor (
     id TEXT PRIMARY KEY,
     health BLOB,
     walked_at TEXT,
     unfinished_at TEXT,
     unfinished_walks INTEGER NOT NULL DEFAULT 0
   ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE monitor_answer (
     monitor TEXT PRIMARY KEY REFERENCES monitor (id),
     body BLOB NOT NULL
   ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE change (
     monitor TEXT NOT NULL REFERENCES monitor (id),
     id TEXT NOT NULL,
     seen_at TEXT NOT NULL,
     sweep TEXT NOT NULL,
     found_as TEXT NOT NULL CHECK (found_as IN ('open', 'elsewhere')),
     severity TEXT NOT NULL,
     is_erased INTEGER NOT NULL DEFAULT 0,
     body BLOB NOT NULL,
     PRIMARY KEY (monitor, id)
   ) STRICT`,
  `CREATE INDEX change_seen ON change (seen_at, monitor, id)`,
  // Name of the sink, `acknowledged`, or `gone`.
  `CREATE TABLE change_mark (
     monitor TEXT NOT NULL,
     change TEXT NOT NULL,
     name TEXT NOT NULL,
     at TEXT NOT NULL,
     sweep TEXT NOT NULL,
     details TEXT NOT NULL,
     PRIMARY KEY (monitor, change, name),
     FOREIGN KEY (monitor, change) REFERENCES change (monitor, id)
   ) STRICT, WITHOUT ROWID`,
  // Of a change or a digest.
  `CREATE TABLE trouble (
     monitor TEXT NOT NULL,
     about TEXT NOT NULL,
     count INTEGER NOT NULL,
     first_at TEXT NOT NULL,
     body BLOB NOT NULL,
     PRIMARY KEY (monitor, about)
   ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE review (
     monitor TEXT NOT NULL,
     change TEXT NOT NULL,
     at TEXT NOT NULL,
     body BLOB NOT NULL,
     PRIMARY KEY (monitor, change, at),
     FOREIGN KEY (monitor, change) REFERENCES change (monitor, id)
   ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE unreadable_item (
     monitor TEXT NOT NULL REFERENCES monitor (id),
     sum TEXT NOT NULL,
     seen_at TEXT NOT NULL,
     count INTEGER NOT NULL,
     last_sweep TEXT NOT NULL,
     body BLOB NOT NULL,
     PRIMARY KEY (monitor, sum)
   ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE cooldown (
     monitor TEXT NOT NULL,
     change TEXT NOT NULL,
     kind TEXT NOT NULL,
     opened_at INTEGER NOT NULL,
     is_held INTEGER NOT NULL,
     digest TEXT,
     PRIMARY KEY (monitor, change),
     FOREIGN KEY (monitor, change) REFERENCES change (monitor, id)
   ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE monitor_left (
     monitor TEXT PRIMARY KEY,
     body BLOB NOT NULL
   ) STRICT, WITHOUT ROWID`,
];
