import type { FiledRow, ManifestRow } from '../../domain/certificates';
import { maskDocumentsIn } from '../../protection/redaction';
import { documentsIn } from '../../domain/held-documents';

const erasedMark = '[erased]';
/** Between the digits of a document as people write it: punctuation, and what nobody sees. */
const between = '[\\s./\\-\\u00ad\\u200b-\\u200f\\u202a-\\u202e\\u2060\\u2066-\\u2069]*';
/** Zeros in front may have been lost; fewer digits than this are not a document's alone. */
const fewestDigits = 8;

/** What was told of a document, and may be quoted wherever people write. */
export interface QuotedWords {
  ids: string[];
  officialNames: string[];
}

/** How the subject is written by people and services. */
export interface ErasureForms {
  /** Whether a text is nothing but the subject. */
  is: (text: string) => boolean;
  /** Global: where a text quotes it. */
  quoted: RegExp;
}

/** Whom a purge is about within one work: which of its rows, and what else may quote them. */
export class ErasureSubject {
  readonly document: string;
  readonly name: string;
  readonly items = new Set<number>();
  readonly #lines = new Set<number>();
  readonly #forms: ErasureForms;
  #ids: ReadonlySet<string> = new Set();
  #quotedIds: readonly RegExp[] = [];
  #quotedNames: readonly RegExp[] = [];

  /**
   * @param document or what was searched for, with its forms
   * @param name the document's, of `IdKey.nameOf`
   */
  constructor(document: string, name: string, forms: ErasureForms = documentForms(document)) {
    this.document = document;
    this.name = name;
    this.#forms = forms;
  }

  /** Whether a text is nothing but the subject. */
  is(text: string): boolean {
    return this.#forms.is(text);
  }

  /** Whether a number of JSON is the subject: its zeros in front are lost. */
  isNumber(value: number): boolean {
    return Number.isInteger(value) && String(value).replaceAll(this.#forms.quoted, '') === '';
  }

  /** Learns a row of a work, in their order: lines point at items before them. */
  takeRow(row: ManifestRow<string>): void {
    // A tombstone stays one: outcomes of it may be left from a purge that was cut short.
    if (row.kind === 'item' && (this.is(row.document) || row.erased)) this.items.add(row.item);
    if (this.holds(row)) this.#lines.add(row.line);
  }

  /** What was told about the rows: quoted by people in their notes. */
  takeTold(ids: readonly string[], officialNames: readonly string[]): void {
    this.#ids = new Set(ids);
    this.#quotedIds = ids.map(asPeopleType);
    this.#quotedNames = longEnough(officialNames).map(asPeopleType);
  }

  holds(row: ManifestRow<string>): boolean {
    if ('item' in row) return this.items.has(row.item);
    if (row.erased || this.is(row.document)) return true;
    return documentsIn(row.document).includes(this.document);
  }

  holdsRow(row: Pick<FiledRow, 'line'>): boolean {
    return this.#lines.has(row.line);
  }

  /** The text of a person without the document, however it is punctuated, its ids and names. */
  scrubNote(text: string): string {
    return without(this.#quotedNames, this.#scrubText(text));
  }

  /**
   * The record without quotations: of the document and its issuances anywhere, of its owner's name
   * in notes only, since another row may rightly have the same. The very same when there are none.
   */
  scrub<T>(record: T): T {
    return this.#scrubbed(record, '') as T;
  }

  #scrubbed(value: unknown, field: string): unknown {
    if (typeof value === 'string') {
      // A document of another's, which may differ by a zero in front alone.
      if (field === 'document' && /^\d+$/.test(value) && value !== this.document) return value;
      if (idFields.has(field)) return this.#ids.has(value) ? erasedMark : this.#scrubId(value);
      return field === 'note' ? this.scrubNote(value) : this.#scrubText(value);
    }
    if (Array.isArray(value)) return value.map((one) => this.#scrubbed(one, field));
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value);
    return Object.fromEntries(entries.map(([name, one]) => [name, this.#scrubbed(one, name)]));
  }

  #scrubText(text: string): string {
    return without(this.#quotedIds, text.replaceAll(this.#forms.quoted, erasedMark));
  }

  /** An id of another's may hold one of the subject's, or differ from it in its case alone. */
  #scrubId(id: string): string {
    return id.replaceAll(this.#forms.quoted, erasedMark);
  }
}

/** Why a purge was made is kept for ever, and must not hold what was erased. */
export function reasonOnRecord(
  reason: string,
  subject: ErasureSubject | null,
  { ids, officialNames }: QuotedWords,
): string {
  if (subject !== null) {
    subject.takeTold(ids, officialNames);
    return maskDocumentsIn(subject.scrubNote(reason));
  }
  return maskDocumentsIn(without([...ids, ...longEnough(officialNames)].map(asPeopleType), reason));
}

/** Shorter ones are found in every other word. */
function longEnough(officialNames: readonly string[]): string[] {
  return officialNames.filter((name) => name.length > 3);
}

const idFields = new Set(['certidaoId', 'issuances']);

function without(quotations: readonly RegExp[], text: string): string {
  return quotations.reduce((clean, quoted) => clean.replaceAll(quoted, erasedMark), text);
}

/** In capitals or not, and with any blanks between its words. */
function asPeopleType(words: string): RegExp {
  return new RegExp(literally(words), 'giu');
}

/** As part of a pattern, with any blanks between its words. */
export function literally(words: string): string {
  const literal = words.trim().replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  return literal.replaceAll(/\s+/g, '\\s+');
}

function documentForms(document: string): ErasureForms {
  return { is: (text) => text === document, quoted: punctuatedDigits(document) };
}

/** The digits as people write them, with the zeros in front or without. */
export function punctuatedDigits(document: string): RegExp {
  const bare = document.replace(/^0+/, '');
  const needed = bare.length < fewestDigits ? document : bare;
  const digits = needed.split('').join(between);
  const zeros = needed === document ? '' : `(?:0${between}){0,${document.length - needed.length}}`;
  return new RegExp(`(?<![0-9])${zeros}${digits}(?![0-9])`, 'giu');
}
