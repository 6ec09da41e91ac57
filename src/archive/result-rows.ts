import type { CertificateType, FiledRow, ManifestLine } from '../domain/certificates';
import { mergeOutcomes, nothingTold, type MergedOutcome } from '../domain/outcomes';
import { itemsPerPart } from '../domain/work';
import { getJsonLines, type Archive } from './archive';
import { manifestLines, partKey, type WorkItem } from './manifest';
import { erasedRow } from './tombstones';

/** Parts of a work that are kept while its lines are gone through: duplicates look back. */
const partsKept = 8;

interface Part {
  items: WorkItem[];
  outcomes: Map<number, MergedOutcome>;
}

/** One row per input line of a work whose every item has an outcome; in order, in bounded memory. */
export async function* resultRows(archive: Archive, folder: string): AsyncGenerator<FiledRow> {
  const parts = new Map<number, Part>();
  const partOf = async (place: number): Promise<Part> => {
    const number = Math.floor(place / itemsPerPart);
    const known = parts.get(number);
    if (known !== undefined) return known;
    const oldest = [...parts.keys()][0];
    if (parts.size >= partsKept && oldest !== undefined) parts.delete(oldest);
    const part = await readPart(archive, folder, number);
    parts.set(number, part);
    return part;
  };
  for await (const line of manifestLines<CertificateType>(archive, folder)) {
    yield 'code' in line ? rowOfRefused(line) : rowOf(line, await partOf(line.item));
  }
}

async function readPart(archive: Archive, folder: string, number: number): Promise<Part> {
  const from = number * itemsPerPart;
  const [items, filed] = await Promise.all([
    getJsonLines<WorkItem>(archive, partKey(folder, 'items', number)),
    archive.outcomes.of(folder, from, from + itemsPerPart),
  ]);
  const outcomes = new Map<number, MergedOutcome>();
  for (const [item, records] of filed) {
    const merged = mergeOutcomes(records);
    if (merged !== null) outcomes.set(item, merged);
  }
  return { items: items ?? [], outcomes };
}

type RefusedLine = Extract<ManifestLine, { kind: 'invalid' | 'unsupported' }>;

function rowOfRefused(line: RefusedLine): FiledRow {
  if (line.erased === true) return erasedRow(line);
  return {
    ...emptyRow,
    issuances: [],
    line: line.line,
    item: null,
    document: line.document,
    type: line.type,
    status: line.kind,
    errorCode: line.code,
    errorCategory: 'input',
    errorMessage: line.message,
    reference: line.reference,
  };
}

function rowOf(line: Exclude<ManifestLine, RefusedLine>, { items, outcomes }: Part): FiledRow {
  const item = items[line.item % itemsPerPart];
  const outcome = outcomes.get(line.item);
  if (item === undefined || outcome === undefined) {
    throw new RangeError(`item ${line.item} of the work has no outcome on file`);
  }
  if (item.erased === true) {
    const { type } = item;
    return erasedRow(line.kind === 'item' ? { ...outcome, ...line, type } : { ...line, type });
  }
  const own = line.kind === 'item' ? item : line;
  const notes = [own.note, outcome.note, earlierIssuances(outcome)];
  return {
    line: line.line,
    item: line.item,
    document: item.document,
    type: item.type,
    status: line.kind === 'item' ? outcome.status : 'duplicate',
    certidaoId: outcome.certidaoId,
    classification: outcome.classification,
    divergent: outcome.divergent,
    officialName: outcome.officialName,
    capturedAt: outcome.capturedAt,
    pdfKey: outcome.pdfKey,
    sha256: outcome.sha256,
    attempts: line.kind === 'item' ? outcome.attempts : 0,
    errorCode: outcome.errorCode,
    errorCategory: outcome.errorCategory,
    errorMessage: outcome.errorMessage,
    reference: own.reference,
    duplicateOf: line.kind === 'duplicate' ? line.duplicateOf : null,
    note: notes.filter((note) => note !== '').join('; '),
    possibleDoubleCharge: outcome.possibleDoubleCharge,
    retryable: outcome.retryable,
    requestedAt: outcome.requestedAt,
    completedAt: outcome.completedAt,
    issuances: outcome.issuances,
  };
}

function earlierIssuances({ issuances, certidaoId }: MergedOutcome): string {
  const others = issuances.filter((id) => id !== certidaoId);
  return others.length === 0 ? '' : `other issuances: ${others.join(' ')}`;
}

/** A line that never was a thing to buy. */
const emptyRow = {
  ...nothingTold,
  certidaoId: null,
  attempts: 0,
  duplicateOf: null,
  note: '',
  possibleDoubleCharge: false,
  requestedAt: null,
} satisfies Partial<FiledRow>;
