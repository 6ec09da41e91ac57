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

/** Of the user's other columns behind ours. One that is called as another is has `input_` before its name. */
export function ownNames(columns: readonly string[], ours: readonly string[]): string[] {
  const taken = new Set(ours);
  return columns.map((column) => {
    let name = column;
    while (taken.has(name.toLowerCase())) name = `input_${name}`;
    taken.add(name.toLowerCase());
    return name;
  });
}

/** As many cells as there are names; none are left of what was erased. */
export function ownCells(own: readonly string[] | undefined, columns: readonly string[]): string[] {
  return columns.map((_, at) => own?.[at] ?? '');
}

/** The same by their names, as `--rows` has them. */
export function ownFields(
  own: readonly string[] | undefined,
  columns: readonly string[],
): Record<string, string> {
  const cells = ownCells(own, columns);
  return Object.fromEntries(ownNames(columns, []).map((name, at) => [name, cells[at] ?? '']));
}

export interface CellStyle {
  /** For a spreadsheet program; else for other programs, which read texts as they are. */
  excel: boolean;
}

export function resultValue(
  row: ResultRow,
  column: ResultColumn,
): string | number | boolean | null {
  return row[fieldOfColumn[column]];
}

/** The row as text, in the order of `resultColumns`; a spreadsheet would take bare digits for a number. */
export function resultCells(row: ResultRow, { excel }: CellStyle): string[] {
  return resultColumns.map((column) => {
    const value = resultValue(row, column);
    if (value === null) return '';
    if (typeof value !== 'string') return String(value);
    return sheetText(column === 'document' && excel ? punctuateDocument(value) : value, excel);
  });
}

/** A text in a CSV file: nothing in it acts as a formula where a spreadsheet program is to open it. */
export function sheetText(text: string, excel: boolean): string {
  return excel ? inertCell(text) : text;
}

/**
 * Text that a spreadsheet would run when it opens the file (`= + - @`, their full-width forms, tab,
 * line breaks, also after white space) behind an apostrophe; other text as it is.
 * https://owasp.org/www-community/attacks/CSV_Injection
 */
export function inertCell(text: string): string {
  return /^(?:\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n])/.test(text) ? `'${text}` : text;
}
