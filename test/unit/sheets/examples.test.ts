import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { supplierSheet } from '../../../scripts/make-examples';
import { planRows } from '../../../src/sheets/plan-rows';
import { readSheet } from '../../../src/sheets/read-rows';

const suppliers = join(__dirname, '../../../examples/suppliers.csv');

describe('examples/suppliers.csv', () => {
  it('is what its script writes', async () => {
    expect(await readFile(suppliers, 'utf8')).toBe(supplierSheet());
  });

  it('ends as examples/README.md says', async () => {
    const plan = planRows(readSheet(suppliers));
    const told: Record<number, string> = {};
    for await (const { line, item } of plan) {
      if (line.kind === 'item') {
        if (item?.note) told[line.line] = item.note;
      } else {
        told[line.line] = line.kind === 'duplicate' ? `as ${line.duplicateOf}` : line.code;
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
