import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import {
  banks,
  cnabFile,
  testAssignor,
  testReceivable,
  type BankName,
} from '../support/cnab-files';
import { invoiceXml, testInvoice } from '../support/invoice-files';
import { zipFile } from '../support/zip-files';
import {
  startCreditCaller,
  type CreditCaller,
  type UploadParts,
} from '../unit/sandbox/credit-caller';

describe('an upload to the credit sandbox', () => {
  let caller: CreditCaller;
  beforeEach(async () => {
    caller = await startCreditCaller();
  });
  afterEach(() => caller.close());

  const bankNames = Object.keys(banks) as BankName[];
  const lines = (text: string) => Buffer.from(text, 'latin1');
  const file = cnabFile().toString('latin1');
  const [header = '', first = '', , , trailer = ''] = file.split('\n');

  test.each(bankNames)('the layout of %s is read', async (bank) => {
    const { cedente } = await caller.treeOf({ file: cnabFile({ bank }) });
    expect(cedente.razaoSocial).toBe(testAssignor.name);
    const tellsAssignor = banks[bank].tellsAssignor || bank === 'paulista';
    expect(cedente.cnpj).toBe(tellsAssignor ? testAssignor.document : '');
    expect(cedente.sacados).toHaveLength(3);
    expect(cedente.sacados[2]).toMatchObject({
      cnpjCpf: testReceivable(2).payer,
      razaoSocial: testReceivable(2).payerName,
      titulos: [
        {
          numero: '0000002/1',
          valor: testReceivable(2).cents / 100,
          dataVencimento: '2031-03-03',
          nfeChave: bank === 'paulista' ? testReceivable(2).invoiceKey : '',
        },
      ],
    });
  });

  test.each(['extended', 'mixed'] as const)('the key of an NF-e is read in %s', async (shape) => {
    const { cedente } = await caller.treeOf({ file: cnabFile({ bank: 'itau', shape }) });
    const keys = cedente.sacados.map(({ titulos }) => titulos[0]?.nfeChave);
    expect(keys).toEqual([0, 1, 2].map((index) => testReceivable(index).invoiceKey));
  });

  test.each([
    ['CRLF', cnabFile({ lineEnd: '\r\n' })],
    ['CR', cnabFile({ lineEnd: '\r' })],
    ['no end of line at the end', lines(file.trimEnd())],
    ['0x1A at the end', lines(`${file}\x1a`)],
    ['NUL and blanks at the end', lines(`${file}\0\0\n   \n`)],
    ['a latin1 byte', lines(file.replaceAll('INVENTADA', 'INVEN\u00c7\u00c3OA'))],
  ])('%s is read', async (_, bytes) => {
    const { cedente } = await caller.treeOf({ file: bytes });
    expect(cedente.sacados).toHaveLength(3);
  });

  test('a due date that is none is told as it stands', async () => {
    const receivable = { ...testReceivable(0), due: '310231' };
    const { cedente } = await caller.treeOf({ file: cnabFile({ receivables: [receivable] }) });
    expect(cedente.sacados[0]?.titulos[0]?.dataVencimento).toBe('310231');
  });

  const wrongFiles: [string, string, string][] = [
    ['nothing', '', 'the file is empty'],
    ['CNAB 240', `${'0'.repeat(240)}\n`, 'line 1 has 240 bytes; expected 400 or 444'],
    [
      'a return file',
      file.replace('01REMESSA', '02RETORNO'),
      'line 1 is no header of a remittance',
    ],
    ['no header', [first, trailer].join('\n'), 'line 1 is no header of a remittance'],
    ['no trailer', [header, first].join('\n'), 'the last record is no trailer (type 9)'],
    ['no titulo', [header, trailer].join('\n'), 'the file has no titulo'],
    ['two headers', [header, header, first, trailer].join('\n'), 'line 2 is a second header'],
    ['two trailers', [header, first, trailer, trailer].join('\n'), 'line 4 follows the trailer'],
    ['a line cut short', [header, first.slice(0, 399), trailer].join('\n'), 'line 2 has 399 bytes'],
    ['a blank line inside', [header, '', first, trailer].join('\n'), 'line 2 is blank'],
    ['an amount of letters', file.replace(first.slice(126, 139), 'x'.repeat(13)), 'columns 127'],
    ['accents in UTF-8', file.replace('COMPRADORA', 'COMPRADOR\u00c3\u0083'), 'line 2 has 401'],
    ['UTF-16', Buffer.from(file, 'utf16le').toString('latin1'), 'line 1 has'],
  ];
  test.each(wrongFiles)('%s is refused with 422', async (_, text, why) => {
    const bytes = lines(text);
    const { status, headers, json } = await caller.upload({ file: bytes });
    expect(status).toBe(422);
    expect(headers['content-type']).toMatch(/^application\/problem\+json/);
    expect(json['detail']).toContain(why);
    expect(caller.sandbox.credit.state().operations).toEqual([]);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    expect(caller.sandbox.credit.received()).toMatchObject([
      { parts: [{ sha256 }], accepted: false },
    ]);
  });

  const xml = invoiceXml(testInvoice());
  test.each<[string, Buffer, string]>([
    ['not a ZIP', lines('PK no'), 'xmls is no ZIP archive'],
    ['a path out of it', zipFile([{ name: '../a.xml', content: xml }]), 'xmls: '],
    [
      'a giant',
      zipFile([{ name: 'a.xml', content: Buffer.alloc(5_000_000) }]),
      'a.xml is too large',
    ],
  ])('a ZIP with %s is refused with 422', async (_, xmls, why) => {
    const { status, json } = await caller.upload({ xmls });
    expect(status).toBe(422);
    expect(json).toMatchObject({ title: 'invalid xmls', detail: expect.stringContaining(why) });
  });

  test('a ZIP without an NF-e is taken, and the sum of it is told', async () => {
    const xmls = zipFile([
      { name: 'leia.txt', content: 'x' },
      { name: 'outro.xml', content: '<a><b/></a>' },
    ]);
    expect((await caller.upload({ xmls })).status).toBe(202);
    const sha256 = createHash('sha256').update(xmls).digest('hex');
    expect(caller.sandbox.credit.counts()).toMatchObject([{ xmlsSha256: sha256 }]);
    expect(caller.sandbox.credit.received()[0]?.parts[1]).toEqual({
      name: 'xmls',
      fileName: 'notas.zip',
      contentType: 'application/octet-stream',
      bytes: xmls.length,
      sha256,
    });
  });

  test.each<[string, UploadParts, string]>([
    ['without the file', { file: null }, 'The part file is missing.'],
    ['with the file as text', { file: 'text' }, 'file is no file.'],
    ['with the file twice', { more: [['file', cnabFile()]] }, 'The part file came twice.'],
    ['with an unknown part', { more: [['arquivo', cnabFile()]] }, 'Unknown part arquivo.'],
    ['with the engine as a file', { more: [['engineId', cnabFile()]] }, 'engineId is a file.'],
  ])('%s is refused with 400', async (_, parts, detail) => {
    const { status, json } = await caller.upload(parts);
    expect(status).toBe(400);
    expect(json['detail']).toBe(detail);
  });

  test('with an unknown engine is refused with 422', async () => {
    const engineId = '8e3d0a52-93a5-4b0c-a3b8-1b9c1d1a7a11';
    const { status, json } = await caller.upload({ engineId });
    expect(status).toBe(422);
    expect(json['title']).toBe('unknown engine');
  });

  test.each([
    ['application/json', 415],
    ['multipart/form-data', 400],
    ['multipart/form-data; charset=utf-8', 400],
    ['multipart/form-data; boundary=x', 400],
  ])('that is called %s and is no form is refused with %i', async (contentType, status) => {
    const headers = { 'content-type': contentType };
    const reply = await caller.call('POST', '/v1/operations', { body: '{}', headers });
    expect(reply.status).toBe(status);
  });

  test.each(['file', 'xmls'])('a part %s beyond the limit is refused with 413', async (part) => {
    caller.configure({ maxFileBytes: 5_000 });
    const large = Buffer.alloc(2_000_000, '0');
    const { status, json } = await caller.upload({ [part]: large });
    expect(status).toBe(413);
    expect(json['title']).toBe('file too large');
    expect(caller.sandbox.credit.counts()).toEqual([]);
  });

  test('a client that leaves in the middle has begun nothing', async () => {
    const { port } = caller.sandbox;
    const socket = connect(port, '127.0.0.1');
    const head = [
      'POST /credit/api/v1/v1/operations HTTP/1.1',
      'host: x',
      'authorization: Bearer credit-sandbox-token',
      'content-type: multipart/form-data; boundary=b',
      'content-length: 100000',
      '',
      '--b',
      'content-disposition: form-data; name="file"; filename="x.rem"',
      '',
      header,
    ];
    socket.write(head.join('\r\n'));
    while (caller.sandbox.credit.received().length !== 1) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    socket.destroy();
    while (!(caller.sandbox.credit.received()[0]?.abandoned ?? false)) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(caller.sandbox.credit.received()).toMatchObject([{ status: null, accepted: false }]);
    expect(caller.sandbox.credit.state().operations).toEqual([]);
  });
});
