import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { readSheet as readCells } from 'read-excel-file/node';

import type { ResultRow } from '../../../src/domain/certificates/certificates';
import { readSheet } from '../../../src/sheets/read/read-rows';
import { resultColumns } from '../../../src/sheets/write/result-cells';
import { mostWorkbookRows, openResultWorkbook } from '../../../src/sheets/write/result-workbook';
import { openWorkbook } from '../../../src/sheets/read/xlsx-package';

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'diligence-workbook-'));
  path = join(folder, 'results.xlsx');
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

const issued: ResultRow = {
  line: 2,
  document: '00000000000191',
  type: 'cnpj',
  status: 'issued',
  certidaoId: '00123',
  classification: 'negativa',
  divergent: false,
  officialName: 'Padaria "Fictícia" & <Filhos>',
  baseName: null,
  holderName: '=Padaria',
  sourceName: 'Receita',
  capturedAt: '2026-11-03T12:00:00Z',
  pdf: 'pdf/c-1.pdf',
  sha256: '00'.repeat(32),
  attempts: 1,
  errorCode: null,
  errorCategory: null,
  errorMessage: null,
  reference: '007',
  duplicateOf: 4,
  note: '',
  possibleDoubleCharge: true,
  retryable: null,
  requestedAt: '2026-11-03T11:59:00Z',
  completedAt: '2026-11-03T12:00:01Z',
};

async function write(rows: readonly ResultRow[]): Promise<void> {
  const workbook = openResultWorkbook(path, rows.length);
  for (const row of rows) await workbook.write(row);
  await workbook.close();
}

async function cellsOf(): Promise<unknown[][]> {
  return readCells(path, 1, { trim: false });
}

async function xmlOf(): Promise<string> {
  const [sheet] = await openWorkbook(path);
  return (await sheet?.xml()) ?? '';
}

describe('a workbook of results', () => {
  it('has the columns of results.csv, text as text, numbers as numbers, null as nothing', async () => {
    await write([issued]);
    expect(await cellsOf()).toEqual([
      [...resultColumns],
      [
        2,
        '00000000000191',
        'cnpj',
        'issued',
        '00123',
        'negativa',
        false,
        'Padaria "Fictícia" & <Filhos>',
        '2026-11-03T12:00:00Z',
        'pdf/c-1.pdf',
        '00'.repeat(32),
        1,
        null,
        null,
        null,
        '007',
        4,
        null,
        true,
        null,
        '2026-11-03T11:59:00Z',
        '2026-11-03T12:00:01Z',
        '=Padaria',
        null,
        'Receita',
      ],
    ]);
  });

  it('can be read as an input again', async () => {
    await write([issued]);
    const rows = [];
    for await (const row of readSheet(path)) rows.push(row);
    expect(rows).toMatchObject([
      {
        kind: 'row',
        line: 2,
        documents: [{ text: '00000000000191' }],
        type: 'cnpj',
        reference: '007',
      },
    ]);
  });

  it('holds no formula, whatever the text', async () => {
    const names = ['=1+1', '+1', '-1', '@SUM(A1)', '=HYPERLINK("http://x.example")'];
    await write(names.map((officialName, at) => ({ ...issued, line: at + 2, officialName })));
    expect(await xmlOf()).not.toMatch(/<f[ >/]/);
    expect((await cellsOf()).slice(1).map((cells) => cells[7])).toEqual(names);
  });

  it('keeps texts that mean something to its writer or to a spreadsheet', async () => {
    const names = ['constructor', '__proto__', 'toString', '_x0041_', ' a ', 'x'.repeat(40_000)];
    await write(names.map((reference, at) => ({ ...issued, line: at + 2, reference })));
    expect((await cellsOf()).slice(1).map((cells) => cells[15])).toEqual([
      'constructor ',
      '__proto__ ',
      'toString ',
      '_x0041_',
      ' a ',
      'x'.repeat(32_767),
    ]);
  });

  it('has a header that stays in sight, a filter over all of it, and a colour for each status', async () => {
    await write([issued, { ...issued, status: 'failed' }, { ...issued, status: 'issued' }]);
    const xml = await xmlOf();
    expect(xml).toContain('<autoFilter ref="A1:Y4"/>');
    expect(xml).toMatch(/<pane ySplit="1"[^>]*state="frozen"/);
    const styleOf = (cell: string) => new RegExp(`r="${cell}" s="(\\d+)"`).exec(xml)?.[1];
    expect(styleOf('D2')).toBe(styleOf('D4'));
    expect(new Set([styleOf('A1'), styleOf('C2'), styleOf('D2'), styleOf('D3')]).size).toBe(4);
  });

  it('stands in its place only when it is finished', async () => {
    await writeFile(path, 'the one before');
    const workbook = openResultWorkbook(path, 1);
    await workbook.write(issued);
    expect(await readdir(folder)).toEqual(['results.xlsx']);
    await workbook.close();
    expect(await readdir(folder)).toEqual(['results.xlsx']);
    expect(await cellsOf()).toHaveLength(2);
  });

  it('says so when the folder is not there', async () => {
    const workbook = openResultWorkbook(join(folder, 'nowhere', 'results.xlsx'), 0);
    await expect(workbook.close()).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('is left out beyond its bound, with what stood there before', async () => {
    await writeFile(path, 'the one before');
    const workbook = openResultWorkbook(path, mostWorkbookRows + 1);
    await workbook.write(issued);
    await workbook.close();
    expect(await readdir(folder)).toEqual([]);
  });
});
