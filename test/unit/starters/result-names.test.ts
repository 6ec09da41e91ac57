import type { StoredResultRow } from '../../../src/domain/certificates/certificates';
import { pdfName } from '../../../src/starters/certificates/rows';

const named = (reference: string, line = 7): string => {
  const row = { line, reference, document: '11222333000181' } as StoredResultRow;
  return pdfName(row, 'pdfs/16285e82.pdf', 'reference');
};

test('a PDF by reference is named by its line, what the user calls it, and the document', () => {
  expect(named('Padaria Pão & Cia.')).toBe('0007_Padaria-Pao-Cia_11222333000181.pdf');
  expect(named('', 12_345)).toBe('12345_11222333000181.pdf');
});

test.each(['../../etc/passwd', 'a\u0000b\nc', 'CON:', '-rf', '日本', ' . ', 'ç'.repeat(500)])(
  'nothing of %j is more than a name of bounded length',
  (reference) => {
    expect(named(reference)).toMatch(
      /^0007_(?:[A-Za-z0-9][A-Za-z0-9-]{0,79}_)?11222333000181\.pdf$/,
    );
  },
);

test('by id no document stands in the name', () => {
  const row = { line: 7, reference: 'x', document: '11222333000181' } as StoredResultRow;
  expect(pdfName(row, 'pdfs/16285e82.pdf', 'id')).toBe('16285e82.pdf');
});
