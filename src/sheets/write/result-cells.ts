import type { ResultRow } from '../../domain/certificates/certificates';
import { punctuateDocument } from '../../domain/core/documents/documents';
import type { CsvCell } from './csv-file';

/**
 * The columns of a result sheet, in order, and their widths in a workbook. A published format: add at the end only.
 */
export const columnWidths = {
  line: 7,
  document: 18,
  type: 12,
  status: 17,
  certidao_id: 38,
  classification: 16,
  divergent: 10,
  official_name: 40,
  captured_at: 24,
  pdf: 30,
  sha256: 20,
  attempts: 9,
  error_code: 22,
  error_category: 16,
  error_message: 50,
  reference: 30,
  duplicate_of: 12,
  note: 28,
  possible_double_charge: 22,
  retryable: 10,
  requested_at: 24,
  completed_at: 24,
  holder_name: 40,
  base_name: 40,
  source_name: 28,
} as const;
export type ResultColumn = keyof typeof columnWidths;
export const resultColumns = Object.keys(columnWidths) as ResultColumn[];

type FieldOf<Column extends string> = Column extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<FieldOf<Rest>>}`
  : Column;

/** Names of the user's other columns, after ours. A name that is taken gets the prefix `input_`. */
export function ownNames(columns: readonly string[], ours: readonly string[]): string[] {
  const taken = new Set(ours);
  return columns.map((column) => {
    let name = column;
    while (taken.has(name.toLowerCase())) name = `input_${name}`;
    taken.add(name.toLowerCase());
    return name;
  });
}

/** One cell for each name; none for an erased row. */
export function ownCells(own: readonly string[] | undefined, columns: readonly string[]): string[] {
  return columns.map((_, at) => own?.[at] ?? '');
}

export function ownFields(
  own: readonly string[] | undefined,
  columns: readonly string[],
): Record<string, string> {
  const cells = ownCells(own, columns);
  return Object.fromEntries(ownNames(columns, []).map((name, at) => [name, cells[at] ?? '']));
}

const fields = new Map(
  resultColumns.map((column) => [
    column,
    column.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
  ]),
);

export function resultValue(
  row: ResultRow,
  column: ResultColumn,
): string | number | boolean | null {
  return row[fields.get(column) as FieldOf<ResultColumn>];
}

/** In the order of `resultColumns`. @param excel a spreadsheet would read bare digits as a number */
export function resultCells(row: ResultRow, excel: boolean): CsvCell[] {
  return resultColumns.map((column) => {
    const value = resultValue(row, column);
    const isDocument = column === 'document' && typeof value === 'string';
    return excel && isDocument ? punctuateDocument(value) : value;
  });
}
