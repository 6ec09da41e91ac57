import { cnabFile, testReceivable, type TestReceivable } from '../support/cnab-files';
import { invoiceXml, testInvoice, type TestInvoice } from '../support/invoice-files';
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
    ['valor_minimo', { cents: 999 }, { actual: '9.99', expected: '>= 10', threshold: '10' }],
    ['valor_maximo', { cents: 100_000_001 }, { actual: '1000000.01', threshold: '1000000' }],
    ['nfe_ausente', { invoiceKey: null }, { field: 'nfeChave', actual: '' }],
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
    const treeWith = (invoice: Partial<TestInvoice>, file = fileWith({})) => {
      const xmls = zipFile([{ name: 'nfe/1.XML', content: invoiceXml(testInvoice(invoice)) }]);
      return caller.treeOf({ file, xmls }, { nfe_ausente: {}, nfe_nao_encontrada: {} });
    };
    const one = cnabFile({ bank: 'paulista', receivables: [testReceivable(0)] });

    test('an invoice that fits is content', async () => {
      expect(rulesThatSpoke(await treeWith({ key: keyOfFirst }, one))).toEqual([]);
    });

    test('nfe_nao_encontrada speaks, with the XML as its source', async () => {
      const tree = await treeWith({ number: 9 }, one);
      expect(tree.cedente.sacados[0]?.titulos[0]?.issues).toMatchObject([
        { ruleId: 'nfe_nao_encontrada', dataSource: 'nfe_xml', detail: { actual: keyOfFirst } },
      ]);
    });

    test('the titulos of a 400 file, which have no key, are not looked for', async () => {
      expect(rulesThatSpoke(await treeWith({}, cnabFile({ bank: 'itau' })))).toEqual([]);
    });
  });
});
