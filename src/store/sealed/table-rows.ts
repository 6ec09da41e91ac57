import { columnsOf } from '../migrations';
import { partsOf, raw, sql, type Statement } from '../statement';
import { Sealed, rowName, type Seal } from './seal';

/**
 * Rows of tables as objects: columns in camel case, bodies sealed for their row, flags as booleans, JSON as values.
 * The schema says which columns are what.
 */
type Row = Record<string, unknown>;

/** @param otherwise conflict clause; default: an existing row stays */
export function insertInto(
  table: string,
  rows: readonly object[],
  otherwise = 'ON CONFLICT DO NOTHING',
): Statement {
  const { bodies, json, key } = columnsOf(table);
  const names = Object.keys(rows[0] ?? {});
  const columns = names.map(snakeCase);
  const keyNames = key.map(camelCase);
  const isBody = columns.map((column) => bodies.includes(column));
  const isJson = columns.map((column) => json.includes(column));
  const values = (rows as readonly Row[]).map((row) =>
    names.map((name, at) => {
      const value = row[name] ?? null;
      if (value === null || value instanceof Uint8Array) return value;
      if (isJson[at]) return JSON.stringify(value);
      return isBody[at]
        ? new Sealed(rowName(table, ...keyNames.map((one) => row[one])), value)
        : value;
    }),
  );
  return sql`INSERT INTO ${raw(table)} (${raw(columns.join(', '))}) VALUES ${values} ${raw(otherwise)}`;
}

export function inserts(table: string, rows: readonly object[], otherwise?: string): Statement[] {
  return partsOf(rows).map((some) => insertInto(table, some, otherwise));
}

/** Conflict clause that updates the columns of an existing row. */
export function replacing(table: string, ...columns: readonly string[]): string {
  const values = columns.map((column) => `${column} = excluded.${column}`).join(', ');
  return `ON CONFLICT (${columnsOf(table).key.join(', ')}) DO UPDATE SET ${values}`;
}

/** Rows of one statement, with their columns in camel case. */
export function inCamelCase(rows: readonly unknown[]): object[] {
  const columns = Object.keys(rows[0] ?? {});
  if (!columns.some((column) => column.includes('_'))) return rows as object[];
  const names = columns.map(camelCase);
  return (rows as readonly Row[]).map((row) => {
    const named: Row = {};
    for (const [at, column] of columns.entries()) named[names[at] ?? ''] = row[column];
    return named;
  });
}

/** Opens the bodies among the columns of rows, which then must hold their key. */
export function decoded(seal: Seal, table: string, rows: readonly object[]): object[] {
  const { bodies, flags, json, key } = columnsOf(table);
  const keyNames = key.map(camelCase);
  const flagNames = flags.map(camelCase);
  const valueNames = [...bodies, ...json].map(camelCase);
  return (rows as readonly Row[]).map((row) => {
    const left = { ...row };
    for (const name of flagNames) if (name in row) left[name] = row[name] === 1;
    for (const name of valueNames) {
      const value = row[name];
      if (typeof value === 'string') left[name] = JSON.parse(value);
      if (!(value instanceof Uint8Array)) continue;
      const sealedFor = rowName(table, ...keyNames.map((one) => row[one]));
      left[name] = JSON.parse(seal.open(sealedFor, value).toString('utf8'));
    }
    return left;
  });
}

/** Columns are few, and read in every row. */
export const camelCase = remembering((column) =>
  column.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
);
const snakeCase = remembering((name) =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
);

function remembering(spelled: (name: string) => string): (name: string) => string {
  const known = new Map<string, string>();
  return (name) => {
    const found = known.get(name) ?? spelled(name);
    known.set(name, found);
    return found;
  };
}
