import { stat } from 'node:fs/promises';
import type { Stats } from 'node:fs';

import type { DocumentType } from '../domain/core/documents';
import { csvRows } from './csv-source';
import { type ColumnChoice, findColumns, type HeaderColumns } from './header-columns';
import { findFileFormat } from './file-format';
import { type CellFault, isBlank, type SourceRow } from './row-source';
import { SheetError } from './sheet-error';
import { type SheetChoice, xlsxRows } from './xlsx-source';

export interface DocumentCell {
  /** As found, trimmed; never empty. */
  text: string;
  /** What the column name says the cell holds; absent when it says nothing. */
  length?: DocumentType;
  /** Why the cell cannot be a document, whatever its text looks like. */
  fault?: CellFault;
}

export type InputChoice = ColumnChoice & SheetChoice;

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
 * Reads an input sheet line by line. A CSV file takes bounded memory, a million lines are fine; a
 * workbook is held in memory (`largestWorkbook`). The file is read twice (once to find what it is),
 * so that it must be a file and not a pipe.
 *
 * Throws SheetError, and only that, when the file as a whole cannot be used; a bad row is a row
 * like any other here.
 */
export async function* readSheet(
  path: string,
  choice: InputChoice = {},
): AsyncGenerator<SheetRow, void> {
  try {
    await checkFile(path);
    yield* sheetRows(await sourceOf(path, choice), choice, path);
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
  for await (const row of source) {
    const { line, cells } = row;
    if (isBlank(cells)) {
      yield { kind: 'blank', line };
    } else if (columns === undefined) {
      columns = findColumns(cells, choice, { file, line });
    } else {
      hasRows = true;
      yield rowOf(row, columns);
    }
  }
  if (columns === undefined) {
    throw new SheetError('empty_file', `${file} is empty: it has blank lines only.`, { file });
  }
  if (!hasRows) {
    throw new SheetError('no_rows', `${file} is empty: it has a header and no rows.`, { file });
  }
}

function rowOf({ line, cells, faults }: SourceRow, columns: HeaderColumns): SheetRow {
  const cellAt = (at: number | undefined): string =>
    at === undefined ? '' : (cells[at] ?? '').trim();
  return {
    kind: 'row',
    line,
    documents: columns.documents.flatMap(({ at, length }) => {
      const text = cellAt(at);
      if (text === '') return [];
      const fault = faults?.get(at);
      return [
        {
          text,
          ...(length !== undefined && { length }),
          ...(fault !== undefined && { fault }),
        },
      ];
    }),
    type: cellAt(columns.type),
    reference: cellAt(columns.reference),
  };
}

async function sourceOf(path: string, choice: SheetChoice): Promise<AsyncIterable<SourceRow>> {
  if ((await findFileFormat(path)) === 'xlsx') return xlsxRows(path, choice);
  if (choice.sheet === undefined) return csvRows(path);
  throw new SheetError(
    'sheet_not_found',
    `${path} is a text file and has no sheets: leave out --sheet.`,
    {
      file: path,
    },
  );
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
