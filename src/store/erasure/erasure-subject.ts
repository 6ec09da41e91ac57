import type { ManifestRow } from '../../domain/certificates/certificates';
import { documentsIn, documentsInText } from '../../domain/core/documents/held-documents';

const erasedMark = '[erased]';
/** Between the digits of a document as people write it: punctuation, and what nobody sees. */
const between = '[\\s./\\-\\u00ad\\u200b-\\u200f\\u202a-\\u202e\\u2060\\u2066-\\u2069]*';
/** Zeros in front may have been lost; fewer digits than this are not a document's alone. */
const fewestDigits = 8;

/** What was reported of a document, and may be quoted wherever people write. */
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

/** Whom an erasure is about, and how texts quote it. */
export class ErasureSubject {
  readonly document: string;
  readonly #forms: ErasureForms;
  #ids: ReadonlySet<string> = new Set();
  #idWords: ReadonlySet<string> = new Set();
  #quotedIds: readonly RegExp[] = [];
  #quotedNames: readonly RegExp[] = [];

  /** @param document or what was searched for, with its forms */
  constructor(document: string, forms: ErasureForms = documentForms(document)) {
    this.document = document;
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

  /** Whether a line of an input is about the subject, or holds it. */
  holds(row: ManifestRow<string>): boolean {
    if (row.erased || this.is(row.document)) return true;
    return 'code' in row && documentsIn(row.document).includes(this.document);
  }

  /** What was reported about it: people quote that in their notes. */
  takeQuoted({ ids, officialNames }: QuotedWords): void {
    const isWord = (id: string): boolean => /^[\w-]+$/.test(id);
    this.#ids = new Set(ids);
    this.#idWords = new Set(ids.filter(isWord).map((id) => id.toLowerCase()));
    this.#quotedIds = ids.filter((id) => !isWord(id)).map(asPeopleType);
    // Shorter ones are found in every other word.
    this.#quotedNames = officialNames.filter((name) => name.length > 3).map(asPeopleType);
  }

  /** The text of a person without the document, however it is punctuated, its ids and names. */
  scrubNote(text: string): string {
    return without(this.#quotedNames, this.scrubText(text));
  }

  /** Without the document and its ids: another may rightly have the same name. */
  scrubText(text: string): string {
    if (instant.test(text)) return text;
    const bare = this.#withoutInvoiceKeys(without(this.#quotedIds, text));
    const isId = (word: string): boolean => this.#idWords.has(word.toLowerCase());
    const left =
      this.#idWords.size === 0
        ? bare
        : bare.replaceAll(/[\w-]+/g, (word) => (isId(word) ? erasedMark : word));
    return left.replaceAll(this.#forms.quoted, erasedMark);
  }

  /** An id of another's may hold one of the subject's, or differ from it in its case alone. */
  scrubId(id: string): string {
    return this.#ids.has(id) ? erasedMark : id.replaceAll(this.#forms.quoted, erasedMark);
  }

  /** Whether a text names it, as an entry of a list may. */
  isQuotedIn(text: string): boolean {
    for (const document of documentsInText(text)) if (document === this.document) return true;
    return this.scrubText(text) !== text;
  }

  /** The key of an invoice holds its issuer. */
  #withoutInvoiceKeys(text: string): string {
    const issuer = this.document.padStart(14, '0');
    if (!/^[0-9A-Z]{14}$/.test(issuer) || !text.includes(issuer)) return text;
    return text.replaceAll(new RegExp(`(?<!\\d)\\d{6}${issuer}\\d{24}(?!\\d)`, 'g'), erasedMark);
  }
}

const instant = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/;

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
