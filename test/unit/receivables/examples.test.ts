import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { creditFile } from '../../../scripts/make-examples';
import { checkInput } from '../../../src/receivables/check-input';

const folder = join(__dirname, '../../../examples/remessas');
const cnab = join(folder, 'lote-1.rem');

describe('examples/remessas', () => {
  it('has the file that its script writes', async () => {
    expect((await readFile(cnab)).equals(creditFile())).toBe(true);
  });

  it('is as examples/README.md says: nothing in it is found wrong', async () => {
    const xmls = join(folder, 'lote-1.zip');
    const checked = await checkInput({ cnab, xmls, today: '2026-11-21' });
    expect(checked).toMatchObject({
      worst: null,
      cnab: { layout: 'SANTANDER, CNAB 400', receivables: 12, valued: 12 },
      invoices: { entries: 6, invoices: 6 },
    });
  });
});
