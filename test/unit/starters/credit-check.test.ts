import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { creditCommand } from '../../../src/starters/credit/commands';
import { badFiles, badZips, goodCnab, goodZip } from '../../support/bad-inputs';
import { cnabFile, testReceivable } from '../../support/cnab-files';

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

describe('credit check', () => {
  test.each(badFiles)('refuses $name, says where, and ends with 2', async ({ cnab, says }) => {
    const { code, output } = await check(cnab);
    expect(output).toMatch(says);
    expect(output).toMatch(/: refused/);
    expect(output).toMatch(/It will not be sent/);
    expect(code).toBe(2);
  });

  test.each(badZips)(
    'refuses $name as invoices, names the entry, and ends with 2',
    async ({ zip, says }) => {
      const { code, output } = await check(goodCnab, zip);
      expect(output).toMatch(says);
      expect(output).toMatch(/invoices\.zip.*: refused/);
      expect(code).toBe(2);
    },
  );

  test('says what a file is that has nothing wrong in it, and ends with 0', async () => {
    const { code, output } = await check(goodCnab);
    expect(output).toContain('BRADESCO, CNAB 400; 3 receivables, BRL 3237.57, due 2031-01-01 to');
    expect(output).toContain(', 5 records, sha256 ');
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
    expect((await check(goodCnab.subarray(0, 401 * 4))).output).toContain('--force REASON');
    expect((await check(Buffer.alloc(0))).output).not.toContain('--force');
  });

  test('says of how many receivables the value is, and that no bank is told', async () => {
    const cut = await check(goodCnab.subarray(0, 1_500));
    expect(cut.output).toContain('3 receivables, BRL 2079.19 (of the 2 whose value can be read)');
    const nobody = Buffer.from(goodCnab);
    nobody.fill(' ', 76, 94);
    const { output } = await check(nobody);
    expect(output).toContain('no bank told, CNAB 400; 3 receivables, BRL 3237.57, due');
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
    const { code, output } = await check(goodCnab.subarray(0, 1_500), goodZip, '--json');
    const document = JSON.parse(output) as Record<string, unknown>;
    expect(document).toMatchObject({
      worst: 'override',
      exitCode: 2,
      layout: 'BRADESCO, CNAB 400',
      receivables: 3,
      totalValue: '2079.19',
      counts: { cut_short: 1 },
      findings: [{ level: 'override', code: 'cut_short', line: 4, columns: [298, 400] }],
      invoices: { invoices: 1, findings: [] },
    });
    expect(code).toBe(2);
  });

  test('obeys nothing that the file would have the terminal do', async () => {
    const file = Buffer.from(goodCnab);
    file.write('A\u001b[2JB', 79, 'latin1');
    const { output } = await check(file);
    expect(output).not.toContain('\u001b');
    expect(output).toContain('A?[2JB');
  });
});
