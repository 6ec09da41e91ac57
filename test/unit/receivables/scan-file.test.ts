import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { checkInput } from '../../../src/receivables/check-input';
import { InputFileError } from '../../../src/receivables/open-input';
import { scanFile } from '../../../src/receivables/scan-file';
import { cnabFile } from '../../support/cnab-files';
import { scanned, testToday } from '../../support/cnab-scans';
import { sized } from '../../support/full-size';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'diligence-cnab-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

describe('scanFile', () => {
  test('finds in a file of many chunks what the scan finds in the whole of it', async () => {
    const receivables = sized(5_000, 50_000);
    const bytes = cnabFile({ bank: 'paulista', receivables, lineEnd: '\r\n' });
    const path = join(folder, 'large.rem');
    await writeFile(path, bytes);
    const { sha256, bytes: size, ...report } = await scanFile(path, { today: testToday });
    expect(report).toEqual(scanned(bytes));
    expect(report).toMatchObject({ receivables, withInvoiceKey: receivables });
    expect(report.counts).toEqual({ extended_layout: 1 });
    expect(size).toBe(bytes.length);
    expect(sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
  });

  test('says of an empty file that it is empty', async () => {
    const path = join(folder, 'empty.rem');
    await writeFile(path, '');
    const { counts } = await scanFile(path, { today: testToday });
    expect(counts).toEqual({ empty: 1 });
  });

  test.each([
    ['a file that is not there', 'nowhere.rem', /no such file/],
    ['a directory', '.', /is a folder/],
  ])('refuses %s by name', async (_, name, message) => {
    const scan = scanFile(join(folder, name), { today: testToday });
    await expect(scan).rejects.toThrow(InputFileError);
    await expect(scan).rejects.toThrow(message);
  });

  test('refuses a pipe, and does not wait for its other end', async () => {
    const path = join(folder, 'pipe.rem');
    execFileSync('mkfifo', [path]);
    const files = { cnab: path, today: testToday };
    await expect(checkInput(files)).rejects.toThrow(InputFileError);
    await expect(checkInput({ ...files, xmls: path })).rejects.toThrow(/not a file/);
  });
});
