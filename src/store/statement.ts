/** A statement, or a part of one: SQL with its parameters in order. */
export interface Statement {
  sql: string;
  parameters: readonly unknown[];
  /** When it changes no row, its transaction is rolled back: `unchanged`. */
  mustChange?: true;
  /** Held until the end of its transaction: shared or exclusive. */
  lock?: { name: string; how: 'shared' | 'alone' };
}

/** `sql` when texts and parameters are apart. */
export function statement(text: string, parameters: readonly unknown[] = []): Statement {
  return { sql: text, parameters };
}

/**
 * A statement of a template. A statement in it is a part; an array is a list in parentheses, an array of arrays the
 * rows of VALUES; anything else is a parameter.
 */
export function sql(texts: TemplateStringsArray, ...values: readonly unknown[]): Statement {
  const parameters: unknown[] = [];
  const textOf = (value: unknown): string => {
    if (isStatement(value)) {
      parameters.push(...value.parameters);
      return value.sql;
    }
    if (!Array.isArray(value)) {
      parameters.push(value);
      return '?';
    }
    const list = value.map(textOf).join(', ');
    return Array.isArray(value[0]) ? list : `(${list})`;
  };
  const text = values.map((value, at) => {
    const isSet = Array.isArray(value) && texts[at]?.endsWith('IN ');
    return textOf(isSet ? padded(value) : value) + (texts[at + 1] ?? '');
  });
  return { sql: (texts[0] ?? '') + text.join(''), parameters };
}

/** Its last value again, up to a power of two: what a database prepares, for few lengths, is kept. */
function padded(set: readonly unknown[]): unknown[] {
  const length = 2 ** Math.ceil(Math.log2(set.length));
  return Array.from({ length }, (_, at) => set[Math.min(at, set.length - 1)]);
}

/** Names of tables and columns, and other SQL without parameters. */
export function raw(text: string): Statement {
  return statement(text);
}

export function joined(parts: readonly Statement[], between: ' AND ' | ' OR ' | ', '): Statement {
  return statement(
    parts.map((part) => part.sql).join(between),
    parts.flatMap(({ parameters }) => parameters),
  );
}

/** Condition for names with a prefix; names are ASCII. */
export function beginsWith(column: string, prefix: string): Statement {
  return sql`${raw(column)} >= ${prefix} AND ${raw(column)} < ${endOf(prefix)}`;
}

/** Upper bound of the names with a prefix. */
export function endOf(prefix: string): string {
  return `${prefix}\u{10ffff}`;
}

/** Maximum of rows that one statement writes: more would delay other commits. */
const mostRowsWritten = 200;

/** @param size default: what one statement may write */
export function partsOf<T>(rows: readonly T[], size = mostRowsWritten): T[][] {
  const parts = Math.ceil(rows.length / size);
  return Array.from({ length: parts }, (_, part) => rows.slice(part * size, (part + 1) * size));
}

export interface StatementResult {
  rows: unknown[];
  changes: number;
}

function isStatement(value: unknown): value is Statement {
  return typeof value === 'object' && value !== null && 'sql' in value;
}
