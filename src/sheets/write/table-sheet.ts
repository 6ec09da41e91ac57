import { stringify } from 'csv-stringify/sync';
import { sheetText } from './result-cells';

export interface Table {
  columns: readonly string[];
  rows: readonly Readonly<Record<string, string | number | boolean | null>>[];
}

/** A table as CSV: `,` and LF, or with `excel` the format of result sheets. */
export function tableSheet(
  { columns, rows }: Table,
  { excel = false }: { excel?: boolean } = {},
): string {
  const records = rows.map((row) =>
    columns.map((column) => {
      const cell = row[column] ?? null;
      if (cell === null) return '';
      return typeof cell === 'number' ? numberCell(cell, excel) : sheetText(String(cell), excel);
    }),
  );
  return stringify(records, {
    columns: columns.map((column) => sheetText(column, excel)),
    header: true,
    delimiter: excel ? ';' : ',',
    record_delimiter: excel ? '\r\n' : '\n',
    bom: excel,
    quoted_match: /[;,\t\r\n]/,
  });
}

/** Spreadsheet programs that use `;` as delimiter expect a decimal comma. */
function numberCell(value: number, excel: boolean): string {
  return excel ? String(value).replace('.', ',') : String(value);
}
