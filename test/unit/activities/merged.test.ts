import { createCertificateMergeActivities } from '../../../src/activities/certificates/finalize';
import { CertificateRowWriter } from '../../support/certificate-rows';
import type { BatchSummary } from '../../../src/domain/certificates/certificates';
import { nothingReported } from '../../../src/domain/certificates/outcomes';
import { certificateFolder, type CertificateRecord } from '../../../src/domain/certificates/job';
import { cnpj } from '../../support/documents';
import { CertificateBench, environment } from './certificate-bench';

const folder = certificateFolder('w1');
/** More than one page of them. */
const items = 250;
let bench: CertificateBench;

beforeEach(async () => {
  bench = await CertificateBench.start();
  const writer = new CertificateRowWriter(bench.place.store, folder, (text) => text);
  const told = { type: 'cnpj', reference: '', note: '' } as const;
  for (let item = 0; item < items; item += 1)
    await writer.add({ ...told, kind: 'item', item, line: item + 2, document: cnpj(item) });
  // Of an item on the page before, of one on the same page, and of one that has an outcome.
  for (const [at, item] of [3, 249, 0].entries()) {
    const again = { kind: 'duplicate', item, duplicateOf: item + 2, document: cnpj(item) } as const;
    await writer.add({ ...told, ...again, line: 300 + at });
  }
  const fault = { code: 'wrong_length', message: 'm', document: 'x', reference: '' };
  await writer.add({ ...fault, kind: 'invalid', type: 'cnpj', line: 400 });
  const record = { jobId: 'w1', kind: 'certificate-batch', createdAt: 't', createdBy: 'ana' };
  await writer.finish({ ...record, lines: items + 4, blankLines: 1 } as CertificateRecord);
  const asked = { attempts: 2, requestedAt: null, note: '', possibleDoubleCharge: true };
  const settled = { certidaoId: 'c-0', settledAt: '2026-01-01T00:00:00.000Z' };
  await bench.place.store.outcomes.file(folder, 'lane-0000/a', [
    { ...nothingReported, ...asked, ...settled, item: 0, status: 'issued' },
  ]);
});
afterEach(() => bench.close());

async function merge(): Promise<BatchSummary> {
  const { finalizeRows } = createCertificateMergeActivities(bench.deps);
  const end = { folder, jobId: 'w1', edition: 0, startedAt: 0, neverSent: 'cancelled before' };
  const failedLanes: [number, number][] = [[200, items]];
  return environment({ folder, items, outcomesIn: folder }).run(finalizeRows, {
    ...end,
    failedLanes,
  });
}

const stored = async (): Promise<number> => {
  let count = 0;
  for await (const _ of bench.place.store.outcomes.all(folder)) count += 1;
  return count;
};

it('files how every item ended of which nobody has said so, and counts each line once', async () => {
  const summary = await merge();
  expect(summary).toMatchObject({ total: items + 4, blankLines: 1, requested: 2 });
  expect(summary.possibleDoubleCharges).toBe(1);
  expect(Object.entries(summary.counts).filter(([, count]) => count > 0)).toEqual([
    ['issued', 1],
    ['failed', 50],
    ['invalid', 1],
    ['duplicate', 3],
    ['cancelled', 199],
  ]);
  expect(await stored()).toBe(items);
});

it('files nothing twice when it is repeated, and counts the same', async () => {
  const { counts } = await merge();
  expect((await merge()).counts).toEqual(counts);
  expect(await stored()).toBe(items);
});
