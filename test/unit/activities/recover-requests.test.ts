import { rowFlags } from '../../../src/domain/certificate-rows';
import type { Receipt } from '../../../src/domain/claims';
import { sendJson } from '../../support/loopback-server';
import { CertificateBench, documentA, documentB } from './certificate-bench';

let bench: CertificateBench;

beforeEach(async () => {
  bench = await CertificateBench.start();
});

afterEach(() => bench.close());

const owner = { workflowId: 'w1', run: 'r1' };
const receiptFor = (document: string, receipt: Receipt): Promise<Receipt> =>
  bench.ledger.putReceipt(bench.thing(document), 1, receipt);

it('closes the rows that were not claimed and sends them back, so that the lost run is shut out', async () => {
  const work = await bench.work('w1', [documentA, documentB]);
  expect(await bench.recover(work)).toMatchObject([
    { kind: 'unsent', place: 0, attempts: 0, reason: 'no_time' },
    { kind: 'unsent', place: 1, attempts: 0, reason: 'no_time' },
  ]);
  for (const document of [documentA, documentB]) {
    expect(await bench.last(document)).toMatchObject({ n: 1, claim: { kind: 'closed', owner } });
  }
  // The frozen worker thaws: it must find its door shut.
  expect(await bench.request(work)).toMatchObject([{ kind: 'unsent' }, { kind: 'unsent' }]);
  expect(bench.server.received).toEqual([]);
});

it('lets the next run send what it closed', async () => {
  const work = await bench.work('w1', [documentA]);
  await bench.recover(work);
  bench.server.reply = (_request, response) => sendJson(response, 202, { certidao_id: 'c-1' });
  expect(await bench.request(work, { run: 'r2' })).toMatchObject([
    { kind: 'accepted', attempts: 1, flags: 0 },
  ]);
  expect((await bench.last(documentA))?.n).toBe(2);
});

it('keeps the doubt of an earlier decision through the door it shuts', async () => {
  await bench.claim(documentA);
  await receiptFor(documentA, { kind: 'unknown', reason: 'x', at: 0 });
  const ruling = { action: 'reissue', certidaoId: null, by: 'ana', note: '', at: 0 } as const;
  await bench.ledger.putRuling(bench.thing(documentA), 1, ruling);
  const work = await bench.work('w1', [documentA]);
  await bench.recover(work);
  expect(await bench.last(documentA)).toMatchObject({
    n: 2,
    claim: { kind: 'closed', afterUnknown: true },
  });
});

it('brings back as accepted what was claimed and has its receipt', async () => {
  await bench.claim(documentA, { owner, afterUnknown: true });
  await receiptFor(documentA, { kind: 'accepted', certidaoId: 'c-1', at: 77 });
  expect(await bench.recover(await bench.work('w1', [documentA]))).toEqual([
    {
      kind: 'accepted',
      place: 0,
      certidaoId: 'c-1',
      requestedAt: 77,
      attempts: 1,
      flags: rowFlags.possibleDoubleCharge,
    },
  ]);
});

it('files what was refused', async () => {
  await bench.claim(documentA, { owner });
  await receiptFor(documentA, { kind: 'refused', status: 400, code: null, at: 0 });
  const work = await bench.work('w1', [documentA]);
  expect(await bench.recover(work)).toMatchObject([{ kind: 'settled', status: 'failed' }]);
  expect(await bench.outcomes(work)).toMatchObject([{ status: 'failed', errorCode: 'http_400' }]);
});

it('sends back what surely never left', async () => {
  await bench.claim(documentA, { owner });
  await receiptFor(documentA, { kind: 'not_sent', reason: 'x', at: 0 });
  expect(await bench.recover(await bench.work('w1', [documentA]))).toMatchObject([
    { kind: 'unsent', attempts: 0 },
  ]);
});

it('calls a claim without a receipt unknown only when nothing can leave any more', async () => {
  const notAfter = Date.now() + 60_000;
  await bench.claim(documentA, { owner, notAfter });
  const work = await bench.work('w1', [documentA]);
  // Recovery looks again within a second at most: the clock is brought near the instant.
  bench.ahead = notAfter - Date.now() - 150;
  expect(await bench.recover(work)).toMatchObject([{ kind: 'unknown', place: 0, attempts: 1 }]);
  expect(bench.now()).toBeGreaterThan(notAfter);
  expect(await bench.outcomes(work)).toMatchObject([{ status: 'unknown_outcome', note: '' }]);
});

it('takes up the receipt that comes while it waits', async () => {
  await bench.claim(documentA, { owner, notAfter: Date.now() + 200 });
  const recovering = bench.recover(await bench.work('w1', [documentA]));
  await receiptFor(documentA, { kind: 'accepted', certidaoId: 'c-1', at: 1 });
  expect(await recovering).toMatchObject([{ kind: 'accepted', certidaoId: 'c-1' }]);
});

it('shuts all doors before it waits for a claim', async () => {
  await bench.claim(documentA, { owner, notAfter: Date.now() + 300 });
  const recovering = bench.recover(await bench.work('w1', [documentA, documentB]));
  await new Promise((done) => setTimeout(done, 100));
  expect(await bench.last(documentB)).toMatchObject({ claim: { kind: 'closed', owner } });
  await recovering;
});

it('leaves the claim of another run alone', async () => {
  await bench.claim(documentA);
  expect(await bench.recover(await bench.work('w1', [documentA]))).toMatchObject([
    { kind: 'unsent', attempts: 0 },
  ]);
  expect(await bench.last(documentA)).toMatchObject({ n: 1, claim: { kind: 'send' } });
});

it('closes nothing for a row that is only watched', async () => {
  const start = { kind: 'watch', certidaoId: 'c-7', attempts: 1 } as const;
  const work = await bench.work('w1', [documentA], start);
  expect(await bench.recover(work)).toMatchObject([{ kind: 'unsent' }]);
  expect(await bench.last(documentA)).toBeNull();
});

it('says the same when it is repeated, and closes nothing twice', async () => {
  const work = await bench.work('w1', [documentA]);
  await bench.recover(work);
  await bench.recover(work);
  expect((await bench.last(documentA))?.n).toBe(1);
});
