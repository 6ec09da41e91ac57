import { createHash } from 'node:crypto';
import { cnabFile } from '../support/cnab-files';
import { startCreditCaller, type Tree } from '../unit/sandbox/credit-caller';
import { sized } from '../support/full-size';

const titulosOfAll = sized(8_000, 50_000);

test('tens of thousands of titulos are read and told whole, in bounded time', async () => {
  const caller = await startCreditCaller();
  try {
    const file = cnabFile({ bank: 'paulista', receivables: titulosOfAll });
    const startedAt = performance.now();
    const id = await caller.analysed({ file });
    const { bytes, json } = await caller.result(id, '?filter=all');
    const tree = json as unknown as Tree;
    expect(performance.now() - startedAt).toBeLessThan(60_000);
    expect(caller.sandbox.credit.counts()).toMatchObject([
      { fileSha256: createHash('sha256').update(file).digest('hex'), started: 1 },
    ]);
    const titulos = tree.cedente.sacados.flatMap((sacado) => sacado.titulos);
    expect(titulos).toHaveLength(titulosOfAll);
    expect(new Set(titulos.map((titulo) => titulo.id)).size).toBe(titulosOfAll);
    expect(tree.summary).toMatchObject({ totalTitulos: titulosOfAll, sacados: { total: 40 } });
    expect(bytes.length).toBeGreaterThan(titulosOfAll * 200);
  } finally {
    await caller.close();
  }
}, 120_000);
