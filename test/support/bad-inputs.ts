import { gzipSync } from 'node:zlib';
import { cnabFile, cnabLines } from './cnab-files';
import { invoiceXml, testInvoice } from './invoice-files';
import { zipFile, type TestEntry } from './zip-files';

/** A file that the service must never get, and what the refusal says of it. */
export interface BadInput {
  name: string;
  cnab: Buffer;
  zip?: Buffer;
  /** With the place: line and columns, or the entry of the ZIP. */
  says: RegExp;
  /** Nothing in it has a place of its own. */
  isWhole?: true;
}

const good = cnabFile();
const lines = [...cnabLines()];
const extended = [...cnabLines({ bank: 'paulista' })];
const invoice: TestEntry = { name: 'nfe.xml', content: invoiceXml(testInvoice()) };

export const goodCnab = good;
export const goodZip = zipFile([invoice]);

function fileOf(wanted: readonly string[], lineEnd = '\n'): Buffer {
  return Buffer.from(wanted.map((line) => `${line}${lineEnd}`).join(''), 'latin1');
}

function lineOf(at: number, of: readonly string[] = lines): string {
  return of[at] ?? '';
}

function widened(width: number): Buffer {
  return fileOf(lines.map((line) => line.slice(0, width).padEnd(width)));
}

const utf16 = Buffer.from(lines.join('\n'), 'utf16le');

export const badFiles: readonly BadInput[] = [
  { name: 'an empty file', cnab: Buffer.alloc(0), says: /is empty/, isWhole: true },
  { name: 'blank lines alone', cnab: Buffer.from('\r\n\r\n'), says: /is empty/, isWhole: true },
  {
    name: 'UTF-16 with its mark',
    cnab: Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]),
    says: /line 1, columns 1-2: .*UTF-16/,
  },
  {
    name: 'UTF-16 the other way round, without its mark',
    cnab: Buffer.from(utf16).swap16(),
    says: /line 1, columns 1-2: .*UTF-16/,
  },
  {
    name: 'UTF-8 with accents',
    cnab: Buffer.from(cnabFile({ assignorName: 'EXPORTAÇÃO' }).toString('latin1')),
    says: /line 1, columns 54-55: .*400 characters in 402 bytes.*ISO-8859-1/,
  },
  {
    name: 'UTF-8 with its mark',
    cnab: Buffer.concat([Buffer.from('\ufeff'), good]),
    says: /line 1, columns 1-3: .*UTF-8/,
  },
  { name: 'CNAB 240', cnab: widened(240), says: /line 1, columns 1-240: .*CNAB 240/ },
  { name: 'CNAB 500', cnab: widened(500), says: /line 1, columns 1-500: .*CNAB 500/ },
  {
    name: 'a return file',
    cnab: fileOf([lineOf(0).replace('01REMESSA', '02RETORNO'), ...lines.slice(1)]),
    says: /line 1, columns 1-9: .*retorno/,
  },
  {
    name: 'a file cut within a line',
    cnab: good.subarray(0, 1_500),
    says: /line 4, columns 298-400: .*cut short/,
  },
  {
    name: 'a file cut between lines',
    cnab: good.subarray(0, 401 * 4),
    says: /line 4, column 1: .*trailer/,
  },
  {
    name: 'a file without a header',
    cnab: fileOf(lines.slice(1)),
    says: /line 1, column 1: .*header/,
  },
  {
    name: 'a gap in the sequence',
    cnab: fileOf(lines.toSpliced(2, 1)),
    says: /line 3, columns 395-400: .*"000004", expected "000003"/,
  },
  {
    name: 'a gap in the sequence of 444 columns',
    cnab: fileOf(extended.toSpliced(2, 1)),
    says: /line 3, columns 439-444: .*"000004", expected "000003"/,
  },
  {
    name: 'a line twice',
    cnab: fileOf(lines.toSpliced(2, 0, lineOf(1))),
    says: /line 3, columns 395-400: .*"000002"/,
  },
  {
    name: 'two headers',
    cnab: fileOf(lines.toSpliced(1, 0, lineOf(0))),
    says: /line 2, column 1: .*second header/,
  },
  {
    name: 'two trailers',
    cnab: fileOf([...lines, lineOf(4)]),
    says: /line 5, column 1: .*follow a trailer/,
  },
  {
    name: 'two files in one',
    cnab: Buffer.concat([good, good]),
    says: /line 6, column 1: .*joined/,
  },
  {
    name: 'a trailer that miscounts',
    cnab: fileOf(lines.with(4, lineOf(4).replace('000005', '000009'))),
    says: /line 5, columns 395-400: .*"000009", expected "000005"/,
  },
  {
    name: 'a line too wide',
    cnab: fileOf(lines.with(2, `${lineOf(2)}XX`)),
    says: /line 3, columns 401-402: .*402 columns/,
  },
  {
    name: 'a line too narrow',
    cnab: fileOf(lines.with(2, lineOf(2).replace('RUA ', 'R '))),
    says: /line 3, columns 399-400: .*398 columns/,
  },
  {
    name: 'a file without line ends',
    cnab: fileOf(lines, ''),
    says: /line 1, columns 401-2000: .*2000 columns/,
  },
  {
    name: 'a blank line inside',
    cnab: fileOf(lines.toSpliced(2, 0, '')),
    says: /line 3, column 1: .*blank line/,
  },
  {
    name: 'no receivable',
    cnab: cnabFile({ receivables: 0 }),
    says: /line 2, column 1: .*no receivable/,
  },
  {
    name: 'a NUL byte',
    cnab: fileOf(lines.with(2, lineOf(2).replace('CTRL', 'CT\0L'))),
    says: /line 3, column 40: .*NUL/,
  },
  { name: 'a ZIP in its place', cnab: goodZip, says: /line 1, column 1: .*--xmls/ },
  {
    name: 'a PDF in its place',
    cnab: Buffer.from('%PDF-1.7\n%\xe2\xe3\n', 'latin1'),
    says: /line 1, column 1: .*a PDF/,
  },
  {
    name: 'an old workbook in its place',
    cnab: Buffer.from('d0cf11e0a1b11ae1', 'hex'),
    says: /line 1, column 1: .*an old Office file/,
  },
  {
    name: 'an XML document in its place',
    cnab: Buffer.from(invoiceXml(testInvoice())),
    says: /line 1, column 1: .*an XML document/,
  },
  { name: 'a packed file', cnab: gzipSync(good), says: /line 1, column 1: .*a gzip file/ },
  {
    name: 'a spreadsheet',
    cnab: Buffer.from('cnpj;valor\n12;100\n'),
    says: /line 1, columns 11-400: .*10 columns/,
  },
];

