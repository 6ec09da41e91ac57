import type { Columns } from './finding';

/** Widths of a record that are taken, in columns. */
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
  company: [27, 46],
  companyName: [47, 76],
  bank: [77, 79],
  bankName: [80, 94],
  date: [95, 100],
} as const satisfies Record<string, Columns>;

export const receivableColumns = {
  assignorType: [2, 3],
  assignorDocument: [4, 17],
  occurrence: [109, 110],
  number: [111, 120],
  due: [121, 126],
  value: [127, 139],
  bank: [140, 142],
  issued: [151, 156],
  payerType: [219, 220],
  payerDocument: [221, 234],
  payerName: [235, 274],
} as const satisfies Record<string, Columns>;

/** In files whose every line has 444 columns. */
export const extendedColumns = {
  assignorDocument: [381, 394],
  invoiceKey: [395, 438],
} as const satisfies Record<string, Columns>;

/** In a receivable of 444 columns whose header has 400. */
export const mixedInvoiceKey: Columns = [401, 444];

export const sequenceLength = 6;

/** Where the number of the file stands in the header; the other banks have none, or elsewhere. */
const fileNumbers: Readonly<Record<string, Columns>> = {
  '001': [101, 107],
  '237': [111, 117],
  '748': [111, 117],
  '756': [101, 107],
};

export function fileNumberColumns(bank: string): Columns | null {
  return fileNumbers[bank] ?? null;
}

/** Sicredi writes the date of the header as YYYYMMDD. */
export const banksWithLongDate: ReadonlySet<string> = new Set(['748']);

const bankNames: Readonly<Record<string, string>> = {
  '001': 'Banco do Brasil',
  '004': 'Banco do Nordeste',
  '033': 'Santander',
  '041': 'Banrisul',
  '070': 'BRB',
  '077': 'Inter',
  '085': 'Ailos',
  '097': 'Credisis',
  '104': 'Caixa',
  '136': 'Unicred',
  '224': 'Fibra',
  '237': 'Bradesco',
  '341': 'Itaú',
  '422': 'Safra',
  '611': 'Paulista',
  '707': 'Daycoval',
  '745': 'Citibank',
  '748': 'Sicredi',
  '756': 'Sicoob',
};

/** The bank by name, else what the header calls it. */
export function bankName(code: string, reported: string): string {
  const number = code.trim();
  return (
    bankNames[code] ?? (reported.trim() || (number === '' ? 'no bank told' : `bank ${number}`))
  );
}

/** `Bradesco, CNAB 400`. */
export function layoutName(bank: string, shape: CnabShape): string {
  const shapes: Record<CnabShape, string> = {
    plain: 'CNAB 400',
    extended: 'CNAB 444 (every line)',
    mixed: 'CNAB 444 (receivables only)',
  };
  return `${bank}, ${shapes[shape]}`;
}
