import { type DocumentType, normaliseDocument } from '../domain/core/documents';
import { SheetError } from './sheet-error';

export interface DocumentColumn {
  /** Position in the row, from 0. */
  at: number;
  /** What the name says the cells hold; absent when it says nothing. */
  length?: DocumentType;
}

export interface HeaderColumns {
  /** At least one. A sheet may have a column for CPF and one for CNPJ. */
  documents: readonly DocumentColumn[];
  /** Position of the type; absent when the sheet has none. */
  type?: number;
  reference?: number;
}

export interface ColumnChoice {
  /** The document column as the user names it: header, letter (`B`) or number from 1. */
  column?: string;
  /** What the column holds; documents unless told. */
  holds?: ColumnContent;
}

/** `targets`: e-mail addresses, phone numbers, user names, wallets; `dossiers`: their ids. */
export type ColumnContent = 'documents' | 'targets' | 'dossiers';

const documentNames = new Set([
  'documento',
  'documentos',
  'document',
  'documentnumber',
  'numerododocumento',
  'numerodocumento',
  'doc',
  'cpfcnpj',
  'cnpjcpf',
  'cpfoucnpj',
  'cnpjoucpf',
  'taxid',
  'cpf',
  'cnpj',
]);

const targetNames = new Set([
  'alvo',
  'target',
  'email',
  'emails',
  'correioeletronico',
  'telefone',
  'fone',
  'celular',
  'phone',
  'phonenumber',
  'usuario',
  'username',
  'user',
  'wallet',
  'carteira',
]);

const dossierNames = new Set(['dossie', 'dossieid', 'iddossie', 'dossier', 'dossierid']);

const namesOf: Readonly<Record<ColumnContent, ReadonlySet<string>>> = {
  documents: documentNames,
  targets: targetNames,
  dossiers: dossierNames,
};

/** For the sentences about a header. */
const wordsOf: Readonly<Record<ColumnContent, { what: string; names: string; header: string }>> = {
  documents: {
    what: 'document',
    names: 'documento, cnpj, cpf',
    header: 'documento;tipo;referencia',
  },
  targets: { what: 'target', names: 'alvo, email, telefone', header: 'alvo;referencia' },
  dossiers: { what: 'dossier', names: 'dossie, dossier_id', header: 'dossie;referencia' },
};

// Best name first: a sheet with `id` and `referencia` means the latter.
const typeNames = [
  'tipo',
  'type',
  'tipodecertidao',
  'tipocertidao',
  'certificatetype',
  'certidao',
  'certificate',
];
const referenceNames = [
  'referencia',
  'reference',
  'ref',
  'referenciainterna',
  'externalreference',
  'codigointerno',
  'codigo',
  'id',
];

/** A name without accents, case, spaces and punctuation: `CPF / CNPJ` and `cpf_cnpj` are one. */
export function foldName(name: string): string {
  return name
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '');
}

/**
 * Finds what each column is. Throws SheetError `no_document_column` (with the headers found),
 * `column_not_found`, `no_header`.
 */
export function findColumns(
  header: readonly string[],
  choice: ColumnChoice,
  place: { file: string; line: number },
): HeaderColumns {
  const folded = header.map((name) => foldName(name));
  const { column, holds = 'documents' } = choice;
  const documents =
    column === undefined
      ? folded.flatMap((name, at) => (namesOf[holds].has(name) ? [documentColumn(name, at)] : []))
      : [chosenColumn({ column, holds }, header, folded, place)];
  if (documents.length === 0) throw noDocumentColumn(holds, header, place);

  const taken = new Set(documents.map(({ at }) => at));
  const positionOfFirst = (names: readonly string[]): number | undefined =>
    names
      .map((wanted) => folded.findIndex((name, at) => name === wanted && !taken.has(at)))
      .find((at) => at !== -1);
  const type = positionOfFirst(typeNames);
  const reference = positionOfFirst(referenceNames);
  return {
    documents,
    ...(type === undefined ? {} : { type }),
    ...(reference === undefined ? {} : { reference }),
  };
}

function documentColumn(foldedName: string, at: number): DocumentColumn {
  const saysCpf = foldedName.includes('cpf');
  const saysCnpj = foldedName.includes('cnpj');
  if (saysCpf === saysCnpj) return { at };
  return { at, length: saysCpf ? 'cpf' : 'cnpj' };
}

function chosenColumn(
  { column, holds }: { column: string; holds: ColumnContent },
  header: readonly string[],
  folded: readonly string[],
  place: { file: string; line: number },
): DocumentColumn {
  const at = positionOf(column, header, folded);
  const name = header[at];
  if (name === undefined) {
    throw new SheetError(
      'column_not_found',
      `${place.file} has no column "${column}". ${headersFound(header)}`,
      { ...place, column },
    );
  }
  if (looksLikeContent(name)) throw noHeader(holds, { ...place, column });
  return documentColumn(folded[at] ?? '', at);
}

function positionOf(column: string, header: readonly string[], folded: readonly string[]): number {
  const exact = header.findIndex((name) => name.trim() === column.trim());
  if (exact !== -1) return exact;
  const wanted = foldName(column);
  const byName = wanted === '' ? -1 : folded.indexOf(wanted);
  if (byName !== -1) return byName;
  if (/^\d+$/.test(wanted)) return Number(wanted) - 1;
  if (/^[a-z]{1,3}$/.test(wanted)) {
    let letters = 0;
    for (const letter of wanted) letters = letters * 26 + (letter.charCodeAt(0) - 96);
    return letters - 1;
  }
  return -1;
}

function noDocumentColumn(
  holds: ColumnContent,
  header: readonly string[],
  place: { file: string; line: number },
) {
  if (header.some((name) => looksLikeContent(name))) return noHeader(holds, place);
  const { what, names } = wordsOf[holds];
  return new SheetError(
    'no_document_column',
    `${place.file} has no ${what} column (${names}). ${headersFound(header)} Name it with --column.`,
    place,
  );
}

function noHeader(
  holds: ColumnContent,
  place: { file: string; line: number; column?: string },
): SheetError {
  return new SheetError(
    'no_header',
    `${place.file}, line ${place.line}: the first line is a row already. Put a header above it, such as ${wordsOf[holds].header}.`,
    place,
  );
}

function headersFound(header: readonly string[]): string {
  const names = header.slice(0, 30).map((name) => {
    const shown = name.trim().slice(0, 40);
    // A line that is no header may hold documents, and messages never do.
    if (shown.includes('@')) return '(an address)';
    return /\d{5,}/.test(normaliseDocument(shown)) ? '(a number)' : `"${shown}"`;
  });
  return `Columns found: ${names.join(', ')}.`;
}

/** A document, a phone number, an address or a UUID: no name of a column. */
function looksLikeContent(cell: string): boolean {
  const isNumber = /^[+(]?\d[\d() ]{6,}\d$/.test(normaliseDocument(cell));
  return (
    isNumber || /\S@\S/.test(cell) || /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(cell)
  );
}
