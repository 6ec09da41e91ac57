/** SQL with its parameters in order, as the query builder compiles it. */
export interface Statement {
  sql: string;
  parameters: readonly unknown[];
  /** When it changes no row, its transaction is rolled back: `unchanged`. */
  mustChange?: true;
  /** Held until the end of its transaction: shared or exclusive. */
  lock?: { name: string; how: 'shared' | 'alone' };
}

export function statement(sql: string, parameters: readonly unknown[] = []): Statement {
  return { sql, parameters };
}

/** Bounds of the names with a prefix; names are ASCII. */
export function rangeOf(prefix: string): [string, string] {
  return [prefix, `${prefix}\u{10ffff}`];
}

/** Maximum of rows that one statement writes: more would delay other commits. */
const mostRowsWritten = 200;

/** `(?, ?), (?, ?)`: rows of VALUES. */
export function marksOf(rows: readonly (readonly unknown[])[]): string {
  return rows.map((row) => `(${row.map(() => '?').join(', ')})`).join(', ');
}

/** @param size default: what one statement may write */
export function partsOf<T>(rows: readonly T[], size = mostRowsWritten): T[][] {
  const parts = Math.ceil(rows.length / size);
  return Array.from({ length: parts }, (_, part) => rows.slice(part * size, (part + 1) * size));
}

/** @param otherwise conflict clause; default: an existing row stays */
export function insertInto(
  table: string,
  columns: readonly string[],
  rows: readonly (readonly unknown[])[],
  otherwise = 'ON CONFLICT DO NOTHING',
): Statement {
  return statement(
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${marksOf(rows)} ${otherwise}`,
    rows.flat(),
  );
}

/** Conflict clause that updates the columns of an existing row. */
export function replacing(key: readonly string[], columns: readonly string[]): string {
  const values = columns.map((column) => `${column} = excluded.${column}`).join(', ');
  return `ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${values}`;
}

/** Returned rows, and the number of changed rows. */
export interface StatementResult {
  rows: unknown[];
  changes: number;
}
