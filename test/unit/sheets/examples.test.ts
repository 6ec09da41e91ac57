import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { supplierSheet, supplierWorkbook } from '../../../scripts/make-examples';
import { planRows } from '../../../src/sheets/read/plan-rows';
import { readSheet } from '../../../src/sheets/read/read-rows';

const suppliers = join(__dirname, '../../../examples/suppliers.csv');
const workbook = join(__dirname, '../../../examples/suppliers.xlsx');

async function manifestOf(path: string): Promise<unknown[]> {
  const lines = [];
  for await (const line of planRows(readSheet(path))) lines.push(line);
  return lines;
}

describe('examples/suppliers.csv', () => {
  it('is what its script writes', async () => {
    expect(await readFile(suppliers, 'utf8')).toBe(supplierSheet());
  });

  it('ends as examples/README.md says', async () => {
    const plan = planRows(readSheet(suppliers));
    const told: Record<number, string> = {};
    for await (const row of plan) {
      if (row.kind === 'item') {
        if (row.note) told[row.line] = row.note;
      } else {
        told[row.line] = row.kind === 'duplicate' ? `as ${row.duplicateOf}` : row.code;
      }
    }
    expect(told).toEqual({
      13: '1 leading zero restored',
      19: 'wrong_digits',
      25: 'as 5',
      31: 'scientific_notation',
      36: 'alphanumeric_cnpj',
      43: 'cpf_not_served',
      50: 'unknown_type',
      55: 'as 10',
    });
    expect(plan.counts).toEqual({
      lines: 60,
      blank: 1,
      items: 53,
      duplicates: 2,
      invalid: 4,
      unsupported: 1,
    });
  });
});

describe('examples/suppliers.xlsx', () => {
  it('has the rows that its script writes', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'diligence-examples-'));
    const written = join(folder, 'written.xlsx');
    await writeFile(written, await supplierWorkbook());
    expect(await manifestOf(workbook)).toEqual(await manifestOf(written));
    await rm(folder, { recursive: true });
  });

  it('is the same batch as suppliers.csv', async () => {
    expect(await manifestOf(workbook)).toEqual(await manifestOf(suppliers));
  });
});
