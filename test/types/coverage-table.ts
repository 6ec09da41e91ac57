import type { CoverageRow, CoverageTable } from '../contract/coverage-table/row';

/** The table of the specification's items compiles only when each has its row. */

const row: CoverageRow = { sandbox: 'Shows it.', client: 'not read: why', test: 'a.test.ts › it' };
type Items = { readonly Fields: readonly ['id', 'status']; readonly Limits: readonly ['digits'] };

export const whole: CoverageTable<Items> = {
  Fields: { id: row, status: row },
  Limits: { digits: row },
};

// @ts-expect-error the row of `status` is missing
export const hole: CoverageTable<Items> = { Fields: { id: row }, Limits: { digits: row } };

// @ts-expect-error the section Limits is missing
export const halved: CoverageTable<Items> = { Fields: { id: row, status: row } };

// @ts-expect-error a client is a place, an assumption or a reason
export const vague: CoverageRow = { ...row, client: 'somewhere' };

// @ts-expect-error a test is named with its file
export const unnamed: CoverageRow = { ...row, test: 'some test' };
