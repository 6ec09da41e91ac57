/** Of monitors and their changes. What was said of a change once stays: only troubles are counted on. */
export const monitorTables: readonly string[] = [
  `CREATE TABLE monitor (
     id TEXT PRIMARY KEY,
     health BLOB,
     walked_at TEXT,
     is_walk_owed INTEGER NOT NULL DEFAULT 0,
     unfinished_at TEXT,
     unfinished_walks INTEGER NOT NULL DEFAULT 0,
     CHECK ((unfinished_at IS NULL) = (unfinished_walks = 0))
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
  `CREATE TABLE delivery (
     monitor TEXT NOT NULL,
     change TEXT NOT NULL,
     sink TEXT NOT NULL,
     at TEXT NOT NULL,
     sweep TEXT NOT NULL,
     attempt INTEGER NOT NULL,
     digest TEXT,
     PRIMARY KEY (monitor, change, sink),
     FOREIGN KEY (monitor, change) REFERENCES change (monitor, id)
   ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE acknowledgement (
     monitor TEXT NOT NULL,
     change TEXT NOT NULL,
     whose TEXT NOT NULL CHECK (whose IN ('us', 'elsewhere', 'gone')),
     at TEXT NOT NULL,
     sweep TEXT NOT NULL,
     told_at TEXT,
     required TEXT,
     PRIMARY KEY (monitor, change),
     FOREIGN KEY (monitor, change) REFERENCES change (monitor, id)
   ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE change_trouble (
     monitor TEXT NOT NULL,
     change TEXT NOT NULL,
     count INTEGER NOT NULL,
     first_at TEXT NOT NULL,
     body BLOB NOT NULL,
     PRIMARY KEY (monitor, change),
     FOREIGN KEY (monitor, change) REFERENCES change (monitor, id)
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
  `CREATE TABLE cooldown_window (
     monitor TEXT NOT NULL,
     kind TEXT NOT NULL,
     number INTEGER NOT NULL,
     opened_at INTEGER,
     opener TEXT,
     digest TEXT,
     trouble_count INTEGER NOT NULL DEFAULT 0,
     trouble_first_at TEXT,
     trouble BLOB,
     PRIMARY KEY (monitor, kind, number),
     CHECK ((opened_at IS NULL) = (opener IS NULL))
   ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE cooldown_change (
     monitor TEXT NOT NULL,
     kind TEXT NOT NULL,
     number INTEGER NOT NULL,
     change TEXT NOT NULL,
     is_in_digest INTEGER NOT NULL DEFAULT 0,
     PRIMARY KEY (monitor, kind, number, change),
     FOREIGN KEY (monitor, kind, number) REFERENCES cooldown_window (monitor, kind, number)
   ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE disabled_sink (
     name TEXT PRIMARY KEY,
     body BLOB NOT NULL
   ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE monitor_list (
     name TEXT PRIMARY KEY,
     edition TEXT NOT NULL,
     monitors INTEGER NOT NULL,
     pages INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE monitor_list_page (
     list TEXT NOT NULL,
     edition TEXT NOT NULL,
     page INTEGER NOT NULL,
     monitors TEXT NOT NULL,
     PRIMARY KEY (list, edition, page)
   ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE monitor_look (
     list TEXT NOT NULL,
     page INTEGER NOT NULL,
     body BLOB NOT NULL,
     PRIMARY KEY (list, page)
   ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE monitor_left (
     list TEXT NOT NULL,
     page INTEGER NOT NULL,
     monitor TEXT NOT NULL,
     body BLOB NOT NULL,
     PRIMARY KEY (list, page, monitor)
   ) STRICT, WITHOUT ROWID`,
];
