import * as fc from 'fast-check';

import {
  cnpjCheckDigits,
  cpfCheckDigits,
  isValidCnpj,
  isValidCpf,
  maskDocument,
  punctuateDocument,
} from '../../src/domain/core/documents/documents';
import { normaliseDocument, readDocument } from '../../src/domain/core/documents/read-document';
import { anyCharacter } from '../support/any-character';

const digits = '0123456789';
const lettersToo = `${digits}ABCDEFGHIJKLMNOPQRSTUVWXYZ`;
const oneOf = (characters: string) => fc.constantFrom(...characters.split(''));
const textOf = (characters: string, length: number) =>
  fc.string({ unit: oneOf(characters), minLength: length, maxLength: length });

const cpf = textOf(digits, 9)
  .map((base) => base + cpfCheckDigits(base))
  .filter((document) => isValidCpf(document));
const cnpj = textOf(digits, 12)
  .map((base) => base + cnpjCheckDigits(base))
  .filter((document) => isValidCnpj(document));
const alphanumeric = textOf(lettersToo, 12)
  .filter((base) => /[A-Z]/.test(base))
  .map((base) => base + cnpjCheckDigits(base))
  .filter((document) => isValidCnpj(document));

const padding = fc.constantFrom('', ' ', '\u00a0', '\t', '\u200b', '\ufeff');
const written = (document: string) =>
  fc
    .tuple(
      padding,
      fc.constantFrom(
        document,
        punctuateDocument(document),
        punctuateDocument(document).replaceAll(/[./-]/g, ' '),
        punctuateDocument(document).toLowerCase(),
        `'${document}`,
        `="${document}"`,
      ),
      padding,
    )
    .map((parts) => parts.join(''));
const withCell = (documents: fc.Arbitrary<string>) =>
  documents.chain((document) => fc.tuple(fc.constant(document), written(document)));

describe('documents', () => {
  it('with right check digits are read in every punctuation', () => {
    fc.assert(
      fc.property(withCell(cnpj), ([document, cell]) => {
        expect(readDocument(cell, { serves: ['cpf', 'cnpj'] })).toEqual({
          kind: 'document',
          documentType: 'cnpj',
          document,
          note: '',
        });
      }),
    );
    fc.assert(
      fc.property(withCell(cpf), ([document, cell]) => {
        expect(readDocument(cell, { length: 'cpf', serves: ['cpf', 'cnpj'] })).toEqual({
          kind: 'document',
          documentType: 'cpf',
          document,
          note: '',
        });
      }),
    );
  });

  it('with one digit changed are refused', () => {
    const change = fc.tuple(fc.nat(13), fc.integer({ min: 1, max: 9 }));
    fc.assert(
      fc.property(fc.oneof(cpf, cnpj), change, (document, [place, by]) => {
        const at = place % document.length;
        const changed = String((Number(document[at]) + by) % 10);
        const wrong = document.slice(0, at) + changed + document.slice(at + 1);
        const reading = readDocument(punctuateDocument(wrong), { serves: ['cpf', 'cnpj'] });
        // Modulo 11 writes both 10 and 11 as 0, so that a few changes stay unseen.
        if (isValidCpf(wrong) || isValidCnpj(wrong)) fc.pre(false);
        expect(reading.kind).toBe('invalid');
      }),
    );
  });

  it('get back the zeros that were dropped when the column says their length', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('cpf' as const, 'cnpj' as const),
        fc.integer({ min: 1, max: 999_999 }),
        (length, number) => {
          const base = String(number).padStart(length === 'cpf' ? 9 : 12, '0');
          const document = base + (length === 'cpf' ? cpfCheckDigits : cnpjCheckDigits)(base);
          const dropped = document.length - String(Number(document)).length;
          const reading = readDocument(String(Number(document)), {
            length,
            serves: ['cpf', 'cnpj'],
          });
          expect(reading).toMatchObject({
            document,
            note: `${dropped} leading ${dropped === 1 ? 'zero' : 'zeros'} restored`,
          });
        },
      ),
    );
  });

  it('with letters are unsupported, in every punctuation, and never lose them', () => {
    fc.assert(
      fc.property(
        withCell(alphanumeric),
        fc.constantFrom('cpf' as const, 'cnpj' as const, undefined),
        ([document, cell], length) => {
          expect(normaliseDocument(cell)).toBe(document);
          const told = length === undefined ? {} : { length };
          expect(readDocument(cell, { ...told, serves: ['cpf', 'cnpj'] }).kind).toBe('unsupported');
        },
      ),
    );
  });

  it('are valid, of a type that is served, and not in the message, whatever the cell', () => {
    const cells = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.string({ unit: oneOf(`${digits}.-/E+, '"=`) }),
      fc.bigInt({ min: 0n, max: 10n ** 15n }).map(String),
    );
    const expectations = fc.record(
      {
        length: fc.constantFrom('cpf' as const, 'cnpj' as const),
        serves: fc.constantFrom(['cnpj'] as const, ['cpf', 'cnpj'] as const),
      },
      { requiredKeys: ['serves'] },
    );
    fc.assert(
      fc.property(cells, expectations, (cell, expectation) => {
        const reading = readDocument(cell, expectation);
        if (reading.kind === 'document') {
          const { document, documentType } = reading;
          expect(documentType === 'cpf' ? isValidCpf(document) : isValidCnpj(document)).toBe(true);
          expect(expectation.serves).toContain(documentType);
        } else {
          const text = normaliseDocument(cell);
          // A character that no document has is named, by its number too.
          const message = reading.message.replace(/\(U\+[0-9A-F]+\)/, '');
          if (text.length > 3) expect(message).not.toContain(text);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('survive being punctuated, and are masked beyond recognition', () => {
    fc.assert(
      fc.property(fc.oneof(cpf, cnpj, alphanumeric), (document) => {
        expect(normaliseDocument(punctuateDocument(document))).toBe(document);
        const shown = maskDocument(document).replaceAll(/[^0-9A-Z]/g, '');
        expect(shown.length).toBeLessThanOrEqual(6);
      }),
    );
  });
});
