import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { creditCommand } from '../../../src/starters/credit';
import { cnabFile, cnabLines, testReceivable } from '../../support/cnab-files';
import { invoiceXml, testInvoice } from '../../support/invoice-files';
import { zipFile } from '../../support/zip-files';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'diligence-check-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});
afterEach(() => {
  process.exitCode = undefined;
  jest.restoreAllMocks();
});

interface Ended {
  code: typeof process.exitCode;
  output: string;
}

async function check(cnab: Buffer, xmls?: Buffer, ...flags: string[]): Promise<Ended> {
  const paths = { cnab: join(folder, 'file.rem'), xmls: join(folder, 'invoices.zip') };
  await writeFile(paths.cnab, cnab);
  if (xmls !== undefined) await writeFile(paths.xmls, xmls);
  const written: string[] = [];
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
  const zip = xmls === undefined ? [] : ['--xmls', paths.xmls];
  await creditCommand().parseAsync(['check', paths.cnab, ...zip, ...flags], { from: 'user' });
  jest.restoreAllMocks();
  return { code: process.exitCode, output: written.join('').replaceAll(`${folder}/`, '') };
}

const good = cnabFile();
const lines = [...cnabLines()];
const invoice = { name: 'nfe.xml', content: invoiceXml(testInvoice()) };

function fileOf(wanted: readonly string[]): Buffer {
  return Buffer.from(wanted.map((line) => `${line}\n`).join(''), 'latin1');
}

function lineOf(at: number): string {
  return lines[at] ?? '';
}

const doctype = '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>';
const badFiles: [name: string, cnab: Buffer, says: RegExp][] = [
  ['an empty file', Buffer.alloc(0), /is empty/],
  ['blank lines alone', Buffer.from('\r\n\r\n'), /is empty/],
  ['UTF-16', Buffer.from(`\ufeff${lines.join('\n')}`, 'utf16le'), /line 1, columns 1-2: .*UTF-16/],
  [
    'UTF-8 with accents',
    Buffer.from(cnabFile({ assignorName: 'EXPORTAÇÃO' }).toString('latin1')),
    /line 1, columns 54-55: .*400 characters in 402 bytes.*ISO-8859-1/,
  ],
  ['UTF-8 with its mark', Buffer.concat([Buffer.from('\ufeff'), good]), /line 1, columns 1-3: /],
  ['CNAB 240', fileOf(['0', '1', '9'].map((type) => type.padEnd(240))), /CNAB 240/],
  ['CNAB 500', fileOf(['0', '1', '9'].map((type) => type.padEnd(500))), /CNAB 500/],
  [
    'a return file',
    fileOf([lineOf(0).replace('01REMESSA', '02RETORNO')]),
    /columns 1-9: .*retorno/,
  ],
  ['a file cut within a line', good.subarray(0, 1_500), /line 4, columns 298-400: .*cut short/],
  ['a file cut between lines', good.subarray(0, 401 * 4), /line 4, column 1: .*trailer/],
  ['a file without a header', fileOf(lines.slice(1)), /line 1, column 1: .*header/],
  [
    'a gap in the sequence',
    fileOf(lines.toSpliced(2, 1)),
    /line 3, columns 395-400: found|sequence/,
  ],
  ['a line twice', fileOf(lines.toSpliced(2, 0, lineOf(1))), /line 3, columns 395-400: .*"000002"/],
  ['two headers', fileOf(lines.toSpliced(1, 0, lineOf(0))), /line 2, column 1: .*second header/],
  ['two trailers', fileOf([...lines, lineOf(4)]), /line 5, column 1: .*follow a trailer/],
  ['two files in one', Buffer.concat([good, good]), /line 6, column 1: .*joined/],
  [
    'a trailer that miscounts',
    fileOf(lines.with(4, lineOf(4).replace('000005', '000009'))),
    /line 5, columns 395-400: .*"000009", expected "000005"/,
  ],
  [
    'a line too wide',
    fileOf(lines.with(2, `${lineOf(2)}XX`)),
    /line 3, columns 401-402: .*402 columns/,
  ],
  ['a blank line inside', fileOf(lines.toSpliced(2, 0, '')), /line 3: .*blank line/],
  ['no receivable', cnabFile({ receivables: 0 }), /no receivable/],
  [
    'a NUL byte',
    fileOf(lines.with(2, lineOf(2).replace('CTRL', 'CT\0L'))),
    /line 3, column 40: .*NUL/,
  ],
  ['a ZIP in its place', zipFile([invoice]), /--xmls/],
  ['a PDF in its place', Buffer.from('%PDF-1.7\n%\xe2\xe3\n'), /a PDF/],
  ['a spreadsheet', Buffer.from('cnpj;valor\n12;100\n'), /line 1, columns 11-400: .*10 columns/],
];
const badZips: [name: string, zip: Buffer, says: RegExp][] = [
  ['no ZIP', Buffer.from('not a ZIP'), /no ZIP/],
  ['a ZIP cut short', zipFile([invoice]).subarray(0, 300), /cut short/],
  [
    'a ZIP bomb',
    zipFile([{ name: 'bomb.xml', content: Buffer.alloc(3e6) }]),
    /entry bomb\.xml: .*times its size/,
  ],
  ['a path that escapes', zipFile([{ ...invoice, name: '../nfe.xml' }]), /entry \.\.\/nfe\.xml/],
  ['a password', zipFile([{ ...invoice, flags: 1 }]), /entry nfe\.xml: .*password/],
  ['a name twice', zipFile([invoice, invoice]), /entry nfe\.xml: .*same name/],
  ['XML with entities', zipFile([{ name: 'a.xml', content: doctype }]), /entry a\.xml: .*entities/],
  ['XML cut short', zipFile([{ name: 'a.xml', content: '<NFe>' }]), /entry a\.xml: .*cut short/],
  ['a ZIP without any NF-e', zipFile([{ name: 'a.xml', content: '<a/>' }]), /no NF-e at all/],
];

