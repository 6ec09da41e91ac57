import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { documentsInCnab } from '../../../src/receivables/held-documents';
import { readInvoiceZip } from '../../../src/receivables/invoice-zip';
import { cnabFile } from '../../support/cnab-files';
import { cnpj, cpf } from '../../support/documents';
import { invoiceXml, testInvoice } from '../../support/invoice-files';
import { zipFile } from '../../support/zip-files';
import { sized } from '../../support/full-size';

let folder: string;
let path: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'diligence-held-'));
  path = join(folder, 'input');
});
afterAll(() => rm(folder, { recursive: true }));

async function found(
  content: Buffer,
  documentsIn: (path: string) => AsyncGenerator<string>,
): Promise<Set<string>> {
  await writeFile(path, content);
  const documents = new Set<string>();
  for await (const document of documentsIn(path)) documents.add(document);
  return documents;
}

describe('of a CNAB file', () => {
  test('megabytes of zero bytes behind the trailer are looked at once', async () => {
    const file = cnabFile({ receivables: 3 });
    const plain = await found(file, documentsInCnab);
    const behind = Buffer.concat([
      Buffer.alloc(sized(2 ** 22, 2 ** 24)),
      Buffer.from(` ${cpf(3)} `),
    ]);
    const padded = await found(Buffer.concat([file, behind]), documentsInCnab);
    expect(plain.size).toBeGreaterThan(0);
    expect(padded).toEqual(new Set([...plain, cpf(3)]));
  });

  test('a document of a line without end is found wherever a piece of it ends', async () => {
    const chunk = 65_536;
    for (let before = chunk - 20; before <= chunk + 2; before += 1) {
      const line = Buffer.from(`${' '.repeat(before)}${cnpj(9)}${' '.repeat(9_000)}`);
      expect(await found(line, documentsInCnab)).toContain(cnpj(9));
    }
  });
});

describe('of a ZIP of invoices', () => {
  const invoice = testInvoice({ recipient: cpf(7) });

  test.each([
    ['encrypted', { flags: 1 }],
    ['packed by another method', { method: 9 }],
  ])('what a system left in it, %s, is passed over as the check does', async (_, oddity) => {
    const zip = zipFile([
      { name: '1.xml', content: invoiceXml(invoice) },
      { name: '__MACOSX/._1.xml', content: 'abc', ...oddity },
    ]);
    await writeFile(path, zip);
    const read = await readInvoiceZip(path);
    expect([...read.documents]).toContain(cpf(7));
    expect(read.findings.list()).toEqual([]);
  });
});
