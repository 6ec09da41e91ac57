import {
  rowFlags,
  type RequestRow,
  type PolledRow,
} from '../../../src/domain/certificates/certificate-rows';
import { sendJson } from '../../support/loopback-server';
import { CertificateBench, documentA, documentB } from './certificate-bench';

let bench: CertificateBench;

beforeEach(async () => {
  bench = await CertificateBench.start();
  bench.server.reply = (_request, response) =>
    sendJson(response, 202, { certidao_id: `c-${bench.server.received.length}` });
});

afterEach(() => bench.close());

const reissue: RequestRow[] = [[0, 1, 'reissue']];

it('shares the id with a second work that wants the same thing: one POST', async () => {
  const first = await bench.request(await bench.work('w1', [documentA]));
  const second = await bench.request(await bench.work('w2', [documentA]));
  expect(first).toMatchObject([{ kind: 'accepted', certidaoId: 'c-1', attempts: 1, flags: 0 }]);
  expect(second).toMatchObject([
    { kind: 'accepted', certidaoId: 'c-1', attempts: 0, flags: rowFlags.shared },
  ]);
  expect(bench.server.posts()).toHaveLength(1);
});

it('sends one POST when two works ask at the same time', async () => {
  const works = [await bench.work('w1', [documentA]), await bench.work('w2', [documentA])];
  const answers = (await Promise.all(works.map((work) => bench.request(work)))).flat();
  expect(bench.server.posts()).toHaveLength(1);
  expect(answers.filter(({ kind }) => kind === 'accepted').length).toBeGreaterThanOrEqual(1);
  for (const answer of answers) {
    if (answer.kind !== 'accepted') {
      expect(answer).toMatchObject({ kind: 'unsent', reason: 'in_flight', attempts: 0 });
    }
  }
});

it('sends one POST a document, in whatever order two works hold them', async () => {
  await bench.request(await bench.work('w1', [documentA, documentB]));
  await bench.request(await bench.work('w2', [documentB, documentA]));
  expect(bench.server.posts()).toHaveLength(2);
});

it('reuses what was issued since the limit, without a POST, and says so', async () => {
  await bench.request(await bench.work('w1', [documentA]));
  await bench.putFact('c-1');
  const work = await bench.work('w2', [documentA]);
  expect(await bench.request(work, { reuseSince: Date.now() - 60_000 })).toMatchObject([
    { kind: 'settled', status: 'issued', attempts: 0 },
  ]);
  expect(bench.server.posts()).toHaveLength(1);
  const [outcome] = await bench.outcomes(work);
  expect(outcome).toMatchObject({
    status: 'issued',
    certidaoId: 'c-1',
    classification: 'negativa',
    attempts: 0,
  });
  expect(outcome?.note).toMatch(/^reused: issued \d{4}-/);
});

it.each([
  ['was issued before the limit', { settledAt: 1_000 }],
  ['was completed before the limit and stored since', { completedAt: '2020-01-01T00:00:00Z' }],
  ['failed', { status: 'failed' as const }],
  ['was issued since, and erased', { erased: true as const }],
])('asks again for what %s', async (_words, fact) => {
  await bench.request(await bench.work('w1', [documentA]));
  await bench.putFact('c-1', fact);
  expect(await bench.request(await bench.work('w2', [documentA]))).toMatchObject([
    { kind: 'accepted', certidaoId: 'c-2', attempts: 1, flags: 0 },
  ]);
  expect((await bench.last(documentA))?.n).toBe(2);
});

it('leaves unknown what is unknown elsewhere, and names the other work', async () => {
  await bench.claim(documentA, { owner: { workflowId: 'w-other', chunk: 'r' } });
  const receipt = { kind: 'unknown', reason: 'reset', at: 0 } as const;
  await bench.receive(documentA, 1, receipt);
  const work = await bench.work('w1', [documentA]);
  expect(await bench.request(work)).toMatchObject([{ kind: 'unknown', attempts: 0, own: false }]);
  expect(bench.server.received).toEqual([]);
  expect(await bench.outcomes(work)).toMatchObject([
    { status: 'unknown_outcome', attempts: 0, note: 'unknown in w-other' },
  ]);
});

it('goes on with the run after a row that is unknown elsewhere', async () => {
  await bench.claim(documentA, { answerBy: 0 });
  const work = await bench.work('w1', [documentA, documentB]);
  expect(await bench.request(work)).toMatchObject([
    { kind: 'unknown', own: false },
    { kind: 'accepted', rowIndex: 1 },
  ]);
});

