import { cnabFile, testAssignor, testReceivable, type TestReceivable } from '../support/cnab-files';
import { cnpj } from '../support/documents';
import { invoiceKey, invoiceXml, testInvoice, type TestInvoice } from '../support/invoice-files';
import { zipFile } from '../support/zip-files';
import {
  rulesThatSpoke,
  startCreditCaller,
  type CreditCaller,
} from '../unit/sandbox/credit-caller';

/** Titulos to four sacados, so that none holds more than a quarter of the file. */
function fileWith(change: Partial<TestReceivable>): Buffer {
  const rest = [1, 2, 3].map((index) => ({
    ...testReceivable(index),
    cents: 100_000,
  }));
  const receivables = [{ ...testReceivable(0), cents: 100_000, ...change }, ...rest];
  return cnabFile({ bank: 'paulista', receivables });
}

const keyOfFirst = testReceivable(0).invoiceKey ?? '';
const otherKey = `${keyOfFirst.slice(0, 43)}${(Number(keyOfFirst[43]) + 1) % 10}`;

describe('the rules of the credit sandbox', () => {
  let caller: CreditCaller;
  beforeEach(async () => {
    caller = await startCreditCaller();
  });
  afterEach(() => caller.close());

  test('a sound file is approved by the standard engine', async () => {
    const tree = await caller.treeOf({ file: fileWith({}) });
    expect(rulesThatSpoke(tree)).toEqual([]);
    expect(tree.summary).toMatchObject({ totalTitulos: 4, approved: 4, totalValue: 4000 });
  });

  test.each<[string, Partial<TestReceivable>, object]>([
    ['titulo_vencido', { due: '040126' }, { field: 'dataVencimento', actual: '2026-01-04' }],
    ['vencimento_proximo', { due: '060126' }, { expected: '>= 3 dias', threshold: '3' }],
    ['vencimento_ilegivel', { due: '320126' }, { actual: '320126', expected: 'DDMMAA' }],
    ['valor_minimo', { cents: 999 }, { actual: '9.99', expected: '>= 10', threshold: '10' }],
    ['valor_maximo', { cents: 100_000_001 }, { actual: '1000000.01', threshold: '1000000' }],
    ['nfe_ausente', { invoiceKey: null }, { field: 'nfeChave', actual: '' }],
    ['nfe_chave_invalida', { invoiceKey: otherKey }, { actual: otherKey }],
    ['documento_invalido', { payer: '11222333000199' }, { field: 'cnpjCpf' }],
    ['concentracao_sacado', { cents: 700_000 }, { actual: '70.00', threshold: '60' }],
  ])('%s speaks', async (rule, change, detail) => {
    const engine = { [rule]: {} };
    const tree = await caller.treeOf({ file: fileWith(change) }, engine);
    expect(rulesThatSpoke(tree)).toEqual([rule]);
    const [sacado] = tree.cedente.sacados;
    const [issue] = [...(sacado?.issues ?? []), ...(sacado?.titulos[0]?.issues ?? [])];
    expect(issue?.detail).toMatchObject(detail);
  });

  test('titulo_duplicado speaks at the second, and a repeated key alone is no duplicate', async () => {
    const receivables = [0, 1, 0].map((index) => testReceivable(index));
    const file = cnabFile({ bank: 'paulista', receivables });
    const tree = await caller.treeOf({ file }, { titulo_duplicado: {} });
    expect(tree.cedente.sacados[0]?.titulos.map(({ status }) => status)).toEqual([
      'approved',
      'blocked',
    ]);
    expect(rulesThatSpoke(tree)).toEqual(['titulo_duplicado']);
  });

  test('a document with letters in it is judged by its digits', async () => {
    const tree = await caller.treeOf(
      { file: fileWith({ payer: '12ABC34501DE35' }) },
      { documento_invalido: {} },
    );
    expect(rulesThatSpoke(tree)).toEqual([]);
    expect(tree.cedente.sacados[0]?.cnpjCpf).toBe('12ABC34501DE35');
  });

  test('the document of the cedente is judged too', async () => {
    const file = cnabFile({ bank: 'itau', assignor: '11222333000199' });
    const tree = await caller.treeOf({ file }, { documento_invalido: { severity: 'blocking' } });
    expect(tree.cedente).toMatchObject({ status: 'blocked', issues: [{ status: 'blocked' }] });
    expect(tree.cedente.sacados.every(({ status }) => status === 'approved')).toBe(true);
    expect(tree.summary).toMatchObject({ approved: 3, cedente: { status: 'blocked' } });
  });

  test.each([
    ['alert', 'alerted'],
    ['blocking', 'blocked'],
  ])('a rule of severity %s leaves its titulo %s', async (severity, status) => {
    const tree = await caller.treeOf(
      { file: fileWith({ cents: 1 }) },
      { valor_minimo: { severity } },
    );
    const [titulo] = tree.cedente.sacados[0]?.titulos ?? [];
    expect(titulo).toMatchObject({ status, issues: [{ category: severity, status }] });
  });

  test('a rule that is off, or not in the engine, says nothing', async () => {
    const file = fileWith({ cents: 1, due: '010120' });
    const tree = await caller.treeOf({ file }, { valor_minimo: { enabled: false } });
    expect(rulesThatSpoke(tree)).toEqual([]);
  });

  describe('with the XML of invoices', () => {
    const recipient = testReceivable(0).payer;
    const rules = {
      nfe_ausente: {},
      nfe_nao_encontrada: {},
      nfe_valor_divergente: {},
      nfe_emitente_divergente: {},
      nfe_destinatario_divergente: {},
    };
    const oneTitulo = (change: Partial<TestReceivable> = {}) =>
      cnabFile({ bank: 'paulista', receivables: [{ ...testReceivable(0), ...change }] });
    const treeWith = (invoice: Partial<TestInvoice>, file = oneTitulo()) => {
      const xml = invoiceXml(testInvoice({ recipient, value: '1000.00', ...invoice }));
      return caller.treeOf({ file, xmls: zipFile([{ name: 'nfe/1.XML', content: xml }]) }, rules);
    };

    test('an invoice that fits is content', async () => {
      expect(rulesThatSpoke(await treeWith({}))).toEqual([]);
    });

    test.each<[string, Partial<TestInvoice>, object]>([
      [
        'nfe_nao_encontrada',
        { key: invoiceKey({ issuer: testAssignor.document, number: 9 }) },
        { field: 'nfeChave' },
      ],
      ['nfe_valor_divergente', { value: '999.98' }, { actual: '1000.00', expected: '<= 999.98' }],
      ['nfe_emitente_divergente', { issuer: cnpj(1), key: keyOfFirst }, { actual: cnpj(1) }],
      ['nfe_destinatario_divergente', { recipient: cnpj(2) }, { actual: cnpj(2) }],
    ])('%s speaks, with the XML as its source', async (rule, invoice, detail) => {
      const tree = await treeWith(invoice);
      expect(rulesThatSpoke(tree)).toEqual([rule]);
      expect(tree.cedente.sacados[0]?.titulos[0]?.issues).toMatchObject([
        { ruleId: rule, dataSource: 'nfe_xml', detail },
      ]);
    });

    test('instalments of one invoice are added before they are compared', async () => {
      const halves = [1, 2].map((part) => ({
        ...testReceivable(0),
        number: `1/${part}`,
        cents: 50_001,
      }));
      const file = cnabFile({ bank: 'paulista', receivables: halves });
      const spoke = rulesThatSpoke(await treeWith({ value: '1000.00' }, file));
      expect(spoke).toEqual(['nfe_valor_divergente', 'nfe_valor_divergente']);
    });

    test('a titulo of a 400 file finds its invoice by number and recipient', async () => {
      const receivables = [{ ...testReceivable(0), number: '0001/1' }];
      const tree = await treeWith({}, cnabFile({ bank: 'itau', receivables }));
      expect(rulesThatSpoke(tree)).toEqual([]);
      expect(tree.cedente.sacados[0]?.titulos[0]?.nfeChave).toBe(keyOfFirst);
    });
  });
});
