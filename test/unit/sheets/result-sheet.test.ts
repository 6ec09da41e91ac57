import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { ResultRow } from '../../../src/domain/certificates/certificates';
import { inertCell } from '../../../src/sheets/write/csv-file';
import { resultColumns } from '../../../src/sheets/write/result-cells';
import { openResultSheet } from '../../../src/sheets/write/result-sheet';
import { readResultSheet } from '../../support/read-result-sheet';

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'diligence-results-'));
  path = join(folder, 'results.csv');
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

const issued: ResultRow = {
  line: 2,
  document: '11222333000181',
  type: 'cnpj',
  status: 'issued',
  certidaoId: 'c-1',
  classification: 'negativa',
  divergent: false,
  officialName: 'Padaria "Fictícia"; Ltda',
  baseName: 'Padaria Ficticia',
  holderName: 'Padaria "Fictícia"; Ltda',
  sourceName: 'Receita',
  capturedAt: '2026-11-03T12:00:00Z',
  pdf: 'pdf/c-1.pdf',
  sha256: 'ab',
  attempts: 1,
  errorCode: null,
  errorCategory: null,
  errorMessage: null,
  reference: '',
  duplicateOf: null,
  note: '1 leading zero restored',
  possibleDoubleCharge: true,
  retryable: null,
  requestedAt: '2026-11-03T11:59:00Z',
  completedAt: '2026-11-03T12:00:01Z',
};

async function write(rows: readonly ResultRow[], excel = false): Promise<string> {
  const sheet = openResultSheet(path, { excel });
  for (const row of rows) await sheet.write(row);
  await sheet.close();
  return readFile(path, 'utf8');
}

describe('a result sheet', () => {
  it('has the published columns in the published order', () => {
    expect(resultColumns.join(',')).toBe(
      'line,document,type,status,certidao_id,classification,divergent,official_name,captured_at,' +
        'pdf,sha256,attempts,error_code,error_category,error_message,reference,duplicate_of,note,' +
        'possible_double_charge,retryable,requested_at,completed_at,holder_name,base_name,source_name',
    );
  });

  it('is plain CSV: commas, LF, no BOM, true and false, empty for null', async () => {
    expect(await write([issued])).toBe(
      `${resultColumns.join(',')}\n` +
        '2,11222333000181,cnpj,issued,c-1,negativa,false,"Padaria ""Fictícia""; Ltda",' +
        '2026-11-03T12:00:00Z,pdf/c-1.pdf,ab,1,,,,,,1 leading zero restored,true,,' +
        '2026-11-03T11:59:00Z,2026-11-03T12:00:01Z,' +
        '"Padaria ""Fictícia""; Ltda",Padaria Ficticia,Receita\n',
    );
  });

  it('opens in Excel: semicolons, CRLF, BOM, punctuated documents', async () => {
    const text = await write([issued, { ...issued, document: '12345678909' }], true);
    const lines = text.split('\r\n');
    expect(lines[0]).toBe(`\ufeff${resultColumns.join(';')}`);
    expect(lines[1]).toMatch(/^2;11\.222\.333\/0001-81;cnpj;issued;/);
    expect(lines[2]).toMatch(/^2;123\.456\.789-09;/);
    expect(lines[3]).toBe('');
  });

  it('is read back, either variant', async () => {
    for (const excel of [false, true]) {
      await write([issued], excel);
      const records = [];
      for await (const record of readResultSheet(path)) records.push(record);
      expect(records).toMatchObject([
        { line: '2', official_name: issued.officialName, divergent: 'false', retryable: '' },
      ]);
    }
  });

  it('has its header when there are no rows', async () => {
    expect(await write([])).toBe(`${resultColumns.join(',')}\n`);
  });

  it('stands in its place only when it is finished', async () => {
    await writeFile(path, 'the one before');
    const sheet = openResultSheet(path);
    await sheet.write(issued);
    expect(await readFile(path, 'utf8')).toBe('the one before');
    await sheet.close();
    expect(await readFile(path, 'utf8')).toMatch(/^line,/);
    expect(await readdir(folder)).toEqual(['results.csv']);
  });

  it('leaves nothing behind when it is abandoned', async () => {
    const sheet = openResultSheet(path);
    await sheet.write(issued);
    await sheet.abandon();
    expect(await readdir(folder)).toEqual([]);
  });

  it('says so when the folder is not there', async () => {
    const sheet = openResultSheet(join(folder, 'nowhere', 'results.csv'));
    await expect(sheet.close()).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('keeps the order of rows that are not awaited', async () => {
    const sheet = openResultSheet(path);
    const writes = Array.from({ length: 1_000 }, (_, at) => sheet.write({ ...issued, line: at }));
    await Promise.all(writes);
    await sheet.close();
    const lines = [];
    for await (const { line } of readResultSheet(path)) lines.push(Number(line));
    expect(lines).toEqual(Array.from({ length: 1_000 }, (_, at) => at));
  });
});

describe('cells that a spreadsheet would run', () => {
  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\nx', ' =1', '＝1'])(
    '%j gets an apostrophe',
    (text) => {
      expect(inertCell(text)).toBe(`'${text}`);
    },
  );

  it.each(['', 'Padaria', 'a=b', '2-1', "'=1"])('%j stays as it is', (text) => {
    expect(inertCell(text)).toBe(text);
  });

  it('are made inert in every column of text for a spreadsheet alone, and numbers stay numbers', async () => {
    const row = { ...issued, document: '=1', officialName: '@x', reference: '+y', attempts: -1 };
    const numbers = { attempts: '-1' };
    const texts = { document: '=1', official_name: '@x', reference: '+y', ...numbers };
    const inert = { document: "'=1", official_name: "'@x", reference: "'+y", ...numbers };
    for (const excel of [false, true]) {
      await write([row], excel);
      for await (const record of readResultSheet(path))
        expect(record).toMatchObject(excel ? inert : texts);
    }
  });
});
