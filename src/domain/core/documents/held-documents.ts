import type { ManifestRow } from '../../certificates/certificates';
import { documentLengths, isValidCnpj, isValidCpf } from './documents';
import { normaliseDocument } from './read-document';

/**
 * Documents that a file may contain, for the subject index. Better one too many than one too few: an erasure finds
 * only indexed subjects.
 */

/** A longer run of digits is adjacent columns: the layout reads them. */
const longestRun = 20;
const punctuated =
  /(?<!\d)(?:\d{3}\.\d{3}\.\d{3}-?\d{2}|[0-9A-Z]{2}\.[0-9A-Z]{3}\.[0-9A-Z]{3}\\?\/?[0-9A-Z]{4}-?\d{2})(?!\d)/g;
const runOfDigits = /\d{11,}/g;
/** Starts at a letter, which is rare, and looks back: starting at digits takes four times as long. */
const alphanumeric = /[A-Z][0-9A-Z]{1,13}(?<=(?<![0-9A-Z])([0-9A-Z]{12}\d{2}))(?![0-9A-Z])/g;
const invoiceKeys = /(?<!\d)\d{6}([0-9A-Z]{12}\d{2})\d{24}(?!\d)/g;
const tagged =
  /(?:CPF|CNPJ)\w{0,12}["']?\s*[>:=]\s*["']?(\d{11,14}|[0-9A-Z]{12}\d{2})(?![0-9A-Z])/gi;

export function* documentsInText(text: string): Generator<string> {
  for (const [shown] of text.matchAll(punctuated)) {
    yield normaliseDocument(shown.replace('\\', ''));
  }
  for (const [, document = ''] of text.matchAll(tagged)) yield* withoutZeros(document);
  for (const [, issuer = ''] of text.matchAll(invoiceKeys)) yield* withoutZeros(issuer);
  for (const [, run = ''] of text.matchAll(alphanumeric)) if (isValidCnpj(run)) yield run;
  for (const run of new Set(text.match(runOfDigits))) {
    if (run.length <= longestRun) yield* documentsInRun(run);
  }
}

function* documentsInRun(run: string): Generator<string> {
  for (let from = 0; from + 11 <= run.length; from += 1) {
    const [cpf, cnpj] = [run.slice(from, from + 11), run.slice(from, from + 14)];
    if (isValidCpf(cpf)) yield cpf;
    if (isValidCnpj(cnpj)) yield cnpj;
  }
}

/** A CPF in a field for a CNPJ has three zeros in front. */
function* withoutZeros(document: string): Generator<string> {
  yield document;
  if (/^000\d{11}$/.test(document)) yield document.slice(3);
}

const documentColumns = [
  [4, 17],
  [220, 233],
  [221, 234],
  [381, 394],
] as const;
const invoiceKeyColumns = [
  [395, 438],
  [401, 444],
] as const;

/** Documents in those columns of one line of a CNAB 400 or 444 file of any bank: its text may hold others. */
export function* documentsInCnabColumns(line: string): Generator<string> {
  const columns = ([first, last]: readonly [number, number]): string =>
    line.slice(first - 1, last).trim();
  for (const position of documentColumns) {
    const text = columns(position);
    if (/^\d{11}$|^[0-9A-Z]{12}\d{2}$/.test(text) && !/^0*$/.test(text)) yield* withoutZeros(text);
  }
  for (const position of invoiceKeyColumns) {
    const issuer = columns(position).slice(6, 20);
    if (/^[0-9A-Z]{12}\d{2}$/.test(issuer)) yield* withoutZeros(issuer);
  }
}

/**
 * Subjects of a row: its own document, documents in an unreadable cell, shapes of documents in the user's reference;
 * in other user columns, documents with matching check digits, e-mail addresses and phone numbers.
 */
export function documentsOf(row: ManifestRow<string>): string[] {
  if (row.erased) return [];
  const own = 'code' in row ? documentsIn(row.document) : [row.document];
  const others = (row.own ?? []).flatMap((cell) => [...documentsInCell(cell), ...contactsIn(cell)]);
  return [...new Set([...own, ...documentsIn(row.reference), ...others])];
}

/** Such columns hold amounts, dates and codes: a number needs matching check digits. */
function documentsInCell(cell: string): string[] {
  const whole = documentsIn(cell).filter((one) => isValidCpf(one) || isValidCnpj(one));
  return [...whole, ...documentsInText(cell)];
}

/** E-mail addresses in lower case; of a phone number, its digits. */
export function contactsIn(text: string): string[] {
  const digits = phoneDigits(text.trim());
  const addresses = text.toLowerCase().match(/[^\s@,;:<>()[\]"'|]+@[^\s@,;:<>()[\]"'|]+/g) ?? [];
  return digits === null ? addresses : [...addresses, digits];
}

/** Null: not a phone number. Shorter ones are codes or years. */
export function phoneDigits(text: string): string | null {
  const digits = text.replaceAll(/\D/g, '');
  return digits.length >= fewestDigits && /^[\d\s()+./-]+$/.test(text) ? digits : null;
}

/**
 * Documents in free text: each word and, without letters, the whole text, without punctuation; short ones may have
 * lost their zeros.
 */
export function documentsIn(text: string): string[] {
  const shapes = text.match(punctuatedInCell) ?? [];
  const words = [...text.split(/[\s,;|]+/), ...shapes];
  if (!/\p{L}/u.test(text)) words.push(text);
  const found = new Set<string>();
  for (const word of words) {
    const bare = normaliseDocument(word);
    if (isAlphanumeric(bare)) found.add(bare);
    const digits = word.replaceAll(/\D/g, '');
    if (digits.length < fewestDigits) continue;
    for (const length of Object.values(documentLengths)) {
      if (digits.length <= length) found.add(digits.padStart(length, '0'));
    }
  }
  return [...found];
}

const punctuatedInCell =
  /\d{3}[. ]?\d{3}[. ]?\d{3}[- ]?\d{2}(?!\d)|\d{2}[. ]?\d{3}[. ]?\d{3}[/ ]{0,3}\d{4}[- ]?\d{2}(?!\d)/g;

/** Shorter ones are codes or years; a document with more leading zeros has no owner. */
const fewestDigits = 8;

function isAlphanumeric(bare: string): boolean {
  return /^[0-9A-Z]{12}\d{2}$/.test(bare) && /[A-Z]/.test(bare);
}