describe('credit check', () => {
  test.each(badFiles)('refuses %s, says where, and ends with 2', async (_, cnab, says) => {
    const { code, output } = await check(cnab);
    expect(output).toMatch(says);
    expect(output).toMatch(/: refused/);
    expect(output).toMatch(/It will not be sent/);
    expect(code).toBe(2);
  });

  test.each(badZips)(
    'refuses %s as invoices, names the entry, and ends with 2',
    async (_, zip, says) => {
      const { code, output } = await check(good, zip);
      expect(output).toMatch(says);
      expect(output).toMatch(/invoices\.zip.*: refused/);
      expect(code).toBe(2);
    },
  );

  test('says what a file is that has nothing wrong in it, and ends with 0', async () => {
    const { code, output } = await check(good);
    expect(output).toContain('Bradesco, CNAB 400; 3 receivables, BRL 3237.57, due 2031-01-01 to');
    expect(output).toContain('5 records (5 of 400 columns), LF, 2005 bytes, sha256 ');
    expect(output).toContain('header: FORNECEDORA EXEMPLO LTDA, written 2026-11-02, file 1');
    expect(output).toMatch(/It may be sent\.\n$/);
    expect(code).toBe(0);
  });

  test('warns and ends with 0', async () => {
    const receivables = [{ ...testReceivable(0), payer: '12345678000100' }];
    const { code, output } = await check(cnabFile({ receivables }));
    expect(output).toContain('line 2, columns 221-234: warning (payer_document): found 12.***');
    expect(output).toContain('see the warnings');
    expect(code).toBe(0);
  });

  test('tells that what is not refused outright can be forced', async () => {
    expect((await check(good.subarray(0, 401 * 4))).output).toContain('--force REASON');
    expect((await check(Buffer.alloc(0))).output).not.toContain('--force');
  });

  test('counts what it does not list', async () => {
    const receivables = Array.from({ length: 30 }, (_, at) => ({
      ...testReceivable(at),
      cents: 0,
    }));
    const { output } = await check(cnabFile({ receivables }));
    expect(output).toContain('and 10 more of value_zero');
  });

  test('gives one JSON document with --json', async () => {
    const { code, output } = await check(good.subarray(0, 1_500), zipFile([invoice]), '--json');
    const document = JSON.parse(output) as Record<string, unknown>;
    expect(document).toMatchObject({
      worst: 'override',
      exitCode: 2,
      layout: 'Bradesco, CNAB 400',
      receivables: 3,
      totalValue: '2079.19',
      counts: { cut_short: 1 },
      findings: [{ level: 'override', code: 'cut_short', line: 4, columns: [298, 400] }],
      invoices: { invoices: 1, findings: [] },
    });
    expect(code).toBe(2);
  });

  test('obeys nothing that the file would have the terminal do', async () => {
    const { output } = await check(cnabFile({ assignorName: 'A\u001b[2JB' }));
    expect(output).not.toContain('\u001b');
    expect(output).toContain('header: A?[2JB');
  });
});