it('does not overrule in mode reissue what is unknown in another job', async () => {
  await bench.claim(documentA, { answerBy: 0 });
  const work = await bench.work('w1', [documentA]);
  expect(await bench.request(work, { rows: reissue })).toMatchObject([
    { kind: 'unknown', attempts: 1, own: false },
  ]);
  expect(bench.server.received).toEqual([]);
  expect((await bench.last(documentA))?.resolution).toBeNull();
});

it('has the time of a row run from when it took over an old issuance of another job', async () => {
  const work = await bench.work('w1', [documentA]);
  await bench.claim(documentA, { answerBy: 0 });
  const receipt = { kind: 'accepted', externalId: 'c-0', at: 1 } as const;
  await bench.receive(documentA, 1, receipt);
  const before = bench.now();
  const [answer] = await bench.request(work);
  if (answer?.kind !== 'accepted') throw new Error('not accepted');
  expect(answer.requestedAt).toBeGreaterThanOrEqual(before);
  bench.server.reply = (_request, response) =>
    sendJson(response, 200, { certidao_id: 'c-0', status: 'processing' });
  const rows: PolledRow[] = [[0, 'c-0', answer.requestedAt, 0, 1, answer.flags]];
  expect((await bench.watch(work, { rows, boundMs: 100 })).settled).toEqual([]);
});

it('looks again at what another work is requesting, and calls it unknown from its last instant on', async () => {
  const answerBy = Date.now() + 20_000;
  await bench.claim(documentA, { answerBy });
  const work = await bench.work('w1', [documentA]);
  const [soon] = await bench.request(work);
  expect(soon).toMatchObject({ kind: 'unsent', attempts: 0, reason: 'in_flight' });
  expect((soon as { notBefore: number }).notBefore).toBeLessThan(Date.now() + 2_100);
  bench.ahead = 19_000;
  expect(await bench.request(work, { chunk: 'r2' })).toEqual([
    { kind: 'unsent', rowIndex: 0, attempts: 0, reason: 'in_flight', notBefore: answerBy + 1 },
  ]);
  bench.ahead = 20_100;
  expect(await bench.request(work, { chunk: 'r3' })).toMatchObject([{ kind: 'unknown' }]);
  expect(bench.server.received).toEqual([]);
});

it('does not send what another took between its look and its claim', async () => {
  jest.spyOn(bench.service.limiter, 'acquire').mockImplementation(async () => {
    await bench.claim(documentA);
    return true;
  });
  expect(await bench.request(await bench.work('w1', [documentA]))).toMatchObject([
    { kind: 'unsent', reason: 'in_flight', attempts: 0 },
  ]);
  expect(bench.server.received).toEqual([]);
});

it('sends again over an unknown when the mode is reissue, on record, and flags the doubt', async () => {
  const work = await bench.work('w1', [documentA]);
  bench.server.reply = (_request, response) => sendJson(response, 500, {});
  await bench.request(work);
  bench.server.reply = (_request, response) => sendJson(response, 202, { certidao_id: 'c-2' });
  expect(await bench.request(work, { chunk: 'r2', rows: reissue })).toMatchObject([
    { kind: 'accepted', certidaoId: 'c-2', attempts: 2, flags: rowFlags.possibleDoubleCharge },
  ]);
  expect(await bench.last(documentA)).toMatchObject({ n: 2, claim: { afterUnknown: true } });
  const owner = { workflowId: 'w1', chunk: 'r1' };
  expect(await bench.attemptOf(documentA, owner)).toMatchObject({
    n: 1,
    resolution: { action: 'reissue', by: 'w1' },
  });
});

it('goes on counting when a batch that was broken off starts with its rows anew', async () => {
  const work = await bench.work('w1', [documentA]);
  bench.server.reply = (_request, response) => sendJson(response, 500, {});
  await bench.request(work);
  const anew = { rows: [[0, 0, 'normal']] as RequestRow[] };
  expect(await bench.request(work, { chunk: 'r2', ...anew })).toMatchObject([
    { kind: 'unknown', attempts: 1, own: true },
  ]);
  bench.server.reply = (_request, response) => sendJson(response, 202, { certidao_id: 'c-2' });
  await bench.request(work, { chunk: 'r3', rows: reissue });
  expect(await bench.request(work, { chunk: 'r4', ...anew })).toMatchObject([
    { kind: 'accepted', certidaoId: 'c-2', attempts: 2 },
  ]);
  expect(bench.server.posts()).toHaveLength(2);
});

