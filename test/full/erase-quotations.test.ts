import { documentsIn } from '../../src/domain/core/documents/held-documents';
import { reasonOnRecord } from '../../src/store/erasure/plan';
import { ErasureSubject } from '../../src/store/erasure/erasure-subject';
import { withoutSubject } from '../../src/store/erasure/rewriting';
import { punctuateDocument } from '../../src/domain/core/documents/documents';
import { cnpj, cpf } from '../support/documents';

const company = cnpj(1);
const owner = cpf(1);

it.each([
  punctuateDocument(company),
  `CNPJ ${punctuateDocument(company)} (matriz)`,
  `${owner} ${company}`,
  `${punctuateDocument(owner)};${punctuateDocument(company)}`,
  '10.000.001 / 0001 - 21'.replace(/21$/, company.slice(12)),
  `'${company}`,
])('finds a company in a cell as people type it: %s', (cell) => {
  expect(documentsIn(cell)).toContain(company);
});

it('finds a document that lost the zeros in front, and one with letters', () => {
  expect(documentsIn('12345678909')).toContain('00012345678909');
  expect(documentsIn('12.abc.345/01de-35')).toContain('12ABC34501DE35');
});

it('takes short numbers for what they are', () => {
  expect(documentsIn('R1 2026 pedido 1234567')).toEqual([]);
});

describe('what quotes a document', () => {
  const subject = new ErasureSubject(company);
  subject.takeQuoted({ ids: ['id-1'], officialNames: ['PADARIA TAL LTDA'] });

  it.each([company, punctuateDocument(company), `x${punctuateDocument(company)}y`])(
    'is rid of it: %s',
    (text) => {
      expect(subject.scrubNote(text)).toMatch(/^x?\[erased\]y?$/);
    },
  );

  it('keeps longer numbers, and the documents of others', () => {
    const others = { document: company.replace(/^10/, '11'), reference: `1${company}`, n: [3] };
    expect(withoutSubject(others, subject)).toEqual(others);
    const zeros = new ErasureSubject('00000000000191');
    expect(withoutSubject({ document: '00000000191' }, zeros)).toEqual({ document: '00000000191' });
    expect(withoutSubject({ reference: '00.000.000/0001-91' }, zeros)).toEqual({
      reference: '[erased]',
    });
  });

  it('is rid of ids anywhere, and of names in notes alone', () => {
    const record = { note: 'id-1 of PADARIA TAL LTDA', officialName: 'PADARIA TAL LTDA' };
    expect(withoutSubject(record, subject)).toEqual({
      note: '[erased] of [erased]',
      officialName: 'PADARIA TAL LTDA',
    });
  });

  it.each([company, null])(
    'is rid of what people typed in their own way, erased: %s',
    (document) => {
      const quoted = { ids: ['0A1B.(2)'], officialNames: ['PADARIA TAL LTDA', 'SÁ'] };
      const typed = `Padaria  tal\nLtda asked for 0a1b.(2), sá, ${punctuateDocument(company)}`;
      const left = reasonOnRecord(
        typed,
        document === null ? { kind: 'job', id: 'x' } : { kind: 'document', document },
        quoted,
      );
      expect(left).toMatch(/^\[erased\] asked for \[erased\], sá, /);
      expect(left).not.toContain(punctuateDocument(company));
    },
  );

  it('leaves ids of others alone that differ in their case, or are longer', () => {
    const others = { certidaoId: 'ID-1', issuances: ['id-12'] };
    expect(withoutSubject(others, subject)).toEqual(others);
    expect(withoutSubject({ issuances: ['id-1'] }, subject)).toEqual({ issuances: ['[erased]'] });
  });
});
