import {
  alphanumericShape,
  documentLengths,
  isValidCnpj,
  isValidCpf,
  repeatedShape,
  type DocumentType,
} from './documents';

export interface DocumentExpectation {
  /** From the column name (`cpf`, `cnpj`); absent when the name does not say. */
  length?: DocumentType;
  /** Types that the certificate accepts. A single entry implies the length as a column name does. */
  serves: readonly DocumentType[];
}

export type InvalidDocumentCode =
  | 'empty'
  | 'scientific_notation'
  | 'wrong_length'
  | 'wrong_digits'
  | 'repeated_digits'
  | 'ambiguous'
  | 'several_documents'
  | 'cpf_not_served'
  | 'unexpected_character';

export type DocumentReading =
  | {
      kind: 'document';
      documentType: DocumentType;
      document: string;
      /** `2 leading zeros restored`, or '' when the cell was used unchanged. */
      note: string;
    }
  | { kind: 'unsupported'; code: 'alphanumeric_cnpj'; message: string }
  | { kind: 'invalid'; code: InvalidDocumentCode; message: string };

const scientificShape = /^-?\d+(?:[.,]\d+)?E[+-]?\d+$/;
const decimalShape = /^\d+\.0+$/;
const cpfPunctuation = /^\d{3}\.\d{3}\.\d{3}-\d{2}$/;

// Pasted cells contain invisible characters: zero-width ones and marks of text direction.
const invisible = /[\s\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069]/gu;

const dashes = /[\p{Pd}\u2212]/gu;
const label =
  /^\s*(?:(?:c\.?p\.?f|c\.?n\.?p\.?j|cgc|doc(?:umento)?)\b[\s./]*)+(?:(?:n[º°o.]+|mf)\s*)?[:\s.-]*/i;
const wholeDocuments =
  /(?<!\d)(?:\d{2}\.?\d{3}\.?\d{3}\/?\d{4}-?\d{2}|\d{3}\.?\d{3}\.?\d{3}-?\d{2})(?!\d)/g;

/**
 * The cell in upper case without `. / -`, white space, invisible characters, and the two marks
 * spreadsheets use for text (a leading apostrophe, `="..."`). Everything else stays, letters above
 * all: an alphanumeric CNPJ without its letters can have the shape of a CPF.
 */
export function normaliseDocument(cell: string): string {
  return withoutTextMark(cell).replaceAll(/[./-]/g, '');
}

/**
 * Reads one cell; a name before the document (`CNPJ: `) is left out, and any dash is one. `n` is its number of digits; "as CNPJ" and "as CPF" below mean: with zeros in
 * front up to 14 or 11, check digits agreeing.
 *
 * | cell | column says cnpj | column says cpf | column silent, type takes CNPJ only | column silent, type takes both |
 * |---|---|---|---|---|
 * | n = 14, valid | CNPJ | wrong_length | CNPJ | CNPJ |
 * | n = 14, not valid | wrong_digits | wrong_length | wrong_digits | wrong_digits |
 * | n = 12, 13, good as CNPJ | CNPJ, restored | wrong_length | CNPJ, restored | wrong_length with a hint |
 * | n = 11, valid CPF only | cpf_not_served | CPF | cpf_not_served | CPF |
 * | n = 11, good as CNPJ only | CNPJ, restored | wrong_digits | CNPJ, restored | wrong_digits with a hint |
 * | n = 11, both | CNPJ, restored | CPF | ambiguous | ambiguous |
 * | n = 11, neither | wrong_length | wrong_digits | wrong_length | wrong_digits |
 * | n < 11, good as CNPJ only | CNPJ, restored | wrong_length | CNPJ, restored | wrong_length with a hint |
 * | n < 11, good as CPF only | wrong_length | CPF, restored | wrong_length | wrong_length with a hint |
 * | n < 11, both | CNPJ, restored | CPF, restored | CNPJ, restored | ambiguous |
 * | any other n | wrong_length | wrong_length | wrong_length | wrong_length |
 *
 * Eleven digits punctuated as a CPF, or with a zero still in front, were never a number that lost
 * its zeros: they are read as a CPF only. A CPF that the type does not take is `cpf_not_served`
 * whatever the column says. A repeated digit at full length is `repeated_digits`. An alphanumeric
 * CNPJ with the right check digits is `unsupported` everywhere.
 */
export function readDocument(written: string, expectation: DocumentExpectation): DocumentReading {
  const cell = written.replaceAll(dashes, '-').replace(label, '');
  if ((cell.match(wholeDocuments)?.length ?? 0) > 1) {
    const message = 'The cell has more than one document: put each on a line of its own.';
    return invalid('several_documents', message);
  }
  const text = normaliseDocument(cell);
  if (text === '') return invalid('empty', 'The cell has no document.');
  if (/[A-Z]/.test(text) && isValidCnpj(text)) {
    return {
      kind: 'unsupported',
      code: 'alphanumeric_cnpj',
      message: 'This is an alphanumeric CNPJ, which the service does not take yet.',
    };
  }
  const marked = withoutTextMark(cell);
  if (scientificShape.test(marked)) {
    return invalid(
      'scientific_notation',
      'The spreadsheet turned the document into scientific notation and its last digits are lost: type it again as text.',
    );
  }
  if (decimalShape.test(marked)) {
    return invalid(
      'unexpected_character',
      'The cell is a decimal number: write the document as text, without decimal places.',
    );
  }
  if (!/^\d+$/.test(text)) return strangeCharacter(text);
  return readDigits(text, marked, expectation);
}

