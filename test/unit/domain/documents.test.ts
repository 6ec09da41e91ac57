import {
  cnpjCheckDigits,
  cpfCheckDigits,
  isValidCnpj,
  isValidCpf,
  maskDocument,
  punctuateDocument,
} from '../../../src/domain/core/documents/documents';
import {
  type DocumentExpectation,
  type DocumentReading,
  normaliseDocument,
  readDocument,
} from '../../../src/domain/core/documents/read-document';

const columnCnpj: DocumentExpectation = { length: 'cnpj', serves: ['cpf', 'cnpj'] };
const columnCpf: DocumentExpectation = { length: 'cpf', serves: ['cpf', 'cnpj'] };
const typeCnpj: DocumentExpectation = { serves: ['cnpj'] };
const silent: DocumentExpectation = { serves: ['cpf', 'cnpj'] };

const lastDigitChanged = (document: string): string =>
  document.slice(0, -1) + String((Number(document.slice(-1)) + 1) % 10);

/**
 * The first cell of `n` digits, counting up, with or without each of the two readings. It begins
 * with 4, since the weights of CPF and CNPJ let both hold only for cells that begin with 4 or 7.
 */
function cellOf(n: number, want: { cpf: boolean; cnpj: boolean }): string {
  for (let number = 4 * 10 ** (n - 1); number < 5 * 10 ** (n - 1); number += 1) {
    const cell = String(number);
    const cpf = n <= 11 && isValidCpf(cell.padStart(11, '0'));
    if (cpf === want.cpf && isValidCnpj(cell.padStart(14, '0')) === want.cnpj) return cell;
  }
  throw new Error(`no cell of ${n} digits`);
}

const outcome = (reading: DocumentReading): string =>
  reading.kind === 'document' ? `${reading.documentType} ${reading.note}`.trim() : reading.code;

describe('check digits', () => {
  it('agree for known documents', () => {
    expect(cpfCheckDigits('123456789')).toBe('09');
    expect(cnpjCheckDigits('123456780001')).toBe('95');
    expect(isValidCpf('12345678909')).toBe(true);
    expect(isValidCnpj('00000000000191')).toBe(true);
    expect(isValidCnpj('11222333000181')).toBe(true);
  });

  it('take letters in a CNPJ by their ASCII code less 48', () => {
    expect(cnpjCheckDigits('12ABC34501DE')).toBe('35');
    expect(isValidCnpj('12ABC34501DE35')).toBe(true);
    expect(isValidCnpj('12ABC34501DE36')).toBe(false);
    expect(isValidCnpj('12abc34501de35')).toBe(false);
    expect(isValidCnpj('12ABC34501DEA5')).toBe(false);
  });

  it('do not save a document of one repeated digit', () => {
    for (const digit of '0123456789') {
      expect(isValidCpf(digit.repeat(11))).toBe(false);
      expect(isValidCnpj(digit.repeat(14))).toBe(false);
    }
  });

  it('do not make a document of another length', () => {
    expect(isValidCpf('')).toBe(false);
    expect(isValidCpf('012345678909')).toBe(false);
    expect(isValidCpf('12345678909\n')).toBe(false);
    expect(isValidCnpj('12345678909')).toBe(false);
  });
});

describe('normaliseDocument', () => {
  it('drops punctuation, white space of every kind and invisible marks', () => {
    expect(normaliseDocument('\u00a011.222.333/0001-81\t')).toBe('11222333000181');
    expect(normaliseDocument('\ufeff123\u2009456\u202f789\u200b-09\u202c')).toBe('12345678909');
  });

  it('drops the marks that spreadsheets use for text', () => {
    expect(normaliseDocument("'01234567890")).toBe('01234567890');
    expect(normaliseDocument('="01234567890"')).toBe('01234567890');
  });

  it('keeps letters and everything else', () => {
    expect(normaliseDocument('12.abc.345/01de-35')).toBe('12ABC34501DE35');
    expect(normaliseDocument('1,2+3(4)')).toBe('1,2+3(4)');
    expect(normaliseDocument('12ı34')).toBe('12ı34');
  });
});

