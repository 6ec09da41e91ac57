import type { Columns } from './finding';

export const plainWidth = 400;
export const extendedWidth = 444;

/**
 * `plain`: every line has 400 columns. `extended`: every line has 444, the NF-e key before the
 * sequence (Paulista, Grafeno). `mixed`: receivables have 444, the NF-e key after the sequence.
 */
export type CnabShape = 'plain' | 'extended' | 'mixed';

/** Columns that all banks share. Manuals differ in what is not here. */
export const headerColumns = {
  kind: [2, 2],
  literal: [3, 9],
  companyName: [47, 76],
  bank: [77, 79],
  bankName: [80, 94],
} as const satisfies Record<string, Columns>;

export const receivableColumns = {
  assignorType: [2, 3],
  assignorDocument: [4, 17],
  number: [111, 120],
  due: [121, 126],
  value: [127, 139],
  bank: [140, 142],
  payerType: [219, 220],
  payerDocument: [221, 234],
} as const satisfies Record<string, Columns>;

/** In files whose every line has 444 columns. */
export const extendedColumns = {
  assignorDocument: [381, 394],
  invoiceKey: [395, 438],
} as const satisfies Record<string, Columns>;

/** In a receivable of 444 columns whose header has 400. */
export const mixedInvoiceKey: Columns = [401, 444];

export const sequenceLength = 6;

const shapes: Record<CnabShape, string> = {
  plain: 'CNAB 400',
  extended: 'CNAB 444 (every line)',
  mixed: 'CNAB 444 (receivables only)',
};

/** `BRADESCO, CNAB 400`: the bank as the header calls it. */
export function layoutName(
  { bank, bankName }: { bank: string; bankName: string },
  shape: CnabShape,
): string {
  const name = bankName || (bank === '' ? 'no bank told' : `bank ${bank}`);
  return `${name}, ${shapes[shape]}`;
}
