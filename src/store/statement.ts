/** SQL with its parameters in order, as the query builder compiles it. */
export interface Statement {
  sql: string;
  parameters: readonly unknown[];
}

export function statement(sql: string, parameters: readonly unknown[] = []): Statement {
  return { sql, parameters };
}

/** Rows of a statement that returns some, and how many it changed. */
export interface StatementResult {
  rows: unknown[];
  changes: number;
}