it('does not send again in mode reissue while the first request may still leave', async () => {
  await bench.claim(documentA);
  const work = await bench.work('w1', [documentA]);
  expect(await bench.request(work, { rows: reissue })).toMatchObject([{ reason: 'in_flight' }]);
  expect(bench.server.received).toEqual([]);
});

it('takes up a receipt that came late instead of sending again in mode reissue', async () => {
  await bench.claim(documentA, { answerBy: 0 });
  const receipt = { kind: 'accepted', externalId: 'c-late', at: 5 } as const;
  await bench.receive(documentA, 1, receipt);
  const work = await bench.work('w1', [documentA]);
  expect(await bench.request(work, { rows: reissue })).toMatchObject([
    { kind: 'accepted', certidaoId: 'c-late', attempts: 1 },
  ]);
  expect(bench.server.received).toEqual([]);
});

it.each([1, 3])(
  'sends nothing in a run that recovery closed, %i decisions ago',
  async (decisions) => {
    const work = await bench.work('w1', [documentA]);
    await bench.claim(documentA, { kind: 'closed', owner: { workflowId: 'w1', chunk: 'r1' } }, 1);
    for (let n = 2; n <= decisions; n += 1) {
      await bench.claim(documentA, {}, n);
      const receipt = { kind: 'not_sent', reason: 'x', at: 0 } as const;
      await bench.receive(documentA, n, receipt);
    }
    expect(await bench.request(work)).toMatchObject([{ kind: 'unsent', reason: 'no_time' }]);
    expect(bench.server.received).toEqual([]);
    // The next run of the same work may.
    expect(await bench.request(work, { chunk: 'r2' })).toMatchObject([{ kind: 'accepted' }]);
  },
);

it('takes the number after the doors that were shut, and the doubt from before them', async () => {
  const work = await bench.work('w1', [documentA]);
  await bench.claim(documentA, { afterUnknown: true });
  const receipt = { kind: 'not_sent', reason: 'x', at: 0 } as const;
  await bench.receive(documentA, 1, receipt);
  for (const n of [2, 3]) await bench.claim(documentA, { kind: 'closed' }, n);
  expect(await bench.request(work)).toMatchObject([
    { kind: 'accepted', flags: rowFlags.possibleDoubleCharge },
  ]);
  expect((await bench.history(documentA)).at(-1)).toMatchObject({
    n: 4,
    claim: { kind: 'send', afterUnknown: true },
  });
});

it('watches without a POST what a person decided to watch', async () => {
  const start = { kind: 'watch', certidaoId: 'c-7', attempts: 2 } as const;
  expect(await bench.request(await bench.work('w1', [documentA], start))).toMatchObject([
    { kind: 'accepted', certidaoId: 'c-7', attempts: 2 },
  ]);
  expect(bench.server.received).toEqual([]);
  expect(await bench.last(documentA)).toBeNull();
});

it('counts on from what the work had taken when a person decided to buy again', async () => {
  const start = { kind: 'buy', certidaoId: null, attempts: 2 } as const;
  expect(await bench.request(await bench.work('w1', [documentA], start))).toMatchObject([
    { kind: 'accepted', attempts: 3 },
  ]);
});

it('stops a run whose list of items is not in the store, without a POST', async () => {
  const work = { folder: 'works/gone', items: 2, outcomesIn: 'works/gone' };
  expect(await bench.request(work)).toMatchObject([
    { kind: 'unsent', reason: 'fault' },
    { kind: 'unsent', reason: 'no_time' },
  ]);
  expect(bench.server.received).toEqual([]);
});

it('sends nothing from the deadline of the job on, and claims nothing', async () => {
  const work = await bench.work('w1', [documentA, documentB]);
  const answers = await bench.request(work, { sendBy: Date.now() });
  expect(answers).toMatchObject([
    { kind: 'unsent', reason: 'no_time' },
    { kind: 'unsent', reason: 'no_time' },
  ]);
  expect(bench.server.posts()).toEqual([]);
  // It is free for whoever comes next.
  expect(await bench.request(work)).toMatchObject([{ attempts: 1 }, { attempts: 1 }]);
});
