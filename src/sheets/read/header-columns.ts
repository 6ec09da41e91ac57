import type { Words } from '../../domain/job';
import type { DocumentType } from '../../domain/core/documents/documents';
import { normaliseDocument } from '../../domain/core/documents/read-document';
import { certaintyOf, foldName, lengthOf, type ColumnContent } from './header-names';
import { columnLetters, isBlank, type SourceRow } from './row-source';
import { columnName, subjectColumns, subjectWordOf, type SubjectColumn } from './subject-columns';
import { fileError, type SheetError } from '../sheet-error';

export interface DocumentColumn {
  at: number;
  /** The document type that the name implies. */
  length?: DocumentType;
}

export interface HeaderColumns {
  /**
   * At least one; a sheet of subjects with other columns may have none. A sheet may have one for CPF and one for
   * CNPJ.
   */
  documents: readonly DocumentColumn[];
  type?: number;
  reference?: number;
  subject: readonly SubjectColumn[];
}

export interface ColumnChoice {
  /** The document column as the user names it: header, letter (`B`) or number from 1. */
  column?: string | undefined;
  /** The reference column as the user names it; default: one with a usual name. */
  reference?: string | undefined;
  /** What the column holds; default: documents. */
  holds?: ColumnContent;
}

/** Words of messages about a header. */
const wordsOf: Readonly<Record<ColumnContent, { what: Words; names: string; header: string }>> = {
  documents: {
    what: ['document', 'documento'],
    names: 'documento, cnpj, cpf',
    header: 'documento;tipo;referencia',
  },
  targets: { what: ['target', 'alvo'], names: 'alvo, email, telefone', header: 'alvo;referencia' },
  dossiers: {
    what: ['dossier', 'dossiê'],
    names: 'dossie, dossier_id',
    header: 'dossie;referencia',
  },
  subjects: {
    what: ['document, name, e-mail or phone', 'documento, nome, e-mail ou telefone'],
    names: 'cnpj, cpf, nome, email, telefone',
    header: 'cnpj;nome;email;telefone',
  },
};

// Best name first: a sheet with `id` and `referencia` means the latter.
const typeNames =
  'tipo type tipodecertidao tipocertidao certificatetype certidao certificate'.split(' ');
const referenceNames =
  'referencia reference ref referenciainterna externalreference codigointerno codigo id'.split(' ');

/** Non-empty lines, titles included, that are searched for a header. */
export const mostLinesAbove = 40;

// A title may have the document, telephone and address of a company: more are rows of a table.
const mostWithContent = 3;

/** Whether a sheet has a header among its first lines. */
export function hasHeader(rows: readonly SourceRow[], choice: ColumnChoice): boolean {
  return headerOf(rows, choice) !== undefined;
}

/** Finds the header among the first lines, and the meaning of each column. @throws SheetError */
export function findColumns(
  rows: readonly SourceRow[],
  choice: ColumnChoice,
  file: string,
): HeaderColumns & { line: number } {
  const filled = rows.filter(({ cells }) => !isBlank(cells));
  const header = headerOf(rows, choice);
  const { column, holds = 'documents' } = choice;
  if (header === undefined) {
    // The widest line is the likeliest header: titles are in one cell.
    const widest = filled.reduce((one, other) => (width(other) > width(one) ? other : one));
    const shown = filled.find(({ cells }) => cells.some(looksLikeContent)) ?? widest;
    const position = { file, line: shown.line, ...(column !== undefined && { column }) };
    if (column === undefined) throw noDocumentColumn(holds, shown.cells, position);
    if (positionOf(column, shown.cells) in shown.cells) throw noHeader(holds, position);
    throw columnNotFound(column, '--column', widest.cells, position);
  }
  const { cells, line } = header;
  const positions =
    column === undefined
      ? documentPositions(cells, holds, { file, line })
      : [positionOf(column, cells)];
  const documents = positions.map((at): DocumentColumn => {
    const length = lengthOf(cells[at] ?? '');
    return { at, ...(length !== undefined && { length }) };
  });
  const folded = cells.map(foldName);
  const positionOfFirst = (names: readonly string[]): number | undefined =>
    names
      .map((wanted) => folded.findIndex((name, at) => name === wanted && !positions.includes(at)))
      .find((at) => at !== -1);
  const type = positionOfFirst(typeNames);
  const reference =
    choice.reference === undefined
      ? positionOfFirst(referenceNames)
      : chosenReference(choice.reference, cells, { file, line });
  const taken = [...positions, ...(reference === undefined ? [] : [reference])];
  const subject = holds === 'subjects' ? subjectColumns(cells, taken, { file, line }) : [];
  return {
    line,
    documents,
    subject,
    ...(type !== undefined && { type }),
    ...(reference !== undefined && { reference }),
  };
}

/** For subjects, prefers a line that names a document column. */
function headerOf(rows: readonly SourceRow[], choice: ColumnChoice): SourceRow | undefined {
  const { holds = 'documents' } = choice;
  const found = headerNaming((cell) => certaintyOf(cell, holds) !== undefined, rows, choice);
  if (found !== undefined || holds !== 'subjects') return found;
  return headerNaming((cell) => subjectWordOf(cell) !== null, rows, choice);
}

/**
 * The first line that names the column. A line with a document is no header; a title in one
 * cell is none when the next line names the column too, nor is a line below another kind of header.
 */
