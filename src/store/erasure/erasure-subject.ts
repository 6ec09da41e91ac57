import { phoneDigits } from '../../domain/core/documents/held-documents';
import type { ManifestRow } from '../../domain/certificates/certificates';
import { documentsIn, documentsInText } from '../../domain/core/documents/held-documents';

const erasedMark = '[erased]';
/** Between the digits of a document: punctuation and invisible characters. */
const between = '[\\s./\\-\\u00ad\\u200b-\\u200f\\u202a-\\u202e\\u2060\\u2066-\\u2069]*';
/** Leading zeros may be lost; shorter numbers are not specific to a document. */
const fewestDigits = 8;

/** Reported data of a document that people may quote. */
export interface QuotedWords {
  ids: string[];
  officialNames: string[];
}

export interface ErasureForms {
  is: (text: string) => boolean;
  /** Global: matches quotations of it. */
  quoted: RegExp;
}

export class ErasureSubject {
  readonly document: string;
  readonly #forms: ErasureForms;
  #ids: ReadonlySet<string> = new Set();
  #idWords: ReadonlySet<string> = new Set();
  #quotedIds: readonly RegExp[] = [];
  #quotedNames: readonly RegExp[] = [];

  /** @param document or another search target, with its forms */
  constructor(document: string, forms: ErasureForms = documentForms(document)) {
    this.document = document;
    this.#forms = forms;
  }

  is(text: string): boolean {
    return this.#forms.is(text);
  }

  isNumber(value: number): boolean {
    return Number.isInteger(value) && String(value).replaceAll(this.#forms.quoted, '') === '';
  }

  holds(row: ManifestRow<string>): boolean {
    if (row.erased || this.is(row.document)) return true;
    return 'code' in row && documentsIn(row.document).includes(this.document);
  }

  takeQuoted({ ids, officialNames }: QuotedWords): void {
    const isWord = (id: string): boolean => /^[\w-]+$/.test(id);
    this.#ids = new Set(ids);
    this.#idWords = new Set(ids.filter(isWord).map((id) => id.toLowerCase()));
    this.#quotedIds = ids.filter((id) => !isWord(id)).map(asPeopleType);
    // Shorter names are parts of ordinary words.
    this.#quotedNames = officialNames.filter((name) => name.length > 3).map(asPeopleType);
  }

  /** Removes the document in any punctuation, its ids and names from a person's text. */
  scrubNote(text: string): string {
    return without(this.#quotedNames, this.scrubText(text));
  }

  /** Removes the document and its ids: another subject may have the same name. */
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

  /** Another subject's id may contain this one, or differ in case only. */
  scrubId(id: string): string {
    return this.#ids.has(id) ? erasedMark : id.replaceAll(this.#forms.quoted, erasedMark);
  }

  isQuotedIn(text: string): boolean {
    for (const document of documentsInText(text)) if (document === this.document) return true;
    return this.scrubText(text) !== text;
  }

  /** The key of an invoice contains its issuer. */
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

/** In any case, with any blanks between the words. */
function asPeopleType(words: string): RegExp {
  return new RegExp(literally(words), 'giu');
}

/** As part of a pattern, with any blanks between the words. */
function literally(words: string): string {
  const literal = words.trim().replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  return literal.replaceAll(/\s+/g, '\\s+');
}

function documentForms(document: string): ErasureForms {
  return { is: (text) => text === document, quoted: punctuatedDigits(document) };
}

/** The digits with any punctuation, with or without leading zeros. */
function punctuatedDigits(document: string): RegExp {
  const bare = document.replace(/^0+/, '');
  const needed = bare.length < fewestDigits ? document : bare;
  const digits = needed.split('').join(between);
  const zeros = needed === document ? '' : `(?:0${between}){0,${document.length - needed.length}}`;
  return new RegExp(`(?<![0-9])${zeros}${digits}(?![0-9])`, 'giu');
}

/** A wallet address is this long; a user name hardly ever. */
const distinctiveLength = 20;

/**
 * How a search target is written: an e-mail address in any case, a phone number in any punctuation. A user name
 * counts only where it was the target: elsewhere it may be an ordinary word.
 */
export function targetForms(target: string): ErasureForms {
  const lower = target.toLowerCase();
  const digits = phoneDigits(target);
  if (digits !== null) {
    return { is: (text) => phoneDigits(text) === digits, quoted: punctuatedDigits(digits) };
  }
  if (/^[^\s@]+@[^\s@]+$/.test(target)) {
    return { is: (text) => text.toLowerCase() === lower, quoted: wholeWord(target) };
  }
  const isDistinctive = target.length >= distinctiveLength && !/\s/.test(target);
  return { is: (text) => text === target, quoted: isDistinctive ? wholeWord(target) : never };
}

const never = /(?!)/gu;

function wholeWord(text: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}._%+-])${literally(text)}(?![\\p{L}\\p{N}_-])`, 'giu');
}
