import * as fc from 'fast-check';
import {
  cnpjCheckDigits,
  cpfCheckDigits,
  isValidCnpj,
  isValidCpf,
  punctuateDocument,
} from '../../src/domain/core/documents/documents';
import { redactText, redactValue } from '../../src/protection/redaction';
import { sized } from '../support/full-size';

const digits = '0123456789';
const lettersToo = `${digits}ABCDEFGHIJKLMNOPQRSTUVWXYZ`;
const textOf = (characters: string, length: number) =>
  fc.string({
    unit: fc.constantFrom(...characters.split('')),
    minLength: length,
    maxLength: length,
  });
const cpf = textOf(digits, 9)
  .map((base) => base + cpfCheckDigits(base))
  .filter(isValidCpf);
const cnpj = textOf(digits, 12)
  .map((base) => base + cnpjCheckDigits(base))
  .filter(isValidCnpj);
const alphanumeric = textOf(lettersToo, 12)
  .map((base) => base + cnpjCheckDigits(base))
  .filter(isValidCnpj);
const written = fc
  .oneof(cpf, cnpj, alphanumeric)
  .chain((document) =>
    fc.constantFrom(
      document,
      punctuateDocument(document),
      punctuateDocument(document).replaceAll(/[./-]/g, ' '),
      punctuateDocument(document).replaceAll('/', '%2F'),
      document.toLowerCase(),
    ),
  );

/** Words, numbers, quotes, line ends: what may stand around a document. */
const word = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'abcdefgçãé'.split('')), minLength: 1, maxLength: 15 }),
  fc.nat({ max: 1e15 }).map(String),
  fc.uuid(),
  fc.constantFrom('CPF', '"', '{"documento":"', "o'", '(', 'R$ 1.234,56', '\n', '—', 'a/b', '#'),
);
const before = fc.constantFrom(' ', '"', '(', ': ', '\n', '/', '=', "'", '\\n', '_', 'cpf=');
const after = fc.constantFrom(' ', '"', ')', '.', ',', ';', '\n', '/', "'", '\\n', '_', '…');
const sentence = fc
  .tuple(fc.array(word, { maxLength: 6 }), before, written, after, fc.array(word, { maxLength: 6 }))
  .map(([start, open, document, close, end]) => ({
    document,
    text: `${start.join(' ')}${open}${document}${close}${end.join(' ')}`,
  }));

/** In milliseconds these have 12 or 13 digits: neither a CPF nor a CNPJ, as one of 11 or 14 may be. */
const instant = fc.date({
  min: new Date('2000-01-01'),
  max: new Date('2200-01-01'),
  noInvalidDate: true,
});
const id = fc.oneof(
  fc.uuid(),
  fc.uuid().map((text) => text.toUpperCase()),
  textOf('0123456789abcdef', 64),
  textOf('0123456789abcdef', 32),
  instant.map((date) => date.toISOString()),
  instant.map((date) => String(date.getTime())),
  fc.nat({ max: 1e9 }).map(String),
  textOf('0123456789abcdef', 32).map((name) => `certificate-batch/${name}/20261121T101530123Z`),
);

describe('redaction', () => {
  it('leaves no document in any sentence, with and without punctuation', () => {
    fc.assert(
      fc.property(sentence, ({ document, text }) => {
        expect(redactText(text)).not.toContain(document);
        expect(JSON.stringify(redactValue({ a: [{ text }] }))).not.toContain(document);
      }),
      { numRuns: sized(600, 3_000) },
    );
  });

  it('touches no id, sum or time', () => {
    fc.assert(
      fc.property(fc.array(id, { minLength: 1, maxLength: 4 }), (ids) => {
        // Commas, since a word of two letters before twelve digits may be a CNPJ.
        const text = `ids: ${ids.join(', ')}; done`;
        expect(redactText(text)).toBe(text);
      }),
      { numRuns: sized(600, 3_000) },
    );
  });

  it('answers a bounded value that JSON can write, whatever it is given', () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withDate: true, withMap: true }), (value) => {
        const first = redactValue(value);
        expect(JSON.stringify(first)?.length ?? 0).toBeLessThan(1_000_000);
      }),
    );
  });
});