function headerNaming(
  isName: (cell: string) => boolean,
  rows: readonly SourceRow[],
  { column }: ColumnChoice,
): SourceRow | undefined {
  const filled = rows.filter(({ cells }) => !isBlank(cells));
  const names = ({ cells }: SourceRow): boolean => {
    if (cells.some(looksLikeContent)) return false;
    if (column === undefined) return cells.some(isName);
    return (cells[positionOf(column, cells)] ?? '').trim() !== '';
  };
  const at = filled.findIndex(names);
  const [found, next] = filled.slice(Math.max(at, 0));
  if (at === -1 || found === undefined) return undefined;
  const above = filled.slice(0, at);
  const withContent = above.filter(({ cells }) => cells.some(looksLikeContent)).length;
  if (column !== undefined) {
    const position = positionOf(column, found.cells);
    // A letter matches no header: the first row would be taken for one.
    const isNamed = foldName(found.cells[position] ?? '') === foldName(column);
    const isRow = above.some(({ cells }) => looksLikeContent(cells[position] ?? ''));
    return isRow && !isNamed ? undefined : found;
  }
  if (next !== undefined && width(found) === 1 && width(next) > 1 && names(next)) return next;
  const isHeader = (row: SourceRow): boolean =>
    width(row) >= width(found) &&
    row.cells.some((cell) => [...typeNames, ...referenceNames].includes(foldName(cell)));
  return withContent > mostWithContent || above.some(isHeader) ? undefined : found;
}

function chosenReference(column: string, header: readonly string[], position: Position): number {
  const at = positionOf(column, header);
  if (at >= 0 && at < header.length) return at;
  throw columnNotFound(column, '--reference', header, position);
}

/** One, or one for CPF and one for CNPJ. */
function documentPositions(
  header: readonly string[],
  holds: ColumnContent,
  { file, line }: Position,
): number[] {
  const of = (wanted: string): number[] =>
    header.flatMap((name, at) => (certaintyOf(name, holds) === wanted ? [at] : []));
  const certain = of('certain');
  const found = certain.length > 0 ? certain : of('likely');
  const lengths = new Set(found.map((at) => lengthOf(header[at] ?? '')));
  const isPair = found.length === 2 && lengths.has('cpf') && lengths.has('cnpj');
  if (found.length === 1 || isPair || holds === 'targets' || holds === 'dossiers') return found;
  if (found.length === 0) return [];
  const names = found.map((at) => columnName(header, at));
  const [first, second] = found.map(columnLetters);
  const words: Words = [
    `, line ${line}: ${names.join(' and ')} may each be the document. Name one with --column ${first}, or ${second}.`,
    `, linha ${line}: ${names.join(' e ')} podem ser, cada uma, o documento. Indique uma com --column ${first}, ou ${second}.`,
  ];
  throw fileError('ambiguous_columns', file, words, { line });
}

function width({ cells }: SourceRow): number {
  return cells.filter((cell) => cell.trim() !== '').length;
}

function positionOf(column: string, header: readonly string[]): number {
  const exact = header.findIndex((name) => name.trim() === column.trim());
  if (exact !== -1) return exact;
  const wanted = foldName(column);
  const byName = wanted === '' ? -1 : header.map(foldName).indexOf(wanted);
  if (byName !== -1) return byName;
  if (/^\d+$/.test(wanted)) return Number(wanted) - 1;
  if (/^[a-z]{1,3}$/.test(wanted)) {
    let letters = 0;
    for (const letter of wanted) letters = letters * 26 + (letter.charCodeAt(0) - 96);
    return letters - 1;
  }
  return -1;
}

interface Position {
  file: string;
  line: number;
  column?: string;
}

function noDocumentColumn(holds: ColumnContent, header: readonly string[], position: Position) {
  if (header.some((name) => looksLikeContent(name))) return noHeader(holds, position);
  const { what, names } = wordsOf[holds];
  const [en, pt] = headersFound(header);
  const words: Words = [
    ` has no ${what[0]} column (${names}). ${en} Name it with --column.`,
    ` não tem uma coluna de ${what[1]} (${names}). ${pt} Indique-a com --column.`,
  ];
  return fileError('no_document_column', position.file, words, position);
}

function noHeader(holds: ColumnContent, position: Position): SheetError {
  const { file, line } = position;
  const { header } = wordsOf[holds];
  const words: Words = [
    `, line ${line}: this is a row already, and no line above it is a header. Put one there, such as ${header}.`,
    `, linha ${line}: já é uma linha de dados, e não há cabeçalho acima dela. Ponha um, como ${header}.`,
  ];
  return fileError('no_header', file, words, position);
}

function columnNotFound(
  column: string,
  flag: '--column' | '--reference',
  header: readonly string[],
  position: Position,
): SheetError {
  const [en, pt] = headersFound(header);
  const words: Words = [
    ` has no column "${column}" (${flag}). ${en}`,
    ` não tem a coluna "${column}" (${flag}). ${pt}`,
  ];
  return fileError('column_not_found', position.file, words, { ...position, column });
}

function headersFound(header: readonly string[]): Words {
  const names = header.slice(0, 30).map((name): Words => {
    const shown = name.trim().slice(0, 40);
    // A line that is no header may contain documents, which messages must not show.
    if (shown.includes('@')) return ['(an address)', '(um endereço)'];
    return /\d{5,}/.test(normaliseDocument(shown))
      ? ['(a number)', '(um número)']
      : [`"${shown}"`, `"${shown}"`];
  });
  const list = (at: 0 | 1): string => names.map((words) => words[at]).join(', ');
  return [`Columns found: ${list(0)}.`, `Colunas encontradas: ${list(1)}.`];
}

/** A document, phone number, address or UUID is no column name; a date may be one. */
function looksLikeContent(cell: string): boolean {
  if (/^\s*(?:\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}|\d{4}-\d\d-\d\d)(?:\s|$)/.test(cell)) return false;
  const isNumber = /^[+(]?\d[\d() ]{6,}\d$/.test(normaliseDocument(cell));
  return (
    isNumber || /\S@\S/.test(cell) || /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(cell)
  );
}
