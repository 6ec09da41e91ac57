import type { CertificateType, ManifestItem, ManifestLine } from '../domain/certificates';
import { type DocumentReading, documentTypesServed, readDocument } from '../domain/documents';
import type { DocumentCell, SheetRow } from './read-rows';
import type { CellFault } from './row-source';
import { SheetError } from './sheet-error';
import { certificateTypeOf } from './type-words';

export interface PlanOptions {
  /** For rows that name no type of their own. */
  type?: CertificateType;
  /** The input file, for the error message. */
  file?: string;
}

export interface PlanCounts {
  /** Lines with content: items, duplicates, invalid and unsupported together. */
  lines: number;
  blank: number;
  items: number;
  duplicates: number;
  invalid: number;
  unsupported: number;
}

/** One line with content; `item` is there when it is the first of its type and document. */
export interface PlannedLine {
  line: ManifestLine;
  item?: ManifestItem;
}

/** To be read once; `counts` grows as it is read, and is complete at its end. */
export interface SheetPlan extends AsyncIterable<PlannedLine> {
  readonly counts: Readonly<PlanCounts>;
}

const longestCellShown = 100;

/**
 * Decides for each row what it is: something to buy (numbered from 0 in order), a repetition of an
 * earlier row, or neither. Blank lines are counted and left out. Keeps one entry for each distinct
 * type and document, and nothing else of the rows.
 *
 * Iteration throws SheetError `no_type` at the end when no row names a type and there is no
 * default; the lines before it have been yielded, so that nothing may be sent before the end.
 */
export function planRows(rows: AsyncIterable<SheetRow>, options: PlanOptions = {}): SheetPlan {
  const counts = { lines: 0, blank: 0, items: 0, duplicates: 0, invalid: 0, unsupported: 0 };
  return { counts, [Symbol.asyncIterator]: () => plannedLines(rows, options, counts) };
}

async function* plannedLines(
  rows: AsyncIterable<SheetRow>,
  options: PlanOptions,
  counts: PlanCounts,
): AsyncGenerator<PlannedLine, void> {
  const itemOfKey = new Map<string, number>();
  const lineOfItem: number[] = [];
  let hasType = options.type !== undefined;

  for await (const row of rows) {
    if (row.kind === 'blank') {
      counts.blank += 1;
      continue;
    }
    counts.lines += 1;
    hasType ||= row.type !== '';
    const type = row.type === '' ? options.type : certificateTypeOf(row.type);
    if (type === undefined) {
      counts.invalid += 1;
      yield { line: withoutType(row) };
      continue;
    }
    const reading = readRow(row.documents, type);
    if (reading.kind !== 'document') {
      counts[reading.kind] += 1;
      yield { line: { ...asFound(row), ...reading, type } };
      continue;
    }
    const { document, note } = reading;
    const { line, reference } = row;
    const key = `${type}|${document}`;
    const item = itemOfKey.get(key);
    if (item === undefined) {
      const next = lineOfItem.length;
      itemOfKey.set(key, next);
      lineOfItem.push(line);
      counts.items += 1;
      yield {
        line: { line, kind: 'item', item: next },
        item: { item: next, line, type, document, reference, note },
      };
    } else {
      counts.duplicates += 1;
      const duplicateOf = lineOfItem[item] ?? line;
      yield { line: { line, kind: 'duplicate', item, duplicateOf, document, reference, note } };
    }
  }
  if (!hasType && counts.lines > 0) throw noType(options.file);
}

function readRow(
  documents: readonly DocumentCell[],
  type: CertificateType,
): DocumentReading | ({ kind: 'invalid' } & CellFault) {
  const [cell, another] = documents;
  if (another !== undefined) {
    return {
      kind: 'invalid',
      code: 'ambiguous',
      message:
        'The row has a document in more than one column: keep one, or name the column with --column.',
    };
  }
  if (cell?.fault !== undefined) return { kind: 'invalid', ...cell.fault };
  return readDocument(cell?.text ?? '', {
    serves: documentTypesServed[type],
    ...(cell?.length === undefined ? {} : { length: cell.length }),
  });
}

function withoutType(row: SheetRow & { kind: 'row' }): ManifestLine {
  const missing = row.type === '';
  return {
    ...asFound(row),
    kind: 'invalid',
    type: '',
    code: missing ? 'missing_type' : 'unknown_type',
    message: missing
      ? 'The row names no type of certificate (cnpj or trabalhista), and none was given for the file.'
      : 'The row names a type of certificate that is not known: write cnpj or trabalhista.',
  };
}

function asFound({ line, documents, reference }: SheetRow & { kind: 'row' }) {
  const document = documents.map(({ text }) => text).join(' ');
  return { line, document: document.slice(0, longestCellShown), reference };
}

function noType(file: string | undefined): SheetError {
  return new SheetError(
    'no_type',
    `${file ?? 'The sheet'} names no type of certificate on any row: add a column tipo (cnpj or trabalhista), or use --type.`,
    file === undefined ? {} : { file },
  );
}
