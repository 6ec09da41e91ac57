import type { ResultRow } from '../../domain/certificates/certificates';
import { punctuateDocument } from '../../domain/core/documents/documents';
import type { CsvCell } from './csv-file';

/** The columns of a result sheet, in order. A published format: add at the end only. */
export const resultColumns = [
  'line',
  'document',
  'type',
  'status',
  'certidao_id',
  'classification',
  'divergent',
  'official_name',
  'captured_at',
  'pdf',
  'sha256',
  'attempts',
  'error_code',
  'error_category',
  'error_message',
  'reference',
  'duplicate_of',
  'note',
  'possible_double_charge',
  'retryable',
  'requested_at',
  'completed_at',
  'holder_name',
  'base_name',
  'source_name',
] as const;
export type ResultColumn = (typeof resultColumns)[number];

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

export function resultValue(
  row: ResultRow,
  column: ResultColumn,
): string | number | boolean | null {
  const field = column.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  return row[field as FieldOf<ResultColumn>];
}

/** In the order of `resultColumns`. @param excel a spreadsheet would read bare digits as a number */
export function resultCells(row: ResultRow, excel: boolean): CsvCell[] {
  return resultColumns.map((column) => {
    const value = resultValue(row, column);
    const isDocument = column === 'document' && typeof value === 'string';
    return excel && isDocument ? punctuateDocument(value) : value;
  });
}
