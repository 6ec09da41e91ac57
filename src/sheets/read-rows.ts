import { stat } from 'node:fs/promises';
import type { Stats } from 'node:fs';

import type { DocumentType } from '../domain/documents';
import { csvRows } from './csv-source';
import { type ColumnChoice, findColumns, type HeaderColumns } from './header-columns';
import { isBlank, type RowSource, type SourceRow } from './row-source';
import { SheetError } from './sheet-error';

export interface DocumentCell {
  /** As found, trimmed; never empty. */
  text: string;
  /** What the column name says the cell holds; absent when it says nothing. */
  length?: DocumentType;
}

/** One line under the header: blank, or what stands in the columns we know. */
export type SheetRow =
  | { kind: 'blank'; line: number }
  | {
      kind: 'row';
      /** Physical line, header = 1. */
      line: number;
      /** The cells with content: normally one, none if empty, two if a CPF and a CNPJ column are. */
      documents: readonly DocumentCell[];
      /** The type as written, trimmed; '' when the sheet has none. */
      type: string;
      /** The user's own reference, trimmed; '' when none. */
      reference: string;
    };

/**
 * Reads an input sheet line by line, in bounded memory; a million lines are fine. The file is read
 * twice (once to find its encoding), so that it must be a file and not a pipe.
 *
 * Throws SheetError, and only that, when the file as a whole cannot be used; a bad row is a row
 * like any other here.
 */
export async function* readSheet(
  path: string,
  choice: ColumnChoice = {},
): AsyncGenerator<SheetRow, void> {
  try {
    await checkFile(path);
    yield* sheetRows(sourceOf(path)(path), choice, path);
  } catch (error) {
    if (error instanceof SheetError) throw error;
    throw unreadable(path, error);
  }
}

async function* sheetRows(
  source: AsyncIterable<SourceRow>,
  choice: ColumnChoice,
  file: string,
): AsyncGenerator<SheetRow, void> {
  let columns: HeaderColumns | undefined;
  let hasRows = false;
  for await (const { line, cells } of source) {
    if (isBlank(cells)) {
      yield { kind: 'blank', line };
    } else if (columns === undefined) {
      columns = findColumns(cells, choice, { file, line });
    } else {
      hasRows = true;
      yield rowOf(line, cells, columns);
    }
  }
  if (columns === undefined) {
    throw new SheetError('empty_file', `${file} is empty: it has blank lines only.`, { file });
  }
  if (!hasRows) {
    throw new SheetError('no_rows', `${file} is empty: it has a header and no rows.`, { file });
  }
}

function rowOf(line: number, cells: readonly string[], columns: HeaderColumns): SheetRow {
  const cellAt = (at: number | undefined): string =>
    at === undefined ? '' : (cells[at] ?? '').trim();
  return {
    kind: 'row',
    line,
    documents: columns.documents.flatMap(({ at, length }) => {
      const text = cellAt(at);
      if (text === '') return [];
      return [length === undefined ? { text } : { text, length }];
    }),
    type: cellAt(columns.type),
    reference: cellAt(columns.reference),
  };
}

/** Where a reader of .xlsx plugs in; a spreadsheet under another name is refused by its content. */
function sourceOf(path: string): RowSource {
  if (/\.(?:xlsx|xlsm|xls|ods)$/i.test(path)) {
    throw new SheetError(
      'spreadsheet_format',
      `${path} is a spreadsheet file, which is not read yet: save it as CSV (UTF-8) and use that.`,
      { file: path },
    );
  }
  return csvRows;
}

async function checkFile(path: string): Promise<void> {
  let found: Stats;
  try {
    found = await stat(path);
  } catch (error) {
    const code = systemCode(error);
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
    throw new SheetError('missing_file', `There is no file ${path}.`, { file: path, cause: error });
  }
  if (found.isDirectory()) {
    throw new SheetError('directory', `${path} is a folder, not a file.`, { file: path });
  }
  if (!found.isFile()) {
    throw new SheetError('not_a_file', `${path} is not a file: save its content to one first.`, {
      file: path,
    });
  }
}

function unreadable(path: string, error: unknown): SheetError {
  const why = systemCode(error) ?? (error instanceof Error ? error.name : 'unknown error');
  return new SheetError('unreadable', `${path} cannot be read (${why}).`, {
    file: path,
    cause: error,
  });
}

function systemCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
