import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { InputFileError } from '../../../src/receivables/open-input';
import { readInvoiceZip, type ZipLimits } from '../../../src/receivables/invoice-zip';
import { cnpj, cpf } from '../../support/documents';
import { invoiceElement, invoiceXml, testInvoice } from '../../support/invoice-files';
import { type TestEntry, zipFile } from '../../support/zip-files';

let folder: string;
let path: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'diligence-zip-'));
  path = join(folder, 'invoices.zip');
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

const invoice = testInvoice();
const good: TestEntry = { name: 'nfe/1.xml', content: invoiceXml(invoice) };

async function read(content: Buffer | readonly TestEntry[], limits?: ZipLimits) {
  await writeFile(path, Buffer.isBuffer(content) ? content : zipFile(content));
  const { findings, ...zip } = await readInvoiceZip(path, limits);
  return {
    ...zip,
    findings: findings.list().map(({ code, entry, found }) => ({ code, entry, found })),
  };
}

async function codesOf(content: Buffer | readonly TestEntry[], limits?: ZipLimits) {
  const { findings } = await read(content, limits);
  return findings.map(({ code, entry }) => `${code} ${entry}`);
}

describe('an NF-e in a ZIP', () => {
  test('is read as text, by the places of its elements', async () => {
    const { invoices, findings } = await read([good]);
    expect(findings).toEqual([]);
    expect([...invoices.values()]).toEqual([
      {
        key: invoice.key,
        protocolKey: invoice.key,
        issuer: invoice.issuer,
        recipient: invoice.recipient,
        value: '1500.00',
        dueOn: ['2031-01-10', '2031-02-10'],
        entry: 'nfe/1.xml',
      },
    ]);
  });

  test('may be bought by a person, and have no instalments', async () => {
    const other = testInvoice({ recipient: cpf(3), instalments: [] });
    const { invoices } = await read([{ name: '1.xml', content: invoiceXml(other) }]);
    expect(invoices.get(other.key)).toMatchObject({ recipient: cpf(3), dueOn: [] });
  });

  test.each([
    ['with a mark of UTF-8', Buffer.from(`\ufeff${invoiceXml(invoice)}`)],
    [
      'in ISO-8859-1',
      Buffer.from(invoiceXml(invoice, 'ISO-8859-1').replace('&amp;', 'é'), 'latin1'),
    ],
    ['in UTF-16', Buffer.from(`\ufeff${invoiceXml(invoice, 'UTF-16')}`, 'utf16le')],
    ['in an encoding nobody knows', Buffer.from(invoiceXml(invoice, 'LATIN-X'))],
    [
      'with prefixes',
      Buffer.from(
        invoiceXml(invoice)
          .replaceAll(/<(\/?)(?=[a-zA-Z])/g, '<$1n:')
          .replace('xmlns=', 'xmlns:n='),
      ),
    ],
    ['without its protocol', Buffer.from(`<NFe>${invoiceElement(invoice)}</NFe>`)],
    ['in CDATA', Buffer.from(invoiceXml(invoice).replace('1500.00', '<![CDATA[1500.00]]>'))],
  ])('is read %s', async (_, content) => {
    const { invoices, findings } = await read([{ name: '1.XML', content }]);
    expect(findings).toEqual([]);
    expect(invoices.get(invoice.key)).toMatchObject({ value: '1500.00' });
  });

  test('may be one of a lot', async () => {
    const lot = [1, 2, 3].map((number) => `<NFe>${invoiceElement(testInvoice({ number }))}</NFe>`);
    const { invoices, findings } = await read([
      { name: 'lot.xml', content: `<enviNFe>${lot.join('')}</enviNFe>` },
    ]);
    expect(invoices.size).toBe(3);
    expect(findings).toEqual([]);
  });

  test('stands among folders and what systems leave behind', async () => {
    const litter = ['nfe/', '__MACOSX/nfe/._1.xml', 'nfe/.DS_Store', 'Thumbs.db'];
    const entries = [good, ...litter.map((name) => ({ name }))];
    expect(await codesOf(entries)).toEqual([]);
  });
});