function readDigits(
  digits: string,
  written: string,
  { length: reported, serves }: DocumentExpectation,
): DocumentReading {
  const n = digits.length;
  if (reported === 'cpf' || (serves.length === 1 && serves[0] === 'cpf')) {
    return readAsCpf(digits, serves);
  }
  if (n === 14) {
    return isValidCnpj(digits) ? found('cnpj', digits, 0) : wrongDigits(digits, 'CNPJ');
  }
  if (n > 14) return wrongLength(n, 'a CNPJ has 14');

  const isCpf = isValidCpf(digits);
  const onlyCpf = isCpf && (cpfPunctuation.test(written) || digits.startsWith('0'));
  const asCnpj = !onlyCpf && isValidCnpj(digits.padStart(14, '0'));
  if (isCpf && asCnpj && reported === undefined) return ambiguous();
  if (reported === 'cnpj' || !serves.includes('cpf')) {
    if (asCnpj) return found('cnpj', digits, 14 - n);
    if (isCpf) return cpfNotServed(serves);
    return wrongLength(n, 'a CNPJ has 14, and zeros in front do not make its check digits agree');
  }
  return isCpf ? found('cpf', digits, 0) : readUnlabelled(digits, asCnpj);
}

function readAsCpf(digits: string, serves: readonly DocumentType[]): DocumentReading {
  const n = digits.length;
  if (n > 11) return wrongLength(n, 'the column is for CPF, which has 11');
  const padded = digits.padStart(11, '0');
  if (isValidCpf(padded)) {
    return serves.includes('cpf') ? found('cpf', padded, 11 - n) : cpfNotServed(serves);
  }
  return n === 11
    ? wrongDigits(digits, 'CPF')
    : wrongLength(n, 'a CPF has 11, and zeros in front do not make its check digits agree');
}

/** Too short for a CNPJ, not only a CPF, and neither column nor type decides. */
function readUnlabelled(digits: string, asCnpj: boolean): DocumentReading {
  const n = digits.length;
  const asCpf = n <= 11 && isValidCpf(digits.padStart(11, '0'));
  if (asCnpj && asCpf) return ambiguous();
  if (!asCnpj && !asCpf) {
    return n === 11 ? wrongDigits(digits, 'CPF') : wrongLength(n, 'a CPF has 11 and a CNPJ 14');
  }
  const name = asCnpj ? 'cnpj' : 'cpf';
  const missing = leadingZeros(documentLengths[name] - n);
  const hint = `with ${missing} it would be a ${name.toUpperCase()}: use a column named ${name} if that is what it is`;
  return n === 11
    ? invalid('wrong_digits', `The check digits of this CPF do not agree; ${hint}.`)
    : wrongLength(n, hint);
}

function withoutTextMark(cell: string): string {
  const bare = cell.replaceAll(invisible, '');
  const unmarked = /^="(.*)"$/.exec(bare)?.[1] ?? bare.replace(/^'/, '');
  // ASCII only: toUpperCase would turn foreign letters into ones a CNPJ may hold.
  return unmarked.replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase());
}

function found(documentType: DocumentType, digits: string, restored: number): DocumentReading {
  return {
    kind: 'document',
    documentType,
    document: digits.padStart(documentLengths[documentType], '0'),
    note: restored === 0 ? '' : `${leadingZeros(restored)} restored`,
  };
}

function leadingZeros(count: number): string {
  return count === 1 ? '1 leading zero' : `${count} leading zeros`;
}

function invalid(code: InvalidDocumentCode, message: string): DocumentReading {
  return { kind: 'invalid', code, message };
}

function wrongLength(n: number, why: string): DocumentReading {
  return invalid('wrong_length', `The cell has ${n} ${n === 1 ? 'digit' : 'digits'}: ${why}.`);
}

function wrongDigits(digits: string, name: 'CPF' | 'CNPJ'): DocumentReading {
  return repeatedShape.test(digits)
    ? invalid('repeated_digits', `The cell repeats one digit: it is not a ${name}.`)
    : invalid('wrong_digits', `The check digits of this ${name} do not agree.`);
}

function ambiguous(): DocumentReading {
  return invalid(
    'ambiguous',
    'The cell reads both as a CPF and as a CNPJ that lost its leading zeros: write it with its punctuation, or use a column named cpf or cnpj.',
  );
}

function cpfNotServed(serves: readonly DocumentType[]): DocumentReading {
  return invalid(
    'cpf_not_served',
    serves.includes('cpf')
      ? 'The cell is a CPF and its column is for CNPJ: use a column named documento.'
      : 'The cell is a CPF and this certificate is issued for a CNPJ only.',
  );
}

function strangeCharacter(text: string): DocumentReading {
  if (alphanumericShape.test(text)) {
    return invalid('wrong_digits', 'The check digits of this alphanumeric CNPJ do not agree.');
  }
  if (/^[0-9A-Z]+$/.test(text)) {
    return invalid(
      'unexpected_character',
      'The cell has letters, and is not an alphanumeric CNPJ (14 places, the last two digits).',
    );
  }
  const strange = /[^0-9A-Z]/u.exec(text)?.[0] ?? '';
  const code = (strange.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  const shown = /[\p{L}\p{P}\p{S}]/u.test(strange) ? `"${strange}" (U+${code})` : `U+${code}`;
  return invalid('unexpected_character', `The cell has a character no document has: ${shown}.`);
}
