import {
  documentsInCnabColumns,
  documentsInText,
  documentsOf,
} from '../../../src/domain/core/documents/held-documents';
import { punctuateDocument } from '../../../src/domain/core/documents/documents';
import { cnabLines } from '../../support/cnab-files';
import { cnpj, cpf } from '../../support/documents';
import { invoiceKey } from '../../support/invoice-files';

const company = cnpj(11);
const person = cpf(12);
const wrong = '12345678000100';

test.each([
  ['punctuated', `of ${punctuateDocument(company)}, and`, company],
  ['as JSON escapes it', `"${punctuateDocument(company).replace('/', '\\/')}"`, company],
  ['bare', `x${person}y`, person],
  ['a CPF with zeros in front', `000${person}`, person],
  ['behind a type of two digits', `02${company}`, company],
  ['in the key of an invoice', invoiceKey({ issuer: company, number: 3 }), company],
  ['of a person, in the key of an invoice', invoiceKey({ issuer: person, number: 3 }), person],
  ['with wrong check digits, where it is called one', `{"cnpjCpf": "${wrong}"}`, wrong],
  ['with wrong check digits, in an element', `<CNPJ>${wrong}</CNPJ>`, wrong],
  ['with letters', 'of 12ABC34501DE35 and', '12ABC34501DE35'],
])('finds a document %s', (_, text, document) => {
  expect([...documentsInText(text)]).toContain(document);
});

test('knows whom the other columns of a row tell of, and takes no amount for a document', () => {
  const row = {
    kind: 'item',
    item: 0,
    line: 2,
    type: 'cnpj',
    document: company,
    reference: '',
    note: '',
  } as const;
  const own = [
    `partner ${punctuateDocument(person)}`,
    '191',
    ' 00000000191 ',
    'Ana <Ana.Silva@Example.com>; bia@example.com',
    '+55 (11) 98888-7777',
    'Rua das Flores, 12345678, 20261121',
    '20261121.50 BRL',
  ];
  expect(documentsOf({ ...row, own })).toEqual([
    company,
    person,
    '00000000191',
    '00000000000191',
    'ana.silva@example.com',
    'bia@example.com',
    '5511988887777',
  ]);
});

test('takes no number for a document that is none', () => {
  expect([...documentsInText('sum 12345678901, 20261121, 00000000000, 11111111111111')]).toEqual(
    [],
  );
});

test.each(['bradesco', 'bancoDoBrasil', 'santander', 'paulista'] as const)(
  'finds payer and issuer in a line of %s, whether their check digits agree or not',
  (bank) => {
    const key = invoiceKey({ issuer: company, number: 9 });
    const receivable = {
      payer: wrong,
      payerName: 'X',
      number: '1',
      due: '010131',
      cents: 1,
      invoiceKey: key,
    };
    const [, line = ''] = [...cnabLines({ bank, assignor: company, receivables: [receivable] })];
    const found = [...documentsInCnabColumns(line)];
    expect(found).toContain(wrong);
    if (bank !== 'bradesco') expect(found).toContain(company);
  },
);