describe('what is wrong with an entry is told with its name', () => {
  const doctype = invoiceXml(invoice).replace(
    '<nfeProc',
    '<!DOCTYPE nfeProc [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><nfeProc',
  );
  const otherKey = testInvoice({ number: 2 }).key;
  test.each([
    ['xml_entities', 'a DOCTYPE', doctype],
    ['xml_entities', 'an entity', invoiceXml(invoice).replace('&amp;', '&bomb;')],
    ['xml_broken', 'the end missing', invoiceXml(invoice).slice(0, -20)],
    ['xml_broken', 'no XML at all', 'key;value\n1;2\n'],
    ['xml_broken', 'nothing in it', ''],
    ['xml_broken', 'elements without end', '<NFe>'.repeat(100)],
    ['not_an_invoice', 'another document', '<procEventoNFe><evento/></procEventoNFe>'],
    ['xml_key', 'a wrong key', invoiceXml(testInvoice({ key: '1'.repeat(44) }))],
    ['xml_key', 'no key', invoiceXml(invoice).replace(/Id="\w+"/, '')],
    [
      'xml_protocol',
      'a protocol of another',
      invoiceXml(invoice).replace(`<chNFe>${invoice.key}`, `<chNFe>${otherKey}`),
    ],
  ])('%s: %s', async (code, _, content) => {
    const two = testInvoice({ number: 7 });
    const fine = { name: 'fine.xml', content: invoiceXml(two) };
    const { findings, invoices } = await read([{ name: 'bad.xml', content }, fine]);
    expect(findings[0]).toMatchObject({ code, entry: 'bad.xml' });
    expect(invoices.has(two.key)).toBe(true);
  });

  test('another kind of file, and the same invoice twice', async () => {
    const entries = [good, { name: 'a.pdf', content: '%PDF' }, { ...good, name: 'again.xml' }];
    expect(await codesOf(entries)).toEqual(['not_xml a.pdf', 'repeated_invoice again.xml']);
  });

  test('its name loses the issuer that stands in a key', async () => {
    const name = `${invoice.key}-nfe.xml`;
    const { findings } = await read([{ name, content: '<a/>' }]);
    expect(findings[0]?.entry).toBe(`352611...${invoice.key.slice(20)}-nfe.xml`);
    expect(JSON.stringify(findings)).not.toContain(cnpj(77));
  });
});

describe('a ZIP is refused', () => {
  const zeros = Buffer.alloc(20 * 2 ** 20);
  const long = 'x'.repeat(3 * 2 ** 20);
  test.each<[string, string, Buffer | readonly TestEntry[]]>([
    ['zip_unreadable null', 'that is empty', Buffer.alloc(0)],
    ['zip_unreadable null', 'that is no ZIP', Buffer.from('Rar!\x1a\x07\0 and so on')],
    ['zip_unreadable null', 'that was cut short', zipFile([good]).subarray(0, -30)],
    ['zip_unreadable nfe/1.xml', 'whose sum differs', [{ ...good, told: { crc: 1 } }]],
    ['zip_unreadable nfe/1.xml', 'with damaged bytes', damaged(zipFile([good]))],
    [
      'zip_unreadable nfe/1.xml',
      'that unpacks to more than it tells',
      [{ ...good, told: { size: 100 } }],
    ],
    ['zip_path ../1.xml', 'with a way out', [{ ...good, name: '../1.xml' }]],
    ['zip_path a/../../1.xml', 'with a way out further in', [{ ...good, name: 'a/../../1.xml' }]],
    ['zip_path /etc/1.xml', 'with an absolute path', [{ ...good, name: '/etc/1.xml' }]],
    ['zip_path C:/1.xml', 'with a drive', [{ ...good, name: 'C:/1.xml' }]],
    ['zip_path ../1.xml', 'with backslashes', [{ ...good, name: '..\\1.xml' }]],
    ['zip_path link.xml', 'with a symbolic link', [{ ...good, name: 'link.xml', mode: 0o120777 }]],
    ['zip_path a?.xml', 'with a control character', [{ ...good, name: 'a\n.xml' }]],
    ['zip_encrypted nfe/1.xml', 'with a password', [{ ...good, flags: 1 }]],
    ['zip_repeated_name nfe/1.xml', 'with a name twice', [good, good]],
    ['zip_too_large a.xml', 'with a very large entry', [{ name: 'a.xml', content: zeros }]],
    ['zip_too_large a.xml', 'that unpacks a thousandfold', [{ name: 'a.xml', content: long }]],
    [
      'zip_too_large b.xml',
      'whose entries overlap',
      [
        { ...good, name: 'a.xml' },
        { ...good, name: 'b.xml', at: 0, told: { packedSize: 5_000 } },
      ],
    ],
    ['no_invoice null', 'without any NF-e', [{ name: 'nfe/' }]],
    ['no_invoice null', 'without anything', []],
  ])('with %s: %s', async (code, _, content) => {
    expect(await codesOf(content)).toEqual([code]);
  });

  test.each([
    ['cut short', zipFile([good]).subarray(0, -30)],
    ['cut short, or is damaged', Buffer.concat([zipFile([good]), Buffer.from('\r\n')])],
    ['no ZIP', Buffer.from('some other thing, of some length')],
  ])('with what is wrong with the whole of it: %s', async (words, content) => {
    const { findings } = await read(content);
    expect(findings).toMatchObject([
      { code: 'zip_unreadable', found: expect.stringContaining(words) },
    ]);
  });

  test('beyond the limits on entries and on their sum', async () => {
    const limits: ZipLimits = { entries: 2, entryBytes: 5_000, totalBytes: 2_000, ratio: 100 };
    const more = [1, 2, 3].map((number) => ({ ...good, name: `${number}.xml` }));
    expect(await codesOf(more, limits)).toEqual(['zip_too_large null']);
    expect(await codesOf(more, { ...limits, entries: 3 })).toContain('zip_too_large 3.xml');
  });

  test('by name when there is no such file', async () => {
    const missing = readInvoiceZip(join(folder, 'nowhere.zip'));
    await expect(missing).rejects.toThrow(InputFileError);
  });
});

/** With one byte of the packed content of the first entry changed. */
function damaged(zip: Buffer): Buffer {
  const bytes = Buffer.from(zip);
  bytes.writeUInt8(bytes.readUInt8(120) ^ 0xff, 120);
  return bytes;
}