describe('readDocument follows its table', () => {
  const goodCnpj = '11222333000181';
  const cells: [string, string, [string, string, string, string]][] = [
    // Column cnpj, column cpf, silent with type cnpj, silent with both.
    ['14 digits, valid', goodCnpj, ['cnpj', 'wrong_length', 'cnpj', 'cnpj']],
    [
      '14 digits, not valid',
      lastDigitChanged(goodCnpj),
      ['wrong_digits', 'wrong_length', 'wrong_digits', 'wrong_digits'],
    ],
    [
      '13 digits, good as CNPJ',
      cellOf(13, { cpf: false, cnpj: true }),
      [
        'cnpj 1 leading zero restored',
        'wrong_length',
        'cnpj 1 leading zero restored',
        'wrong_length',
      ],
    ],
    [
      '12 digits, good as CNPJ',
      cellOf(12, { cpf: false, cnpj: true }),
      [
        'cnpj 2 leading zeros restored',
        'wrong_length',
        'cnpj 2 leading zeros restored',
        'wrong_length',
      ],
    ],
    [
      '11 digits, CPF only',
      cellOf(11, { cpf: true, cnpj: false }),
      ['cpf_not_served', 'cpf', 'cpf_not_served', 'cpf'],
    ],
    [
      '11 digits, CNPJ only',
      cellOf(11, { cpf: false, cnpj: true }),
      [
        'cnpj 3 leading zeros restored',
        'wrong_digits',
        'cnpj 3 leading zeros restored',
        'wrong_digits',
      ],
    ],
    [
      '11 digits, both',
      cellOf(11, { cpf: true, cnpj: true }),
      ['cnpj 3 leading zeros restored', 'cpf', 'ambiguous', 'ambiguous'],
    ],
    [
      '11 digits, neither',
      cellOf(11, { cpf: false, cnpj: false }),
      ['wrong_length', 'wrong_digits', 'wrong_length', 'wrong_digits'],
    ],
    [
      '10 digits, CNPJ only',
      cellOf(10, { cpf: false, cnpj: true }),
      [
        'cnpj 4 leading zeros restored',
        'wrong_length',
        'cnpj 4 leading zeros restored',
        'wrong_length',
      ],
    ],
    [
      '10 digits, CPF only',
      cellOf(10, { cpf: true, cnpj: false }),
      ['wrong_length', 'cpf 1 leading zero restored', 'wrong_length', 'wrong_length'],
    ],
    [
      'fewer digits, both',
      '191',
      [
        'cnpj 11 leading zeros restored',
        'cpf 8 leading zeros restored',
        'cnpj 11 leading zeros restored',
        'ambiguous',
      ],
    ],
    [
      'fewer digits, neither',
      '192',
      ['wrong_length', 'wrong_length', 'wrong_length', 'wrong_length'],
    ],
    [
      '15 digits',
      '123456789012345',
      ['wrong_length', 'wrong_length', 'wrong_length', 'wrong_length'],
    ],
    [
      'an alphanumeric CNPJ',
      '12.abc.345/01DE-35',
      ['alphanumeric_cnpj', 'alphanumeric_cnpj', 'alphanumeric_cnpj', 'alphanumeric_cnpj'],
    ],
  ];

  it.each(cells)('%s (%s)', (_, cell, expected) => {
    const readings = [columnCnpj, columnCpf, typeCnpj, silent].map((expectation) =>
      outcome(readDocument(cell, expectation)),
    );
    expect(readings).toEqual(expected);
  });

  it('takes eleven digits for a CPF only when they are punctuated as one', () => {
    const both = cellOf(11, { cpf: true, cnpj: true });
    expect(outcome(readDocument(punctuateDocument(both), silent))).toBe('cpf');
    expect(outcome(readDocument(punctuateDocument(both), typeCnpj))).toBe('cpf_not_served');
    expect(outcome(readDocument(punctuateDocument(both), columnCnpj))).toBe('cpf_not_served');
  });

  it('takes eleven digits for a CPF only when a zero still stands in front', () => {
    for (let base = 1; ; base += 1) {
      const nine = String(base).padStart(9, '0');
      const document = nine + cpfCheckDigits(nine);
      if (!isValidCnpj(document.padStart(14, '0'))) continue;
      expect(outcome(readDocument(document, silent))).toBe('cpf');
      break;
    }
  });

  it('refuses a CPF that the type does not take, whatever the column says', () => {
    expect(outcome(readDocument('12345678909', { length: 'cpf', serves: ['cnpj'] }))).toBe(
      'cpf_not_served',
    );
  });

  it('tells how a cell could be mended when neither column nor type says its length', () => {
    const thirteen = cellOf(13, { cpf: false, cnpj: true });
    expect(readDocument(thirteen, silent)).toMatchObject({
      message: expect.stringContaining('with 1 leading zero it would be a CNPJ'),
    });
  });
});

describe('readDocument refuses by name', () => {
  it.each([
    ['', 'empty'],
    [' \u00a0 ', 'empty'],
    ['-', 'empty'],
    ['1.12223E+13', 'scientific_notation'],
    ['1,12223E+13', 'scientific_notation'],
    ['1.12223e13', 'scientific_notation'],
    ['11222333000181.0', 'unexpected_character'],
    ['11222333000181,00', 'unexpected_character'],
    ['11222333000181 (matriz)', 'unexpected_character'],
    ['n/a', 'unexpected_character'],
    ['12ABC34501DE', 'unexpected_character'],
    ['１１２２２３３３０００１８１', 'unexpected_character'],
    ['12ABC34501DE36', 'wrong_digits'],
    ['11111111111', 'repeated_digits'],
    ['00000000000000', 'repeated_digits'],
  ])('%j is %s', (cell, code) => {
    expect(outcome(readDocument(cell, silent))).toBe(code);
  });

  it('knows an alphanumeric CNPJ that looks like scientific notation', () => {
    const base = '12345678901E';
    const cell = `${base}-${cnpjCheckDigits(base)}`;
    expect(outcome(readDocument(cell, silent))).toBe('alphanumeric_cnpj');
  });

  it('never reads an alphanumeric CNPJ as the CPF that its digits alone would be', () => {
    for (let count = 0, found = 0; found < 3; count += 1) {
      const base = `A${String(count).padStart(8, '0')}BC7`;
      const cell = base + cnpjCheckDigits(base);
      if (!isValidCpf(cell.replaceAll(/\D/g, ''))) continue;
      found += 1;
      expect(outcome(readDocument(cell, silent))).toBe('alphanumeric_cnpj');
    }
  });
});

describe('documents for people', () => {
  it('are punctuated', () => {
    expect(punctuateDocument('12345678909')).toBe('123.456.789-09');
    expect(punctuateDocument('12345678000195')).toBe('12.345.678/0001-95');
    expect(punctuateDocument('12ABC34501DE35')).toBe('12.ABC.345/01DE-35');
    expect(punctuateDocument('=1+1')).toBe('=1+1');
  });

  it('are masked', () => {
    expect(maskDocument('12345678909')).toBe('***.456.789-**');
    expect(maskDocument('12345678000190')).toBe('12.***.***/****-90');
    expect(maskDocument('12ABC34501DE35')).toBe('12.***.***/****-35');
    expect(maskDocument('123')).toBe('***');
  });
});
