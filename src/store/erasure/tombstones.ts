import { nothingTold, type IssuanceFact, type OutcomeRecord } from '../../domain/outcomes';
import type { AnalysisOutcome, AnalysisRecord, StoredInput } from '../../domain/credit/work';
import type { ToldChange } from '../../domain/monitors/kept';
import type { DecisionRecord, WorkRecord } from '../../domain/work';
import type { StoredRow } from '../core/row-writer';

/**
 * What stands in the place of a record about a person once it was purged: the same shape, so that
 * every reader goes on, without anything that tells of the person. Counts, attempts and what may
 * have been charged twice stay: they are the installation's books. Each is its own tombstone again.
 */

/** What was erased is a tombstone of the same kind, at the same line. */
export function erasedRow(row: StoredRow): StoredRow {
  const gone = { document: '', reference: '', erased: true } as const;
  if ('code' in row) return { ...row, ...gone, message: '' };
  // The list of a decision names the issuance that it watches.
  const start = row.start && { start: { ...row.start, certidaoId: null } };
  return { ...row, ...gone, ...start, note: '' };
}

/** Instants, severity and who filed it stay: a sweep knows by them that it was filed. */
export function erasedChange<T extends ToldChange>(filed: T): T & { erased: true } {
  const change = { ...filed.change, type: null, statusWord: null, severityWord: null };
  return { ...filed, change, answer: null, erased: true };
}

export function erasedOutcome(outcome: OutcomeRecord): OutcomeRecord {
  return {
    ...outcome,
    ...nothingTold,
    certidaoId: null,
    requestedAt: null,
    note: '',
  };
}

/** Without the issuances of the items; an id that was adopted is that of the only row. */
export function erasedDecision(
  decision: DecisionRecord,
  isErased: (item: number) => boolean,
): DecisionRecord {
  const rows = decision.rows.map((row) =>
    isErased(row.item) ? { ...row, certidaoId: null } : row,
  );
  const adopted = decision.rows.some(({ item }) => isErased(item)) ? null : decision.certidaoId;
  return { ...decision, certidaoId: adopted, rows };
}

/** The upload is gone, and by its sum a guess of what it held could be proven. */
export function erasedWork(record: WorkRecord): WorkRecord {
  return { ...record, inputSha256: null, inputKey: null };
}

/** Its file is gone, and by its sum a guess of what it held could be proven. */
export function erasedInputs(
  record: AnalysisRecord,
  isErased: (input: StoredInput) => boolean,
): AnalysisRecord {
  const left = (input: StoredInput): StoredInput =>
    isErased(input) ? { ...input, sha256: '', key: '' } : input;
  const { cnab, xmls } = record;
  return { ...record, cnab: left(cnab), xmls: xmls && left(xmls) };
}

/** How it ended and its ids stay; what the service told is gone, and that it was there is said. */
export function withoutAnalysis(outcome: AnalysisOutcome): AnalysisOutcome {
  const { operationId, result, error } = outcome;
  const isTold = result !== null || (error !== null && error.message !== '');
  if (operationId === null || !isTold) return outcome;
  return { ...outcome, result: null, error: error && { ...error, message: '' }, purged: true };
}

/** What a service tells of its subject. Codes, and when it may be asked again, tell of the request. */
const toldOfSubject = [
  'completedAt',
  'classification',
  'divergent',
  'officialName',
  'capturedAt',
  'pdfKey',
  'sha256',
  'errorMessage',
  'answer',
];

/** What the service told, gone; how it ended and its ids stay, which the fence relies on. */
export function withoutResult<T extends { note: string; certidaoId: string | null }>(record: T): T {
  if (record.certidaoId === null) return record;
  const there = Object.entries(record).filter(([name]) => toldOfSubject.includes(name));
  if (there.every(([, value]) => value === null)) return record;
  const blank = Object.fromEntries(there.map(([name]) => [name, null]));
  return { ...record, ...blank, note: noted(record.note, 'results purged') };
}

/** The row says where its PDF went; its sum stays. */
export function withoutPdf<T extends { note: string; pdfKey: string | null }>(record: T): T {
  if (record.pdfKey === null) return record;
  return { ...record, pdfKey: null, note: noted(record.note, 'PDF purged') };
}

/** A fact without what is of a class; it says so when there was any. */
export function purgedFact(fact: IssuanceFact, what: 'pdf' | 'results'): IssuanceFact {
  const without = what === 'pdf' ? withoutPdf(fact) : withoutResult(fact);
  return without === fact ? fact : { ...without, purged: true };
}

function noted(note: string, more: string): string {
  const notes = note.split('; ').filter((one) => one !== '' && one !== more);
  return [...notes, more].join('; ');
}
