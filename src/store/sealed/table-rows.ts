import { columnsOf } from '../migrations';
import { partsOf, raw, sql, type Statement } from '../statement';
import { Sealed, rowName, type Seal } from './seal';

/**
 * Rows of tables as objects: columns in camel case, bodies sealed for their row, flags as booleans, JSON as values.
 * The schema says which columns are what.
 */
type Row = Readonly<Record<string, unknown>>;

/** @param otherwise conflict clause; default: an existing row stays */
export function insertInto(
  table: string,
  rows: readonly object[],
  otherwise = 'ON CONFLICT DO NOTHING',
): Statement {
  const names = Object.keys(rows[0] ?? {});
  const values = rows.map((row) => names.map((name) => stored(table, row as Row, name)));
  const columns = raw(names.map(snakeCase).join(', '));
  return sql`INSERT INTO ${raw(table)} (${columns}) VALUES ${values} ${raw(otherwise)}`;
}

export function inserts(table: string, rows: readonly object[], otherwise?: string): Statement[] {
  return partsOf(rows).map((some) => insertInto(table, some, otherwise));
}

/** Conflict clause that updates the columns of an existing row. */
export function replacing(table: string, ...columns: readonly string[]): string {
  const values = columns.map((column) => `${column} = excluded.${column}`).join(', ');
  return `ON CONFLICT (${columnsOf(table).key.join(', ')}) DO UPDATE SET ${values}`;
}

/** A row of `Database.read`, with its columns in camel case. */
export function inCamelCase(row: object): object {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [camelCase(name), value]));
}

/** Opens the bodies among the columns of a row, which then must hold its key. */
export function decoded(seal: Seal, table: string, row: Row): object {
  const { bodies, flags, json, key } = columnsOf(table);
  const left: Record<string, unknown> = { ...row };
  for (const name of flags.map(camelCase)) if (name in row) left[name] = row[name] === 1;
  for (const name of [...bodies, ...json].map(camelCase)) {
    const value = row[name];
    if (typeof value === 'string') left[name] = JSON.parse(value);
    if (!(value instanceof Uint8Array)) continue;
    const sealedFor = rowName(table, ...key.map((column) => row[camelCase(column)]));
    left[name] = JSON.parse(seal.open(sealedFor, value).toString('utf8'));
  }
  return left;
}

function stored(table: string, row: Row, name: string): unknown {
  const { bodies, json, key } = columnsOf(table);
  const value = row[name];
  const column = snakeCase(name);
  if (value === null || value === undefined || value instanceof Uint8Array) return value ?? null;
  if (json.includes(column)) return JSON.stringify(value);
  if (!bodies.includes(column)) return value;
  return new Sealed(rowName(table, ...key.map((one) => row[camelCase(one)])), value);
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
