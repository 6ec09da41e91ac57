import { types, type QueryConfig } from 'pg';
import type { Statement } from '../statement';

const int8 = 20;
const numeric = 1700;

/** Counts and instants fit into a number; the library gives text. */
const parsers: QueryConfig['types'] = {
  getTypeParser: ((type: number, format?: 'text' | 'binary') =>
    type === int8 || type === numeric
      ? Number
      : types.getTypeParser(type, format)) as typeof types.getTypeParser,
};

/** Prepared by each connection for the texts that come again and again. */
export function queryOf({ sql, parameters }: Statement): QueryConfig {
  let count = 0;
  const text = sql.replaceAll('?', () => `$${(count += 1)}`);
  const values = parameters.map((value) => (typeof value === 'boolean' ? Number(value) : value));
  return { text, values, types: parsers };
}
