import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { checkInput } from '../../../src/receivables/check-input';
import { cnabFile, type FileTerms, testReceivable } from '../../support/cnab-files';
import { testToday } from '../../support/cnab-scans';
import { invoiceXml, testInvoice } from '../../support/invoice-files';
import { zipFile } from '../../support/zip-files';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'diligence-input-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

/** A file, and a ZIP with the invoices of these numbers. */
async function check(terms: FileTerms, numbers: readonly number[]) {
  const cnab = join(folder, 'file.rem');
  const xmls = join(folder, 'invoices.zip');
  await writeFile(cnab, cnabFile(terms));
  const entries = numbers.map((number) => ({
    name: `${number}.xml`,
    content: invoiceXml(testInvoice({ number })),
  }));
  await writeFile(xmls, zipFile(entries));
  return checkInput({ cnab, xmls, today: testToday });
}

describe('a CNAB file and its invoices', () => {
  // Two receivables each are instalments of one invoice: the keys of six are those of three.
  const terms: FileTerms = { bank: 'paulista', receivables: 6 };

  test('belong together when each key has its document', async () => {
    const { invoices, worst } = await check(terms, [1, 2, 3]);
    expect(invoices).toMatchObject({ invoices: 3, findings: [] });
    expect(worst).toBe('warn');
  });

  test.each(['paulista', 'itau'] as const)(
    'are told apart where a key has none (%s)',
    async (bank) => {
      const shape = bank === 'itau' ? 'mixed' : 'extended';
      const { invoices } = await check({ ...terms, bank, shape }, [1, 3, 8]);
      expect(invoices?.findings.map(({ code, line, entry }) => [code, line, entry])).toEqual([
        ['invoice_unused', null, '8.xml'],
        ['invoice_missing', 4, null],
        ['invoice_missing', 5, null],
      ]);
      const columns = bank === 'itau' ? [401, 444] : [395, 438];
      expect(invoices?.findings[1]).toMatchObject({ columns, level: 'warn' });
    },
  );

  test('say nothing of each other when the file names no key', async () => {
    const { invoices, worst } = await check({ ...terms, bank: 'itau' }, [1]);
    expect(invoices?.findings).toEqual([]);
    expect(worst).toBeNull();
  });

  test('say nothing of keys when no invoice can be read', async () => {
    const { invoices, worst } = await check(terms, []);
    expect(invoices?.counts).toEqual({ no_invoice: 1 });
    expect(worst).toBe('override');
  });

  test('a receivable without a key is no fault', async () => {
    const receivables = [{ ...testReceivable(0), invoiceKey: null }, testReceivable(2)];
    const { cnab, invoices } = await check({ ...terms, receivables }, [2]);
    expect(cnab).toMatchObject({ receivables: 2, withInvoiceKey: 1 });
    expect(invoices?.findings).toEqual([]);
  });
});
