import type { ResultRow } from '../../domain/certificates/certificates';
import { punctuateDocument } from '../../domain/core/documents/documents';

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

const fieldOfColumn: Readonly<Record<ResultColumn, Exclude<keyof ResultRow, 'own'>>> = {
  line: 'line',
  document: 'document',
  type: 'type',
  status: 'status',
  certidao_id: 'certidaoId',
  classification: 'classification',
  divergent: 'divergent',
  official_name: 'officialName',
  captured_at: 'capturedAt',
  pdf: 'pdf',
  sha256: 'sha256',
  attempts: 'attempts',
  error_code: 'errorCode',
  error_category: 'errorCategory',
  error_message: 'errorMessage',
  reference: 'reference',
  duplicate_of: 'duplicateOf',
  note: 'note',
  possible_double_charge: 'possibleDoubleCharge',
  retryable: 'retryable',
  requested_at: 'requestedAt',
  completed_at: 'completedAt',
  holder_name: 'holderName',
  base_name: 'baseName',
  source_name: 'sourceName',
};

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

/** The same by name, for `--rows`. */
export function ownFields(
  own: readonly string[] | undefined,
  columns: readonly string[],
): Record<string, string> {
  const cells = ownCells(own, columns);
  return Object.fromEntries(ownNames(columns, []).map((name, at) => [name, cells[at] ?? '']));
}

export interface CellStyle {
  /** For a spreadsheet program; false: for programs, which read texts unchanged. */
  excel: boolean;
}

export function resultValue(
  row: ResultRow,
  column: ResultColumn,
): string | number | boolean | null {
  return row[fieldOfColumn[column]];
}

/** The row as text, in the order of `resultColumns`; a spreadsheet would read bare digits as a number. */
export function resultCells(row: ResultRow, { excel }: CellStyle): string[] {
  return resultColumns.map((column) => {
    const value = resultValue(row, column);
    if (value === null) return '';
    if (typeof value !== 'string') return String(value);
    return sheetText(column === 'document' && excel ? punctuateDocument(value) : value, excel);
  });
}

/** Text of a CSV file: formulas are escaped for spreadsheet programs. */
export function sheetText(text: string, excel: boolean): string {
  return excel ? inertCell(text) : text;
}

/**
 * Prefixes an apostrophe to text that a spreadsheet would execute (`= + - @`, their full-width forms, tab,
 * line breaks, also after white space); other text is unchanged.
 * https://owasp.org/www-community/attacks/CSV_Injection
 */
export function inertCell(text: string): string {
  return /^(?:\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n])/.test(text) ? `'${text}` : text;
}
