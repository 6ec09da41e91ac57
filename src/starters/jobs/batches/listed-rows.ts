import type { StoredRow } from '../../../store/core/row-writer';
import type { BatchRows } from './request';

export interface ListedRow {
  document: string;
  /** Rows with the same key are requested once; null: the row is not requested. */
  key: string | null;
  refused?: string | null;
}

/** Rows of a list, numbered as the lines of a sheet with a header. */
export function listedRows(
  type: string,
  list: () => Promise<readonly ListedRow[]> | readonly ListedRow[],
): BatchRows {
  const counts = { lines: 0, blank: 0, items: 0, duplicates: 0, invalid: 0, unsupported: 0 };
  async function* rows(): AsyncGenerator<StoredRow, void> {
    const known = new Map<string, { item: number; line: number }>();
    for (const [at, { document, key, refused }] of (await list()).entries()) {
      const line = at + 2;
      const common = { line, document, type, reference: '' };
      const first = known.get(key ?? '');
      counts.lines += 1;
      if (key === null) {
        counts.invalid += 1;
        yield { ...common, kind: 'invalid', code: 'not_sent', message: refused ?? '' };
      } else if (first !== undefined) {
        counts.duplicates += 1;
        const { item, line: duplicateOf } = first;
        yield { ...common, kind: 'duplicate', item, duplicateOf, note: '' };
      } else {
        const item = counts.items;
        counts.items += 1;
        known.set(key, { item, line });
        yield { ...common, kind: 'item', item, note: '' };
      }
    }
  }
  return { counts, [Symbol.asyncIterator]: rows };
}
