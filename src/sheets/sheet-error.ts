import { WordedError } from '../domain/core/worded-error';
import type { Words } from '../domain/job';

export type SheetErrorCode =
  | 'missing_file'
  | 'directory'
  /** A pipe or device. */
  | 'not_a_file'
  | 'unreadable'
  /** No byte, or nothing but blank lines. */
  | 'empty_file'
  /** A header and nothing under it. */
  | 'no_rows'
  | 'not_text'
  /** .xls, .ods, a password, not whole. */
  | 'spreadsheet_format'
  | 'too_large'
  | 'sheet_not_found'
  /** A row comes before any. */
  | 'no_header'
  | 'no_document_column'
  | 'ambiguous_columns'
  | 'column_not_found'
  /** On no row, and no default. */
  | 'no_type'
  | 'unbalanced_quote'
  | 'row_too_long';

export interface SheetErrorPosition {
  /** Path as the user gave it; absent when the rows came from elsewhere. */
  file?: string;
  /** Physical line, header = 1. */
  line?: number;
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

/** About a file: each text goes on after its name. */
export function fileError(
  code: SheetErrorCode,
  file: string,
  [en, pt]: Words,
  position: Omit<SheetErrorPosition, 'file'> = {},
): SheetError {
  return new SheetError(code, [`${file}${en}`, `${file}${pt}`], { ...position, file });
}
