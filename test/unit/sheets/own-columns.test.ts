import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { parse } from 'csv-parse/sync';
import { readSheet as readCells } from 'read-excel-file/node';
import type { ManifestRow, ResultRow } from '../../../src/domain/certificates/certificates';
import { resultRow } from '../../../src/domain/certificates/result-rows';
import { manifestLine, planRows } from '../../../src/sheets/read/plan-rows';
import { readSheet } from '../../../src/sheets/read/read-rows';
import { ownFields, ownNames, resultColumns } from '../../../src/sheets/write/result-cells';
import { openResultSheet } from '../../../src/sheets/write/result-sheet';
import {
  fitsWorkbook,
  mostWorkbookRows,
  openResultWorkbook,
} from '../../../src/sheets/write/result-workbook';

/** Columns of the input that are read for nothing come back behind ours. */

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'diligence-own-columns-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

async function planned(text: string): Promise<{ columns: readonly string[]; rows: ManifestRow[] }> {
  const path = join(folder, 'input.csv');
  await writeFile(path, text);
  const rows: ManifestRow[] = [];
  let columns: readonly string[] = [];
  const onHeader = (own: readonly string[]) => (columns = own);
  for await (const row of planRows(readSheet(path, { onHeader }), { type: 'cnpj' })) rows.push(row);
  return { columns, rows };
}

const sheet = [
  'Suppliers of 2026;;;;',
  'status;cnpj;ref;;Nome',
  ' =1+1;11222333000181;A-1;x;"Ana; Co"',
  'b;11222333000181;A-2;;Bia',
  'c;wrong;A-3;;',
  'd;00000000000191;A-4',
].join('\n');

/** Refused, so that a result needs no outcome; the cells are what counts. */
function refused(own: readonly string[] | undefined, line = 2): ResultRow {
  const row: ManifestRow = {
    kind: 'invalid',
    line,
    document: 'x',
    type: '',
    reference: '',
    code: 'wrong_length',
    message: 'm',
    ...(own !== undefined && { own }),
  };
  const { pdfKey: _pdf, item: _item, issuances: _issuances, ...shown } = resultRow(row, null);
  return { ...shown, pdf: null };
}

it('reads the cells as they stand, of columns with a name that are no document and no reference', async () => {
  const { columns, rows } = await planned(sheet);
  expect(columns).toEqual(['status', 'Nome']);
  expect(rows.map(({ kind, own }) => [kind, own])).toEqual([
    ['item', [' =1+1', 'Ana; Co']],
    ['duplicate', ['b', 'Bia']],
    ['invalid', ['c', '']],
    ['item', ['d', '']],
  ]);
});

it('takes the same documents for the same input, whatever stands beside them', async () => {
  const of = async (text: string) => (await planned(text)).rows.map(manifestLine);
  const lines = await of('cnpj;Nome\n11222333000181;Ana\nwrong;Bia');
  expect(await of('cnpj;Fone\n11222333000181;1\nwrong;2')).toEqual(lines);
  expect(await of('cnpj\n11222333000181\nwrong')).toEqual(lines);
  expect(await of('cnpj\n00000000000191\nwrong')).not.toEqual(lines);
});

it.each([
  [
    ['Nome', 'Fone'],
    ['Nome', 'Fone'],
  ],
  [
    ['status', 'Line'],
    ['input_status', 'input_Line'],
  ],
  [
    ['Nome', 'nome', 'input_nome'],
    ['Nome', 'input_nome', 'input_input_nome'],
  ],
])('calls %j %j', (columns, names) => {
  expect(ownNames(columns, resultColumns)).toEqual(names);
});

it('writes them behind ours, and what would run behind an apostrophe for a spreadsheet program alone', async () => {
  const path = join(folder, 'results.csv');
  const lines = async (excel: boolean): Promise<string[][]> => {
    const results = openResultSheet(path, { columns: ['status', '=Nome'], excel });
    for (const own of [['=1+1', 'Ana; Co'], ['only one'], undefined])
      await results.write(refused(own));
    await results.close();
    const text = await readFile(path, 'utf8');
    const rows = parse(text, { bom: true, delimiter: excel ? ';' : ',' });
    expect(rows[0]?.slice(0, resultColumns.length)).toEqual(resultColumns);
    return rows.map((cells) => cells.slice(resultColumns.length));
  };
  const less = [
    ['only one', ''],
    ['', ''],
  ];
  expect(await lines(false)).toEqual([['input_status', '=Nome'], ['=1+1', 'Ana; Co'], ...less]);
  expect(await lines(true)).toEqual([['input_status', "'=Nome"], ["'=1+1", 'Ana; Co'], ...less]);
});

it('has them in the workbook too, as text', async () => {
  const path = join(folder, 'results.xlsx');
  const columns = ['Nome', 'Fone', 'e', 'f', 'g'];
  const workbook = openResultWorkbook(path, 2, columns);
  await workbook.write(refused(['=1+1', '0119', '', '', '7']));
  await workbook.write(refused(undefined, 3));
  await workbook.close();
  const cells = await readCells(path, 1, { trim: false });
  expect(cells.map((row) => row.slice(resultColumns.length))).toEqual([
    columns,
    ['=1+1', '0119', null, null, '7'],
    [null, null, null, null, null],
  ]);
});

it('leaves the workbook out where their cells are too many for the memory', () => {
  expect(fitsWorkbook(mostWorkbookRows, 0)).toBe(true);
  expect(fitsWorkbook(mostWorkbookRows, 1)).toBe(false);
  expect(fitsWorkbook(mostWorkbookRows / 2, resultColumns.length)).toBe(true);
});

it('has them by their names for programs, none twice', () => {
  expect(ownFields(['1', '2'], ['a', 'A'])).toEqual({ a: '1', input_A: '2' });
  expect(ownFields(undefined, ['a'])).toEqual({ a: '' });
});
