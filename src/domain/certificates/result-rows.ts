import type { ManifestRow, RefusedLine, ResultRow, StoredResultRow } from './certificates';
import { nothingReported, type MergedOutcome } from './outcomes';

/**
 * The result of one input line.
 * @param outcome of its item, or of the item that it repeats
 * @throws RangeError without one, for an item
 */
export function resultRow(row: ManifestRow, outcome: MergedOutcome | null): StoredResultRow {
  if ('code' in row) return row.erased ? erasedResult(row) : rowOfRefused(row);
  if (outcome === null) throw new RangeError(`item ${row.item} of the job has no stored outcome`);
  const isFirst = row.kind === 'item';
  if (row.erased) return erasedResult(isFirst ? { ...outcome, ...row } : row);
  const { settledAt: _, ...reported } = outcome;
  const { line, item, document, type, reference } = row;
  const notes = [row.note, outcome.note, earlierIssuances(outcome)];
  return {
    ...reported,
    line,
    item,
    document,
    type,
    reference,
    status: isFirst ? outcome.status : 'duplicate',
    attempts: isFirst ? outcome.attempts : 0,
    duplicateOf: isFirst ? null : row.duplicateOf,
    note: notes.filter((note) => note !== '').join('; '),
    ...(row.own !== undefined && { own: row.own }),
  };
}

export function resultSoFar(row: ManifestRow, outcome: MergedOutcome | null): OpenResultRow {
  if ('code' in row || row.erased === true || outcome !== null) return resultRow(row, outcome);
  const status = row.kind === 'item' ? 'open' : 'duplicate';
  const { document, item, line, own, reference, type } = row;
  const named = { line, item, document, type, reference, ...(own !== undefined && { own }) };
  return { ...neverBought, ...named, status, note: row.note, issuances: [] };
}

export type OpenResultRow = Omit<StoredResultRow, 'status'> & Pick<ResultRow, 'status'>;

type ErasableRow = Pick<StoredResultRow, 'line' | 'type'> &
  Partial<Pick<StoredResultRow, 'item' | 'attempts' | 'duplicateOf' | 'possibleDoubleCharge'>>;

export function erasedResult(row: ErasableRow): StoredResultRow {
  return {
    ...neverBought,
    line: row.line,
    item: row.item ?? null,
    document: '',
    type: row.type,
    status: 'erased',
    attempts: row.attempts ?? 0,
    reference: '',
    duplicateOf: row.duplicateOf ?? null,
    possibleDoubleCharge: row.possibleDoubleCharge ?? false,
    issuances: [],
  };
}

function rowOfRefused({ kind, line, document, type, ...refused }: RefusedLine): StoredResultRow {
  return {
    ...neverBought,
    issuances: [],
    line,
    item: null,
    document,
    type,
    status: kind,
    errorCode: refused.code,
    errorCategory: 'input',
    errorMessage: refused.message,
    reference: refused.reference,
    ...(refused.own !== undefined && { own: refused.own }),
  };
}

function earlierIssuances({ issuances, certidaoId }: MergedOutcome): string {
  const others = issuances.filter((id) => id !== certidaoId);
  return others.length === 0 ? '' : `other issuances: ${others.join(' ')}`;
}

const neverBought = {
  ...nothingReported,
  certidaoId: null,
  attempts: 0,
  duplicateOf: null,
  note: '',
  possibleDoubleCharge: false,
  requestedAt: null,
} satisfies Partial<StoredResultRow>;
