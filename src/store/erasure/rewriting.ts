import { normaliseDocument } from '../../domain/core/documents/read-document';
import type { ErasureSubject } from './erasure-subject';

/** What an erasure leaves of a service's response. Default: of our record, where only texts quote. */
export interface AnswerShape {
  about?: readonly string[];
  /** Fields that stay: amounts and statuses that sums need, and lists of such objects. */
  stays?: readonly string[];
  /** Removes list entries, and values under a key, that name the subject. */
  drops?: true;
}

type Entry = Readonly<Record<string, unknown>>;

/** Ids of the service: one may contain another, or differ in case only. */
const ids = new Set(['certidaoId', 'externalId', 'issuances']);
/** Texts of people and services: they may quote a name. */
const sentences = new Set(
  'note message actual expected threshold label name file inputName directory refused sameAs forced engine statusWord contradictions'.split(
    ' ',
  ),
);

/** JSON without the subject: its object is emptied, a quotation becomes `[erased]`. Idempotent. */
export function withoutSubject<T>(value: T, subject: ErasureSubject, shape: AnswerShape = {}): T {
  return rewritten(value, '', subject, shape) as T;
}

function rewritten(
  value: unknown,
  field: string,
  subject: ErasureSubject,
  shape: AnswerShape,
): unknown {
  if (typeof value === 'string') return scrubbed(value, field, subject);
  const isAnswer = shape.about !== undefined || shape.drops === true;
  if (typeof value === 'number') return isAnswer && subject.isNumber(value) ? null : value;
  if (Array.isArray(value)) {
    const left = value.filter(
      (one) => !(shape.drops && isEntry(one) && isNamedIn(withoutLists(one), subject)),
    );
    return left.map((one) => rewritten(one, field, subject, shape));
  }
  if (!isEntry(value)) return value;
  if (shape.about?.some((name) => isSame(subject.document, value[name])))
    return tombstone(value, new Set(shape.stays));
  const entries = Object.entries(value)
    .filter(([name]) => !shape.drops || subject.scrubText(name) === name)
    .map(([name, one]) => [name, rewritten(one, name, subject, shape)]);
  return Object.fromEntries(entries);
}

function scrubbed(text: string, field: string, subject: ErasureSubject): string {
  // Another document, which may differ by a leading zero only.
  if (field === 'document' && /^\d+$/.test(text) && text !== subject.document) return text;
  if (ids.has(field)) return subject.scrubId(text);
  return sentences.has(field) ? subject.scrubNote(text) : subject.scrubText(text);
}

function tombstone(entity: Entry, stays: ReadonlySet<string>): Entry {
  const left = Object.entries(entity).map(([name, value]) => {
    if (!Array.isArray(value)) return [name, stays.has(name) ? value : null];
    return [name, stays.has(name) ? value.filter(isEntry).map((one) => tombstone(one, stays)) : []];
  });
  return Object.fromEntries(left) as Entry;
}

export function isNamedIn(record: unknown, subject: ErasureSubject): boolean {
  return subject.isQuotedIn(JSON.stringify(record) ?? '');
}

/** Ignores punctuation and leading zeros; text or number. */
export function isSame(document: string, written: unknown): boolean {
  if (typeof written !== 'string' && typeof written !== 'number') return false;
  const bare = normaliseDocument(String(written));
  // Smaller numbers are amounts.
  if (bare === '' || (typeof written === 'number' && bare.length < 8)) return false;
  const width = Math.max(bare.length, document.length);
  return bare.padStart(width, '0') === document.padStart(width, '0');
}

function isEntry(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Nested list entries are handled separately. */
function withoutLists(value: unknown): unknown {
  if (!isEntry(value)) return Array.isArray(value) ? [] : value;
  const entries = Object.entries(value).map(([field, one]) => [field, withoutLists(one)]);
  return Object.fromEntries(entries);
}
