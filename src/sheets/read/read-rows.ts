import { stat } from 'node:fs/promises';

import type { Words } from '../../domain/job';
import type { DocumentType } from '../../domain/core/documents/documents';
import { csvRows } from './csv-source';
import { findColumns, type HeaderColumns, mostLinesAbove } from './header-columns';
import { findFileFormat } from '../file-format';
import { certaintyOf } from './header-names';
import {
  columnName,
  subjectCells,
  subjectWordOf,
  subjectWords,
  type SubjectCell,
} from './subject-columns';
import { type CellFault, columnLetters, isBlank, type SourceRow } from './row-source';
import { fileError, SheetError } from '../sheet-error';
import { type InputChoice, xlsxRows } from './xlsx-source';

export interface DocumentCell {
  /** Trimmed; never empty. */
  text: string;
  /** Its address: `B12`. */
  cell: string;
  /** The document type that the column name implies; absent when it implies none. */
  length?: DocumentType;
  /** Why the cell cannot be a document, whatever its text. */
  fault?: CellFault;
}

export type { InputChoice } from './xlsx-source';

/** A blank line, or under the header the cells of known columns. */
export type SheetRow =
  | { kind: 'blank'; line: number }
  | {
      kind: 'row';
      /** Physical line, header = 1. */
      line: number;
      /** Non-empty cells: normally one, none if empty, two if a CPF and a CNPJ column are. */
      documents: readonly DocumentCell[];
      /** In a sheet of subjects: other cells about the subject. */
      subject: readonly SubjectCell[];
      /** The type as written, trimmed; '' when the sheet has none. */
      type: string;
      /** Its address; left out when the sheet has no such column. */
      typeCell?: string;
      /** The user's own reference, trimmed; '' when none. */
      reference: string;
      /** Cells of all other named columns, unchanged; left out when there are none. */
      own?: readonly string[];
      /** Address of the document's cell: `B12`; without such a column, of the first non-empty cell. */
      cell: string;
    };

/**
 * Reads an input sheet line by line. A CSV file takes bounded memory, for millions of lines; a
 * workbook is held in memory (`largestWorkbook`). The file is read twice (once to detect its format),
 * so it must not be a pipe.
 *
 * Throws only SheetError, when the file as a whole cannot be used; a bad row is
 * yielded like any other.
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
  choice: InputChoice,
  file: string,
): AsyncGenerator<SheetRow, void> {
  const above: SourceRow[] = [];
  let columns: (HeaderColumns & { line: number }) | undefined;
  let ownAt: number[] = [];
  let hasRows = false;
  const skipped: number[] = [];
  const read = function* (row: SourceRow): Generator<SheetRow> {
    const { line, cells } = row;
    if (columns === undefined || isBlank(cells)) {
      if (isBlank(cells)) yield { kind: 'blank', line };
    } else if (line < columns.line || isLeftOut(row, columns, choice)) {
      if (line !== columns.line) skipped.push(line);
    } else if (line > columns.line) {
      hasRows = true;
      yield rowOf(row, columns, ownAt);
    }
  };
  const begin = function* (): Generator<SheetRow> {
    if (above.every(({ cells }) => isBlank(cells))) {
      throw fileError('empty_file', file, [
        ' is empty: it has blank lines only.',
        ' está vazio: só tem linhas em branco.',
      ]);
    }
    columns = findColumns(above, choice, file);
    const { documents, line: headerLine, reference } = columns;
    const header = above.find(({ line }) => line === headerLine)?.cells ?? [];
    if (choice.holds === 'subjects') choice.onNotice?.(columnsRead(file, header, columns));
    const shown = new Set([reference, ...documents.map(({ at }) => at)]);
    ownAt = [...header.keys()].filter((at) => header[at]?.trim() !== '' && !shown.has(at));
    choice.onHeader?.(ownAt.map((at) => header[at]?.trim() ?? ''));
    for (const row of above) yield* read(row);
  };
  let filled = 0;
  for await (const row of source) {
    if (columns !== undefined) yield* read(row);
    else {
      above.push(row);
      if (!isBlank(row.cells)) filled += 1;
      if (filled === mostLinesAbove) yield* begin();
    }
  }
  if (columns === undefined) yield* begin();
  if (!hasRows) {
    throw fileError('no_rows', file, [
      ' is empty: it has a header and no rows.',
      ' está vazio: tem um cabeçalho e nenhuma linha.',
    ]);
  }
  if (skipped.length > 0) {
    const more = skipped.length - 10;
    const shown = skipped.slice(0, 10).join(', ');
    const [en, pt] = more > 0 ? [`, and ${more} more`, ` e mais ${more}`] : ['', ''];
    const [line, linha] = skipped.length === 1 ? ['line', 'linha'] : ['lines', 'linhas'];
    choice.onNotice?.([
      `${file}: left out as titles, totals or headers again: ${line} ${shown}${en}`,
      `${file}: ignorado, como título, total ou cabeçalho repetido: ${linha} ${shown}${pt}`,
    ]);
  }
}

/** A total, or the header of another page: it has no document in the document column. */
function isLeftOut(
  { cells }: SourceRow,
  { documents, subject }: HeaderColumns,
  choice: InputChoice,
): boolean {
  const texts = [...documents, ...subject]
    .map(({ at }) => (cells[at] ?? '').trim())
    .filter((text) => text !== '');
  const isTotal = (text: string): boolean =>
    /^(?:sub-?\s*)?tota(?:l|is)(?:\s+(?:geral|parcial|do|da|de|dos|das)\b.*)?\s*:?$/i.test(
      text.trim(),
    );
  const { holds = 'documents' } = choice;
  const isHeader = (text: string): boolean =>
    certaintyOf(text, holds) !== undefined ||
    (holds === 'subjects' && subjectWordOf(text) !== null);
  if (texts.length > 0 && texts.every(isHeader)) return true;
  return cells.some(isTotal) && texts.every((text) => isTotal(text) || /^[\d.,]{1,7}$/.test(text));
}

