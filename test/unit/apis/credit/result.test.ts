import { readAnalysis } from '../../../../src/apis/credit/result.wire';
import { ContractError } from '../../../../src/apis/http/errors';
import type { AnalysedPayer, AnalysedReceivable } from '../../../../src/domain/credit/analysis';

const call = { method: 'GET', pathTemplate: '/v1/operations/{id}/result' };

const titulo = (numero: string, more: object = {}) => ({
  id: `t-${numero}`,
  numero,
  valor: 1234.56,
  dataVencimento: '2031-01-02',
  nfeChave: '',
  status: 'approved',
  issues: [],
  ...more,
});
const issue = {
  ruleId: 'r1',
  ruleName: 'Regra',
  category: 'blocking',
  status: 'blocked',
  message: 'Vencido.',
  detail: { field: 'dataVencimento', actual: 'a', expected: 'e', threshold: 't' },
  dataSource: 'cnab',
};
const sacado = (razaoSocial: string, titulos: object[], more: object = {}) => ({
  titulos,
  id: 's',
  cnpjCpf: '11144477735',
  razaoSocial,
  tipo: 'PF',
  status: 'blocked',
  issues: [],
  ...more,
});
const tree = (sacados: unknown, more: object = {}) => ({
  operationId: 'op',
  engineId: 'en',
  engineName: 'Motor',
  timestamp: '2026-01-05T12:00:00Z',
  cedente: { id: 'c', cnpj: '1', razaoSocial: 'C SA', status: 'alerted', issues: [], sacados },
  summary: { totalTitulos: 3, blockedValue: 9.5, sacados: { total: 2 }, cedente: { status: 'x' } },
  ...more,
});

async function reading(body: unknown, pieceLength = 7) {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const pieces = Array.from({ length: Math.ceil(bytes.length / pieceLength) }, (_, at) =>
    bytes.subarray(at * pieceLength, (at + 1) * pieceLength),
  );
  const receivables: [number, AnalysedReceivable][] = [];
  const payers: [number, AnalysedPayer][] = [];
  const analysis = await readAnalysis(call, pieces, {
    receivable: (receivable, payer) => receivables.push([payer, receivable]),
    payer: (payer, place) => payers.push([place, payer]),
  });
  return { analysis, receivables, payers };
}

const failureOf = async (body: unknown) =>
  (await reading(body).catch((error: unknown) => error)) as ContractError;

it.each([1, 7, 100_000])('hands the tree on as it comes, in pieces of %i bytes', async (length) => {
  const body = tree([
    sacado('ÁGUA', [titulo('1', { status: 'blocked', issues: [issue] }), titulo('2')]),
    sacado('B', []),
    sacado('C', [titulo('3')], { issues: [issue] }),
  ]);
  const { analysis, receivables, payers } = await reading(body, length);
  expect(receivables.map(([payer, { number }]) => [payer, number])).toEqual([
    [0, '1'],
    [0, '2'],
    [2, '3'],
  ]);
  expect(receivables[0]?.[1]).toEqual({
    id: 't-1',
    number: '1',
    value: 1234.56,
    dueOn: '2031-01-02',
    invoiceKey: null,
    status: 'blocked',
    issues: [
      {
        ruleId: 'r1',
        ruleName: 'Regra',
        category: 'blocking',
        status: 'blocked',
        message: 'Vencido.',
        field: 'dataVencimento',
        actual: 'a',
        expected: 'e',
        threshold: 't',
        source: 'cnab',
      },
    ],
  });
  expect(payers.map(([place, { name, kind, document }]) => [place, name, kind, document])).toEqual([
    [0, 'ÁGUA', 'PF', '11144477735'],
    [1, 'B', 'PF', '11144477735'],
    [2, 'C', 'PF', '11144477735'],
  ]);
  expect(payers[2]?.[1].issues).toHaveLength(1);
  expect(analysis).toMatchObject({
    operationId: 'op',
    engineName: 'Motor',
    assignor: { name: 'C SA', status: 'alerted', document: '1' },
    summary: { receivables: 3, blockedValue: 9.5, payers: 2, assignorStatus: 'x', approved: null },
  });
});

it('keeps numbers that stand for texts, texts that stand for numbers, and details in a sentence', async () => {
  const details = [
    { field: 'valor', actual: 10.5, expected: 5, threshold: 0 },
    'valor acima do limite 5',
  ];
  const issues = details.map((detail) => ({ ...issue, detail }));
  const odd = titulo('', { numero: 123, valor: '10.50', nfeChave: 3.5e43, issues });
  const other = titulo('2', { valor: '10,50 BRL' });
  const body = tree([sacado('A', [odd, other])], { summary: { totalValue: '21.00' } });
  const { receivables, analysis } = await reading(body);
  const [[, first] = [], [, second] = []] = receivables;
  expect(first).toMatchObject({ number: '123', value: 10.5, invoiceKey: null });
  expect(first?.issues).toMatchObject([
    { field: 'valor', actual: '10.5', expected: '5', threshold: '0', message: 'Vencido.' },
    { field: null, actual: null, message: 'Vencido. (valor acima do limite 5)' },
  ]);
  expect(second?.value).toBeNull();
  expect(analysis.summary.totalValue).toBe(21);
});

it('bears unknown fields, unknown words, missing values and blank space at the end', async () => {
  const odd = sacado('A', [{ numero: [7], status: 'em_revisao', novo: { valor: [1] } }], {
    novo: [{ titulos: [{}] }],
  });
  const body = `${JSON.stringify(tree([odd], { novo: { sacados: [1] } }))}\n \n`;
  const { receivables } = await reading(body);
  expect(receivables).toEqual([
    [
      0,
      {
        id: null,
        number: null,
        value: null,
        dueOn: null,
        invoiceKey: null,
        status: 'em_revisao',
        issues: [],
      },
    ],
  ]);
});

it.each<[string, unknown, string]>([
  ['nothing', '', 'body'],
  ['no JSON', '<html>', 'body'],
  ['a tree cut short', JSON.stringify(tree([sacado('A', [titulo('1')])])).slice(0, -9), 'body'],
  ['something behind it', `${JSON.stringify(tree([]))}{}`, 'body'],
  ['an array', [], 'body'],
  ['no tree', { status: 'processing' }, 'cedente'],
  ['sacados that are no array', tree({ a: sacado('A', []) }), 'cedente.sacados'],
  ['a sacado without titulos', tree([{ ...sacado('A', []), titulos: undefined }]), 'titulos'],
  ['a titulo without a status', tree([sacado('A', [{ numero: '1' }])]), 'titulos.status'],
  ['issues that are none', tree([sacado('A', [titulo('1', { issues: 'x' })])]), 'titulos.issues'],
])('refuses %s, and quotes nothing of it', async (_, body, place) => {
  const error = await failureOf(body);
  expect(error).toBeInstanceOf(ContractError);
  expect(error.message).toContain(place);
  expect(error.message).not.toMatch(/html|numero|1234|processing/);
});

it('lets what a reader throws pass', async () => {
  const full = new Error('disk full');
  const read = readAnalysis(call, [Buffer.from(JSON.stringify(tree([sacado('A', [])])))], {
    payer: () => {
      throw full;
    },
  });
  await expect(read).rejects.toBe(full);
});
