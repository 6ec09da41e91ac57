import { rowFlags, type RequestRow } from '../../../src/domain/certificates/certificate-rows';
import type { Receipt } from '../../../src/domain/core/service/attempts';
import { sendJson } from '../../support/loopback-server';
import { CertificateBench, documentA, documentB } from './certificate-bench';

let bench: CertificateBench;

beforeEach(async () => {
  bench = await CertificateBench.start();
});

afterEach(() => bench.close());

const owner = { workflowId: 'w1', chunk: 'r1' };
const closed = { kind: 'closed', owner };
const receiptFor = (document: string, receipt: Receipt): Promise<Receipt> =>
  bench.receive(document, 1, receipt);

it('closes the rows that were not claimed and sends them back, so that the lost run is shut out', async () => {
  const work = await bench.work('w1', [documentA, documentB]);
  expect(await bench.recover(work)).toMatchObject([
    { kind: 'unsent', rowIndex: 0, attempts: 0, reason: 'no_time' },
    { kind: 'unsent', rowIndex: 1, attempts: 0, reason: 'no_time' },
  ]);
  for (const document of [documentA, documentB]) {
    const decision = await bench.attemptOf(document, owner);
    expect(decision).toMatchObject({ n: 1, claim: closed });
    expect(await bench.last(document)).toBeNull();
  }
  // The frozen worker thaws: it must find its door shut.
  expect(await bench.request(work)).toMatchObject([{ kind: 'unsent' }, { kind: 'unsent' }]);
  expect(bench.server.received).toEqual([]);
});

it('lets the next run send what it closed', async () => {
  const work = await bench.work('w1', [documentA]);
  await bench.recover(work);
  bench.server.reply = (_request, response) => sendJson(response, 202, { certidao_id: 'c-1' });
  expect(await bench.request(work, { chunk: 'r2' })).toMatchObject([
    { kind: 'accepted', attempts: 1, flags: 0 },
  ]);
  expect((await bench.last(documentA))?.n).toBe(2);
});

it('keeps the doubt of an earlier decision past the door it shuts', async () => {
  await bench.claim(documentA);
  await receiptFor(documentA, { kind: 'unknown', reason: 'x', at: 0 });
  const resolution = { action: 'reissue', externalId: null, by: 'ana', note: '', at: 0 } as const;
  await bench.resolve(documentA, 1, resolution);
  const work = await bench.work('w1', [documentA]);
  await bench.recover(work);
  expect(await bench.history(documentA)).toHaveLength(2);
  bench.server.reply = (_request, response) => sendJson(response, 202, { certidao_id: 'c-1' });
  expect(await bench.request(work, { chunk: 'r2' })).toMatchObject([
    { kind: 'accepted', flags: rowFlags.possibleDoubleCharge },
  ]);
  expect(await bench.last(documentA)).toMatchObject({ n: 3, claim: { afterUnknown: true } });
});

const fact = { settledAt: 1 };
const acceptance: Receipt = { kind: 'accepted', externalId: 'c-0', at: 1 };
it.each<[string, Receipt, { status: 'failed' | 'issued'; settledAt: number } | null]>([
  ['failed', acceptance, { ...fact, status: 'failed' }],
  ['was issued long ago', acceptance, { ...fact, status: 'issued' }],
  ['is unknown, in mode reissue', { kind: 'unknown', reason: 'x', at: 1 }, null],
])('shuts the door of a lost run also over a decision that %s', async (_words, receipt, ended) => {
  const work = await bench.work('w1', [documentA]);
  await bench.claim(documentA, { owner: { workflowId: 'w1', chunk: 'r0' } });
  await receiptFor(documentA, receipt);
  if (ended !== null) await bench.putFact('c-0', ended);
  const rows: RequestRow[] = [[0, 1, ended === null ? 'reissue' : 'normal']];
  expect(await bench.recover(work, { rows })).toMatchObject([{ kind: 'unsent', attempts: 1 }]);
  bench.server.reply = (_request, response) => sendJson(response, 202, { certidao_id: 'c-1' });
  // The frozen run thaws: it must find its door shut.
  expect(await bench.request(work, { rows })).toMatchObject([{ kind: 'unsent' }]);
  expect(bench.server.posts()).toEqual([]);
  // The next run may.
  expect(await bench.request(work, { rows, chunk: 'r2' })).toMatchObject([{ kind: 'accepted' }]);
});

it('goes on with what its run was granted, though another took a later decision', async () => {
  await bench.claim(documentA, { owner });
  await receiptFor(documentA, acceptance);
  await bench.claim(documentA, {}, 2);
  expect(await bench.recover(await bench.work('w1', [documentA]))).toMatchObject([
    { kind: 'accepted', certidaoId: 'c-0' },
  ]);
  expect(await bench.history(documentA)).toHaveLength(2);
});

