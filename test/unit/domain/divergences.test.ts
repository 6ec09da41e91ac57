import { divergencesIn } from '../../../src/domain/investigations/divergences';
import { cnpj, cpf } from '../../support/documents';

const company = cnpj(1);
const owner = cpf(1);
const other = cnpj(2);

const about = (source: string, facts: object, document: string | null = company) => {
  return { source, about: document, facts };
};

test('names that differ stand side by side, each once, with all that state it', () => {
  const found = divergencesIn(
    [company],
    [
      about('a', { officialName: 'Padaria Três Irmãos Ltda.' }),
      about('b', { nome: 'PADARIA TRES IRMAOS LTDA' }),
      about('c', { razao_social: 'PADARIA DOIS IRMAOS LTDA' }),
    ],
  );
  expect(found).toEqual([
    {
      document: company,
      about: 'name',
      values: [
        { value: 'Padaria Três Irmãos Ltda.', sources: ['a', 'b'] },
        { value: 'PADARIA DOIS IRMAOS LTDA', sources: ['c'] },
      ],
    },
  ]);
});

test.each([
  ['accents, case and punctuation', { nome: 'Acai & Cia' }, { nome: 'AÇAÍ CIA.' }],
  ['a name that is told of nobody else', { nome: 'X' }, {}],
  ['a blank', { nome: 'X' }, { nome: ' ' }],
  ['names of others in a list', { nome: 'X' }, { socios: [{ nome: 'Y' }] }],
])('%s are no divergence', (_, one, another) => {
  expect(divergencesIn([company], [about('a', one), about('b', another)])).toEqual([]);
});

test('a row that names the document is about it, wherever it stands', () => {
  const rows = { imoveis: [{ proprietario: { documento: '10.000.001/0001-90', nome: 'Y' } }] };
  expect(company).toBe('10000001000190');
  const found = divergencesIn(
    [company, owner],
    [about('a', { officialName: 'X' }), about('b', rows, owner)],
  );
  expect(found.map(({ document, values }) => [document, values.length])).toEqual([[company, 2]]);
});

test('states that contradict each other are shown, of every document that was asked about', () => {
  const state = (word: string): object => ({ situacao_cadastral: word });
  const found = divergencesIn(
    [company, other, other],
    [about('a', state('ATIVA'), other), about('b', state('BAIXADA'), other)],
  );
  expect(found).toHaveLength(1);
  expect(found[0]).toMatchObject({ document: other, about: 'situation' });
});