function rowOf(row: SourceRow, columns: HeaderColumns, ownAt: readonly number[]): SheetRow {
  const { line, cells, faults } = row;
  const cellAt = (at: number | undefined): string =>
    at === undefined ? '' : (cells[at] ?? '').trim();
  const filledAt = columns.documents.find(({ at }) => cellAt(at) !== '')?.at;
  const subject = subjectCells(row, columns.subject);
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
          cell: `${columnLetters(at)}${line}`,
          ...(length !== undefined && { length }),
          ...(fault !== undefined && { fault }),
        },
      ];
    }),
    type: cellAt(columns.type),
    ...(columns.type !== undefined && { typeCell: `${columnLetters(columns.type)}${line}` }),
    reference: cellAt(columns.reference),
    subject,
    ...(ownAt.length > 0 && { own: ownAt.map((at) => cells[at] ?? '') }),
    cell: `${columnLetters(filledAt ?? columns.documents[0]?.at ?? columns.subject[0]?.at ?? 0)}${line}`,
  };
}

const documentWords: Words = ['document', 'documento'];

function columnsRead(
  file: string,
  header: readonly string[],
  { documents, subject }: HeaderColumns,
): Words {
  const names = (language: 0 | 1): string =>
    [
      ...documents.map(({ at }) => [at, documentWords] as const),
      ...subject.map(({ at, word }) => [at, subjectWords[word]] as const),
    ]
      .map(([at, words]) => `${columnName(header, at)} (${words[language]})`)
      .join(', ');
  return [`${file}: columns read: ${names(0)}`, `${file}: colunas lidas: ${names(1)}`];
}

async function sourceOf(path: string, choice: InputChoice): Promise<AsyncIterable<SourceRow>> {
  if ((await findFileFormat(path)) === 'xlsx') return xlsxRows(path, choice);
  if (choice.sheet === undefined) return csvRows(path);
  throw fileError('sheet_not_found', path, [
    ' is a text file and has no sheets: leave out --sheet.',
    ' é um arquivo de texto e não tem abas: retire --sheet.',
  ]);
}

async function checkFile(path: string): Promise<void> {
  const found = await stat(path).catch((cause: unknown) => {
    if (!['ENOENT', 'ENOTDIR'].includes(systemCode(cause) ?? '')) throw cause;
    const words: Words = [`There is no file ${path}.`, `Não há o arquivo ${path}.`];
    throw new SheetError('missing_file', words, { file: path, cause });
  });
  if (found.isDirectory()) {
    throw fileError('directory', path, [
      ' is a folder, not a file.',
      ' é uma pasta, e não um arquivo.',
    ]);
  }
  if (!found.isFile()) {
    throw fileError('not_a_file', path, [
      ' is not a file: save its content to one first.',
      ' não é um arquivo: salve antes o conteúdo em um arquivo.',
    ]);
  }
}

function unreadable(path: string, cause: unknown): SheetError {
  const why = systemCode(cause) ?? (cause instanceof Error ? cause.name : 'unknown error');
  const words: Words = [` cannot be read (${why}).`, ` não pode ser lido (${why}).`];
  return fileError('unreadable', path, words, { cause });
}

function systemCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
