import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CsvFile } from '../../../src/sheets/write/csv-file';
import { TemporaryStore } from '../../support/temporary-store';

let place: TemporaryStore;
beforeEach(() => {
  place = new TemporaryStore();
});
afterEach(() => place.remove());

async function written(cell: string | boolean, excel: boolean): Promise<string> {
  const path = join(place.folder, 'sheet.csv');
  const sheet = new CsvFile(path, ['requested'], { excel });
  sheet.write([cell]);
  await sheet.close();
  return (await readFile(path, 'utf8')).split(/\r?\n/)[1] ?? '';
}

test('a phone number is as it was asked for in a plain file, and text in a spreadsheet', async () => {
  expect(await written('+5511987654321', false)).toBe('+5511987654321');
  expect(await written('+5511987654321', true)).toBe("'+5511987654321");
});

test('yes and no are words', async () => {
  expect([await written(true, false), await written(false, true)]).toEqual(['true', 'false']);
});

test.each(['+1', '+5511987654321+1', '=1+1', '-1', '@SUM(A1)'])(
  '%s acts as no formula in a spreadsheet, and is itself in a plain file',
  async (text) => {
    expect([await written(text, true), await written(text, false)]).toEqual([`'${text}`, text]);
  },
);

test('characters that no reader of CSV expects are left out', async () => {
  const name = 'ACME\u0000 LTDA\u0007\t1';
  expect([await written(name, false), await written(`\u0000=1`, true)]).toEqual([
    '"ACME LTDA\t1"',
    "'=1",
  ]);
});
