import { WordedError } from '../domain/core/worded-error';
import type { Words } from '../domain/job';

/**
 * `missing_file`, `directory`, `not_a_file` (a pipe or device), `unreadable`, `empty_file` (no byte,
 * or nothing but blank lines), `no_rows` (a header and nothing under it), `not_text`,
 * `spreadsheet_format` (.xls, .ods, a password, not whole), `too_large` (a workbook),
 * `sheet_not_found` (the named one, or a sheet of a text file), `no_header` (a row comes before any),
 * `no_document_column`, `ambiguous_columns`, `column_not_found` (the named one), `no_type` (on no row, and no
 * default), `unbalanced_quote`, `row_too_long`.
 */
export type SheetErrorCode =
  | 'missing_file'
  | 'directory'
  | 'not_a_file'
  | 'unreadable'
  | 'empty_file'
  | 'no_rows'
  | 'not_text'
  | 'spreadsheet_format'
  | 'too_large'
  | 'sheet_not_found'
  | 'no_header'
  | 'no_document_column'
  | 'ambiguous_columns'
  | 'column_not_found'
  | 'no_type'
  | 'unbalanced_quote'
  | 'row_too_long';

export interface SheetErrorPosition {
  /** Path as the user gave it; absent when the rows came from elsewhere. */
  file?: string;
  /** Physical line, header = 1. */
  line?: number;
  /** Column as the user named it. */
  column?: string;
  cause?: unknown;
}

/**
 * The input file as a whole cannot be used: a usage error (exit code 2), nothing was sent. One bad
 * row is never a SheetError. The message is complete: it names the file and the line, never a
 * document.
 */
export class SheetError extends WordedError {
  override readonly name = 'SheetError';
  readonly code: SheetErrorCode;
  readonly file: string | undefined;
  readonly line: number | undefined;
  readonly column: string | undefined;

  constructor(code: SheetErrorCode, words: Words, position: SheetErrorPosition = {}) {
    super(words, position.cause === undefined ? undefined : { cause: position.cause });
    this.code = code;
    this.file = position.file;
    this.line = position.line;
    this.column = position.column;
  }
}