it('brings back as accepted what was claimed and has its receipt', async () => {
  await bench.claim(documentA, { owner, afterUnknown: true });
  await receiptFor(documentA, { kind: 'accepted', externalId: 'c-1', at: 77 });
  expect(await bench.recover(await bench.work('w1', [documentA]))).toEqual([
    {
      kind: 'accepted',
      rowIndex: 0,
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
  const answerBy = Date.now() + 60_000;
  await bench.claim(documentA, { owner, answerBy });
  const work = await bench.work('w1', [documentA]);
  // Recovery looks again within a second at most: the clock is brought near the instant.
  bench.ahead = answerBy - Date.now() - 150;
  expect(await bench.recover(work)).toMatchObject([
    { kind: 'unknown', rowIndex: 0, attempts: 1, own: true },
  ]);
  expect(bench.now()).toBeGreaterThan(answerBy);
  expect(await bench.outcomes(work)).toMatchObject([{ status: 'unknown_outcome', note: '' }]);
});

it('takes up the receipt that comes while it waits', async () => {
  await bench.claim(documentA, { owner, answerBy: Date.now() + 200 });
  const recovering = bench.recover(await bench.work('w1', [documentA]));
  await receiptFor(documentA, { kind: 'accepted', externalId: 'c-1', at: 1 });
  expect(await recovering).toMatchObject([{ kind: 'accepted', certidaoId: 'c-1' }]);
});

it('shuts all doors before it waits for a claim', async () => {
  await bench.claim(documentA, { owner, answerBy: Date.now() + 300 });
  const recovering = bench.recover(await bench.work('w1', [documentA, documentB]));
  await new Promise((done) => setTimeout(done, 100));
  const decision = await bench.attemptOf(documentB, owner);
  // Before the test can fail: what still reads a closed store ends the process, and no test is named.
  await recovering;
  expect(decision).toMatchObject({ claim: closed });
});

it('leaves the claim of another run alone, and shuts the door after it', async () => {
  await bench.claim(documentA);
  expect(await bench.recover(await bench.work('w1', [documentA]))).toMatchObject([
    { kind: 'unsent', attempts: 0 },
  ]);
  expect(await bench.history(documentA)).toMatchObject([
    { n: 1, claim: { kind: 'send' }, receipt: null },
    { n: 2, claim: { kind: 'closed' } },
  ]);
  const decision = await bench.attemptOf(documentA, owner);
  expect(decision).toMatchObject({ n: 2, claim: closed });
});

it('closes nothing for a row that is only watched', async () => {
  const start = { kind: 'watch', certidaoId: 'c-7', attempts: 1 } as const;
  const work = await bench.work('w1', [documentA], start);
  expect(await bench.recover(work)).toMatchObject([{ kind: 'unsent' }]);
  expect(await bench.history(documentA)).toEqual([]);
});

it('says the same when it is repeated, and closes nothing twice', async () => {
  const work = await bench.work('w1', [documentA]);
  await bench.recover(work);
  await bench.recover(work);
  expect(await bench.history(documentA)).toHaveLength(1);
});

describe('a look for receipts that came late', () => {
  const rows: RequestRow[] = [[0, 1, 'normal']];
  const elsewhere = { workflowId: 'w2', chunk: 'r1' };

  it.each([
    [owner, 0],
    [elsewhere, rowFlags.shared],
  ])('takes up what was accepted for %j from now on', async (by, flags) => {
    await bench.claim(documentA, { owner: by, answerBy: 0 });
    await receiptFor(documentA, acceptance);
    const before = bench.now();
    const [answer] = await bench.reread(await bench.work('w1', [documentA]), { rows });
    expect(answer).toMatchObject({ kind: 'accepted', certidaoId: 'c-0', attempts: 1, flags });
    const requestedAt = answer?.kind === 'accepted' ? answer.requestedAt : 0;
    expect(requestedAt).toBeGreaterThanOrEqual(before);
  });

  it('takes up a refusal, on file', async () => {
    const work = await bench.work('w1', [documentA]);
    await bench.claim(documentA, { owner, answerBy: 0 });
    await receiptFor(documentA, { kind: 'refused', status: 400, code: null, at: 1 });
    expect(await bench.reread(work, { rows })).toEqual([
      { kind: 'settled', rowIndex: 0, status: 'failed', attempts: 1 },
    ]);
    expect(await bench.outcomes(work)).toMatchObject([
      { status: 'failed', errorCode: 'http_400', attempts: 1 },
    ]);
  });

  it('sends back what surely never left', async () => {
    await bench.claim(documentA, { owner, answerBy: 0 });
    await receiptFor(documentA, { kind: 'not_sent', reason: 'x', at: 1 });
    expect(await bench.reread(await bench.work('w1', [documentA]), { rows })).toMatchObject([
      { kind: 'unsent', attempts: 1, reason: 'no_time' },
    ]);
  });

  it.each<[string, Receipt | null]>([
    ['no receipt', null],
    ['a receipt that knows nothing', { kind: 'unknown', reason: 'x', at: 1 }],
  ])('leaves unknown what has %s, and files nothing', async (_words, receipt) => {
    const work = await bench.work('w1', [documentA]);
    await bench.claim(documentA, { owner, answerBy: 0 });
    if (receipt !== null) await receiptFor(documentA, receipt);
    expect(await bench.reread(work, { rows })).toEqual([
      { kind: 'unknown', rowIndex: 0, attempts: 1, own: true },
    ]);
    expect(await bench.outcomes(work)).toEqual([]);
  });

  it.each(['refused', 'not_sent'] as const)(
    'takes what was %s to another work for nothing of its own',
    async (kind) => {
      const work = await bench.work('w1', [documentA]);
      await bench.claim(documentA, { owner: elsewhere, answerBy: 0 });
      await receiptFor(
        documentA,
        kind === 'refused'
          ? { kind, status: 400, code: null, at: 1 }
          : { kind, reason: 'x', at: 1 },
      );
      expect(await bench.reread(work, { rows })).toMatchObject([{ kind: 'unknown', own: false }]);
      expect(await bench.outcomes(work)).toEqual([]);
    },
  );
});
