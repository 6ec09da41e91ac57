/** SQL with its parameters in order, as the query builder compiles it. */
export interface Statement {
  sql: string;
  parameters: readonly unknown[];
  /** When it changes no row, nothing of its transaction is done: `unchanged`. */
  mustChange?: true;
  /** Until the end of its transaction, where several write at once: shared, or alone. */
  lock?: { name: string; how: 'shared' | 'alone' };
}

export function statement(sql: string, parameters: readonly unknown[] = []): Statement {
  return { sql, parameters };
}

/** Bounds of what begins like this: names are ASCII. */
export function rangeOf(prefix: string): [string, string] {
  return [prefix, `${prefix}\u{10ffff}`];
}

/** Rows that one statement writes, at most: more of them would hold up whoever else commits. */
const mostRowsWritten = 200;

/** `(?, ?), (?, ?)`: of rows of VALUES. */
export function marksOf(rows: readonly (readonly unknown[])[]): string {
  return rows.map((row) => `(${row.map(() => '?').join(', ')})`).join(', ');
}

/** @param size default: what one statement may write; none of nothing */
export function partsOf<T>(rows: readonly T[], size = mostRowsWritten): T[][] {
  const parts = Math.ceil(rows.length / size);
  return Array.from({ length: parts }, (_, part) => rows.slice(part * size, (part + 1) * size));
}

/** @param otherwise where a row is there already; default: it stays */
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

/** The columns take the new values where a row with the same key is there already. */
export function replacing(key: readonly string[], columns: readonly string[]): string {
  const values = columns.map((column) => `${column} = excluded.${column}`).join(', ');
  return `ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${values}`;
}

/** Rows of a statement that returns some, and how many it changed. */
export interface StatementResult {
  rows: unknown[];
  changes: number;
}