const doctype = '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>';

const zips: readonly Omit<BadInput, 'cnab'>[] = [
  { name: 'no ZIP', zip: Buffer.from('not a ZIP'), says: /no ZIP/, isWhole: true },
  { name: 'an empty ZIP file', zip: Buffer.alloc(0), says: /an empty file/, isWhole: true },
  {
    name: 'another kind of store',
    zip: Buffer.from('Rar!\x1a\x07\x00', 'latin1'),
    says: /a RAR file/,
    isWhole: true,
  },
  { name: 'a ZIP cut short', zip: goodZip.subarray(0, 300), says: /cut short/, isWhole: true },
  {
    name: 'a ZIP bomb',
    zip: zipFile([{ name: 'bomb.xml', content: Buffer.alloc(3e6) }]),
    says: /entry bomb\.xml: .*times its size/,
  },
  {
    name: 'a ZIP bomb that hides its size',
    zip: zipFile([{ name: 'bomb.xml', content: Buffer.alloc(3e6, 32), told: { size: 900 } }]),
    says: /entry bomb\.xml: .*damaged/,
  },
  {
    name: 'an entry too large',
    zip: zipFile([{ ...invoice, told: { size: 17 * 2 ** 20, packedSize: 2 ** 20 } }]),
    says: /entry nfe\.xml: .*unpacks to 17825792 bytes/,
  },
  {
    name: 'entries that share their bytes',
    zip: zipFile([
      { ...invoice, name: 'a.xml' },
      { ...invoice, name: 'b.xml', at: 0, told: { packedSize: 5_000 } },
    ]),
    says: /entry b\.xml: .*overlap/,
  },
  {
    name: 'a path that escapes',
    zip: zipFile([{ ...invoice, name: '../nfe.xml' }]),
    says: /entry \.\.\/nfe\.xml: .*elsewhere/,
  },
  {
    name: 'a path from the root',
    zip: zipFile([{ ...invoice, name: '/etc/nfe.xml' }]),
    says: /entry \/etc\/nfe\.xml: .*elsewhere/,
  },
  {
    name: 'a path to a drive',
    zip: zipFile([{ ...invoice, name: 'C:/nfe.xml' }]),
    says: /entry C:\/nfe\.xml: .*elsewhere/,
  },
  {
    name: 'a symbolic link',
    zip: zipFile([{ name: 'nfe.xml', content: '/etc/hosts', mode: 0o120777 }]),
    says: /entry nfe\.xml: .*a symbolic link/,
  },
  {
    name: 'a password',
    zip: zipFile([{ ...invoice, flags: 1 }]),
    says: /entry nfe\.xml: .*password/,
  },
  { name: 'a name twice', zip: zipFile([invoice, invoice]), says: /entry nfe\.xml: .*same name/ },
  {
    name: 'XML with entities',
    zip: zipFile([{ name: 'a.xml', content: doctype }]),
    says: /entry a\.xml: .*entities/,
  },
  {
    name: 'XML cut short',
    zip: zipFile([{ name: 'a.xml', content: '<NFe>' }]),
    says: /entry a\.xml: .*cut short/,
  },
  {
    name: 'a ZIP without any NF-e',
    zip: zipFile([{ name: 'a.xml', content: '<a/>' }]),
    says: /entry a\.xml: warning \(not_an_invoice\)[^]*no NF-e at all/,
  },
];

export const badZips: readonly BadInput[] = zips.map((zip) => ({ ...zip, cnab: good }));
