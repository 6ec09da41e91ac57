import {
  nothingTold,
  type IssuanceFact,
  type OutcomeRecord,
} from '../../domain/certificates/outcomes';
import type { ToldChange } from '../../domain/monitors/kept';
import type { DecisionRecord } from '../../domain/certificates/work';
import type { StoredRow } from '../core/row-writer';

/**
 * What stands in the place of a record about a person once it was erased: the same shape, so that
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
  return { ...outcome, ...nothingTold, certidaoId: null, requestedAt: null, note: '' };
}

/** Without the issuances of the items; an id that was adopted is that of the only row. */
export function erasedDecision(
  decision: DecisionRecord,
  items: ReadonlySet<number>,
): DecisionRecord {
  const rows = decision.rows.map((row) =>
    items.has(row.item) ? { ...row, certidaoId: null } : row,
  );
  const adopted = decision.rows.some(({ item }) => items.has(item)) ? null : decision.certidaoId;
  return { ...decision, certidaoId: adopted, rows };
}

interface Upload {
  key: string;
  sha256: string;
}

/** The upload is gone, and by its sum a guess of what it held could be proven. */
export function withoutUploads<T>(job: T, gone: ReadonlySet<string>): T {
  const left = Object.entries(job as object).map(([name, value]: [string, unknown]) => {
    const upload = value as Partial<Upload> | null;
    const isGone = typeof upload === 'object' && upload !== null && gone.has(upload.key ?? '');
    return [name, isGone ? { ...upload, sha256: '', key: '' } : value];
  });
  const record = Object.fromEntries(left) as T & { inputKey?: string | null };
  return gone.has(record.inputKey ?? '')
    ? { ...record, inputKey: null, inputSha256: null }
    : record;
}

/** Its answer has changed: the sum would tell what it was. */
export function withoutSum(outcome: object): object {
  const { seen } = outcome as { seen?: object | null };
  if (seen != null) return { ...outcome, seen: { ...seen, sha256: null } };
  return 'sha256' in outcome ? { ...outcome, sha256: null } : outcome;
}

/** What an outcome says of the service's answer, and sums of it. */
const ofAnswer = ['stale', 'coverage', 'risk', 'counts', 'rural', 'result', 'sha256'];

/** How it ended, its ids and what it cost stay; what was reported is gone, and that it was there is said. */
export function withoutAnswer<T extends object>(outcome: T): T {
  const left = blanked(outcome) as T;
  return hadAnswer(outcome) ? { ...left, erased: true } : left;
}

/** Parts of an outcome in which an answer is reported. */
const parts = ['error', 'failure', 'seen', 'files'];

function blanked(outcome: object): object {
  const left = Object.entries(outcome).map(([name, value]: [string, unknown]) => {
    if (ofAnswer.includes(name)) return [name, null];
    if (name === 'filed') return [name, []];
    if (name === 'message') return [name, ''];
    return [name, isObject(value) && parts.includes(name) ? blanked(value) : value];
  });
  return Object.fromEntries(left) as object;
}

function hadAnswer(outcome: object): boolean {
  return Object.entries(outcome).some(([name, value]: [string, unknown]) => {
    if (name === 'filed') return Array.isArray(value) && value.length > 0;
    if (ofAnswer.includes(name)) return value !== null;
    return parts.includes(name) && isObject(value) && hadAnswer(value);
  });
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** What a service reports of its subject. Codes, and when it may be asked again, tell of the request. */
const ofSubject = [
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

/** What the service reported, gone; how it ended and its ids stay, which the fence relies on. */
export function withoutResult<T extends { note: string; certidaoId: string | null }>(record: T): T {
  if (record.certidaoId === null) return record;
  const there = Object.entries(record).filter(([name]) => ofSubject.includes(name));
  if (there.every(([, value]) => value === null)) return record;
  const blank = Object.fromEntries(there.map(([name]) => [name, null]));
  return { ...record, ...blank, note: noted(record.note, 'results erased') };
}

/** The row says where its PDF went; its sum stays. */
export function withoutPdf<T extends { note: string; pdfKey: string | null }>(record: T): T {
  if (record.pdfKey === null) return record;
  return { ...record, pdfKey: null, note: noted(record.note, 'PDF erased') };
}

/** A fact without what is of a class; it says so when there was any. */
export function erasedFact(fact: IssuanceFact, what: 'pdf' | 'results'): IssuanceFact {
  const without = what === 'pdf' ? withoutPdf(fact) : withoutResult(fact);
  return without === fact ? fact : { ...without, erased: true };
}

function noted(note: string, more: string): string {
  const notes = note.split('; ').filter((one) => one !== '' && one !== more);
  return [...notes, more].join('; ');
}
