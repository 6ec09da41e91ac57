import {
  type CertificateType,
  type ManifestRow,
  documentTypesServed,
} from '../../domain/certificates/certificates';
import { type DocumentReading, readDocument } from '../../domain/core/documents/read-document';
import type { DocumentCell, SheetRow } from './read-rows';
import type { CellFault } from './row-source';
import type { Words } from '../../domain/job';
import { SheetError } from '../sheet-error';
import { certificateTypeOf } from '../type-words';

export interface PlanOptions {
  /** For rows without a type. */
  type?: CertificateType;
  /** The input file, for the error message. */
  file?: string;
}

export interface PlanCounts {
  /** Non-empty lines: items, duplicates, invalid and unsupported together. */
  lines: number;
  blank: number;
  items: number;
  duplicates: number;
  invalid: number;
  unsupported: number;
}

/** Non-empty lines, to be read once; `counts` grows while reading, and is complete at the end. */
export interface SheetPlan<T extends string = CertificateType> extends AsyncIterable<
  ManifestRow<T>
> {
  readonly counts: Readonly<PlanCounts>;
}

/** Identifies an input: the user's own columns are not part of it. */
export function manifestLine(row: ManifestRow<string>): string {
  const { own: _, ...line } = row;
  return `${JSON.stringify(line)}\n`;
}

/** A non-empty row under the header. */
export type FilledRow = SheetRow & { kind: 'row' };

/** The request of a row, or why it has none. */
export type RowReading<T extends string> =
  | { kind: 'item'; type: T; document: string; note: string; requested?: string }
  | { kind: 'invalid' | 'unsupported'; type: T | ''; code: string; message: string };

const longestCellShown = 100;

/**
 * Classifies each row: an item to buy (numbered from 0 in order), a duplicate of an
 * earlier row, or neither. Blank lines are counted and skipped. Memory grows with distinct
 * items only.
 */
export function planItems<T extends string>(
  rows: AsyncIterable<SheetRow>,
  read: (row: FilledRow) => RowReading<T>,
): SheetPlan<T> {
  const counts = { lines: 0, blank: 0, items: 0, duplicates: 0, invalid: 0, unsupported: 0 };
  return { counts, [Symbol.asyncIterator]: () => plannedLines(rows, read, counts) };
}

/**
 * The same for certificates. Iteration throws SheetError `no_type` at the end when no row has a
 * type and there is no default; the lines before it have been yielded, so nothing may be sent
 * before the end.
 */
export function planRows(rows: AsyncIterable<SheetRow>, options: PlanOptions = {}): SheetPlan {
  let hasType = options.type !== undefined;
  const plan = planItems<CertificateType>(rows, (row) => {
    hasType ||= row.type !== '';
    const type = row.type === '' ? options.type : certificateTypeOf(row.type);
    if (type === undefined) return withoutType(row);
    const reading = readRow(row.documents, type);
    return reading.kind === 'document'
      ? { kind: 'item', type, document: reading.document, note: reading.note }
      : { ...reading, type };
  });
  async function* lines(): AsyncGenerator<ManifestRow, void> {
    yield* plan;
    if (!hasType && plan.counts.lines > 0) throw noType(options.file);
  }
  return { counts: plan.counts, [Symbol.asyncIterator]: lines };
}

async function* plannedLines<T extends string>(
  rows: AsyncIterable<SheetRow>,
  read: (row: FilledRow) => RowReading<T>,
  counts: PlanCounts,
): AsyncGenerator<ManifestRow<T>, void> {
  const itemOfKey = new Map<string, number>();
  const lineOfItem: number[] = [];

  for await (const row of rows) {
    if (row.kind === 'blank') {
      counts.blank += 1;
      continue;
    }
    counts.lines += 1;
    const reading = read(row);
    if (reading.kind !== 'item') {
      counts[reading.kind] += 1;
      const isNamed = new RegExp(`\\b[A-Z]{1,3}${row.line}\\b`).test(reading.message);
      const message = isNamed ? reading.message : `${row.cell}: ${reading.message}`;
      yield { ...asFound(row), ...reading, message };
      continue;
    }
    const { type, document, note, requested } = reading;
    const { line, reference } = row;
    const said = { line, type, document, reference, note };
    const key = `${type}|${requested ?? document}`;
    const item = itemOfKey.get(key);
    if (item === undefined) {
      const next = lineOfItem.length;
      itemOfKey.set(key, next);
      lineOfItem.push(line);
      counts.items += 1;
      const request = requested !== undefined && { requested };
      yield { kind: 'item', item: next, ...said, ...request, ...ownOf(row) };
    } else {
      counts.duplicates += 1;
      const duplicateOf = lineOfItem[item] ?? line;
      yield { kind: 'duplicate', item, ...said, duplicateOf, ...ownOf(row) };
    }
  }
}

function readRow(
  documents: readonly DocumentCell[],
  type: CertificateType,
): DocumentReading | ({ kind: 'invalid' } & CellFault) {
  const cell = onlyCell(documents);
  if (cell !== null && 'code' in cell) return { kind: 'invalid', ...cell };
  return readDocument(cell?.text ?? '', {
    serves: documentTypesServed[type],
    ...(cell?.length === undefined ? {} : { length: cell.length }),
  });
}

/**
 * The cell of a row that names its subject; null when it has none.
 *
 * @param what content of the cell, in a message
 */
export function onlyCell(
  documents: readonly DocumentCell[],
  what = 'a document',
): DocumentCell | CellFault | null {
  const [cell, another] = documents;
  if (another !== undefined) {
    const message = `The row has ${what} in more than one column: keep one, or name the column with --column.`;
    return { code: 'ambiguous', message };
  }
  return cell?.fault ?? cell ?? null;
}

function withoutType({ cell, type, typeCell = cell }: FilledRow): RowReading<CertificateType> {
  const missing = type === '';
  const message = missing
    ? 'The row names no type of certificate (cnpj or trabalhista), and none was given for the file.'
    : 'The row names a type of certificate that is not known: write cnpj or trabalhista.';
  return {
    kind: 'invalid',
    type: '',
    code: missing ? 'missing_type' : 'unknown_type',
    message: `${typeCell}: ${message}`,
  };
}

function ownOf({ own }: Pick<FilledRow, 'own'>) {
  return own !== undefined && { own };
}

function asFound({ line, documents, reference, ...row }: FilledRow) {
  const document = documents.map(({ text }) => text).join(' ');
  return { line, document: document.slice(0, longestCellShown), reference, ...ownOf(row) };
}

function noType(file: string | undefined): SheetError {
  const words: Words = [
    `${file ?? 'The sheet'} names no type of certificate on any row: add a column tipo (cnpj or trabalhista), or use --type.`,
    `${file ?? 'A planilha'} não informa o tipo da certidão em nenhuma linha: acrescente uma coluna tipo (cnpj ou trabalhista), ou use --type.`,
  ];
  return new SheetError('no_type', words, file === undefined ? {} : { file });
}
