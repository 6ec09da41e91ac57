import type { ServerResponse } from 'node:http';
import { createCertificateRequestActivities } from '../../../src/activities/certificates/requests';
import { StoreError } from '../../../src/store/store-error';
import { cnpj } from '../../support/documents';
import { sendJson } from '../../support/loopback-server';
import { CertificateBench, documentA, documentB, documents } from './certificate-bench';

let bench: CertificateBench;

beforeEach(async () => {
  bench = await CertificateBench.start();
  bench.server.reply = (_request, response) =>
    sendJson(response, 202, { certidao_id: `c-${bench.server.received.length}` });
});

afterEach(() => bench.close());

const body = (document: string) => JSON.stringify({ cnpj: document });

it('has the claim on the disk before the first byte reaches the service', async () => {
  const claims: unknown[] = [];
  bench.server.reply = async (_request, response) => {
    claims.push(await bench.last(documentA));
    sendJson(response, 202, { certidao_id: 'c-1' });
  };
  await bench.request(await bench.work('w1', [documentA]));
  expect(claims).toEqual([
    {
      n: 1,
      claim: expect.objectContaining({
        kind: 'send',
        owner: { workflowId: 'w1', chunk: 'r1' },
        afterUnknown: false,
      }) as unknown,
      receipt: null,
      resolution: null,
    },
  ]);
});

it.each<[string, Record<string, string>]>([
  ['is cut off', {}],
  ['is no gzip', { 'content-encoding': 'gzip', 'content-length': '3' }],
])('takes the id that Location has when the body of an acceptance %s', async (_, headers) => {
  const certidaoId = '6464d4ae-342b-46fb-ad22-fd5caaab411b';
  bench.server.reply = (_request, response) => {
    const location = `/api/v1/certidoes/${certidaoId}?token=x`;
    response.writeHead(202, { location, 'content-length': 40, ...headers });
    response.write(Buffer.from([0x1f, 0x8b, 0x08]), () => response.destroy());
  };
  const answers = await bench.request(await bench.work('w1', [documentA]));
  expect(answers).toMatchObject([{ kind: 'accepted', certidaoId }]);
  expect((await bench.last(documentA))?.receipt).toMatchObject({
    kind: 'accepted',
    externalId: certidaoId,
  });
});

it('reckons the last instant of a claim from the total time of the POST and a margin', async () => {
  await bench.request(await bench.work('w1', [documentA]));
  const claim = (await bench.last(documentA))?.claim;
  if (claim === undefined) throw new Error('no claim');
  expect(claim.answerBy - claim.claimedAt).toBe(35_000);
});

it('sends each row once and answers with the ids, receipts on file', async () => {
  const work = await bench.work('w1', documents);
  const answers = await bench.request(work);
  expect(answers).toMatchObject(
    documents.map((_document, rowIndex) => ({
      kind: 'accepted',
      rowIndex,
      certidaoId: `c-${rowIndex + 1}`,
      attempts: 1,
      flags: 0,
    })),
  );
  expect(bench.server.posts().map((request) => request.body)).toEqual(documents.map(body));
  for (const [rowIndex, document] of documents.entries()) {
    expect((await bench.last(document))?.receipt).toMatchObject({
      kind: 'accepted',
      externalId: `c-${rowIndex + 1}`,
    });
  }
  expect(await bench.outcomes(work)).toEqual([]);
});

it.each([400, 404, 409, 422])('files a refusal with %i as failed and goes on', async (status) => {
  bench.server.reply = (request, response) =>
    request.body === body(documentA)
      ? sendJson(response, status, { code: 'documento_invalido', detail: documentA })
      : sendJson(response, 202, { certidao_id: 'c-2' });
  const work = await bench.work('w1', [documentA, documentB]);
  expect(await bench.request(work)).toMatchObject([
    { kind: 'settled', rowIndex: 0, status: 'failed', attempts: 1 },
    { kind: 'accepted', rowIndex: 1 },
  ]);
  expect((await bench.last(documentA))?.receipt).toMatchObject({ kind: 'refused', status });
  const [outcome] = await bench.outcomes(work);
  expect(outcome).toMatchObject({
    item: 0,
    status: 'failed',
    errorCode: 'documento_invalido',
    retryable: false,
  });
  expect(JSON.stringify(outcome)).not.toContain(documentA);
});

it('sends nothing more while the service says to wait', async () => {
  bench.server.reply = (_request, response) => sendJson(response, 429, {}, { 'retry-after': '9' });
  const work = await bench.work('w1', [...documents, cnpj(1)]);
  const before = Date.now();
  const answers = await bench.request(work);
  expect(answers).toMatchObject([
    { kind: 'unsent', rowIndex: 0, reason: 'not_sent', attempts: 0 },
    { kind: 'unsent', rowIndex: 1, reason: 'neighbour', attempts: 0, notBefore: 0 },
    { kind: 'unsent', rowIndex: 2, reason: 'no_permit', attempts: 0 },
    { kind: 'unsent', rowIndex: 3, reason: 'no_time', attempts: 0 },
  ]);
  const [first] = answers;
  expect(first?.kind === 'unsent' && first.notBefore).toBeGreaterThanOrEqual(before + 9_000);
  expect(bench.server.received).toHaveLength(1);
  expect((await bench.last(documentA))?.receipt).toMatchObject({ kind: 'not_sent' });
  expect(await bench.last(documentB)).toBeNull();
  expect(await bench.outcomes(work)).toEqual([]);
});

it.each<[number, unknown]>([
  [401, {}],
  [403, { code: 'unauthorized' }],
])('blames the credentials for %i, never the row', async (status, problem) => {
  bench.server.reply = (_request, response) => sendJson(response, status, problem);
  const work = await bench.work('w1', [documentA, documentB]);
  expect(await bench.request(work)).toMatchObject([
    { kind: 'unsent', reason: 'credentials', attempts: 0 },
    { kind: 'unsent', reason: 'no_time' },
  ]);
  expect(bench.server.received).toHaveLength(1);
  expect(await bench.outcomes(work)).toEqual([]);
});

it('sends a row again under a new decision after it was surely not sent', async () => {
  const work = await bench.work('w1', [documentA]);
  bench.server.reply = (_request, response) => sendJson(response, 401, {});
  await bench.request(work);
  bench.server.reply = (_request, response) => sendJson(response, 202, { certidao_id: 'c-9' });
  expect(await bench.request(work, { chunk: 'r2' })).toMatchObject([
    { kind: 'accepted', certidaoId: 'c-9', attempts: 1, flags: 0 },
  ]);
  expect((await bench.last(documentA))?.n).toBe(2);
});

it('leaves out the neighbour of a row that could not be sent, and ends the chunk at the second', async () => {
  const work = await bench.work('w1', [...documents, cnpj(1), cnpj(2)]);
  await bench.service.close();
  expect(await bench.request(work)).toMatchObject([
    { kind: 'unsent', reason: 'not_sent', attempts: 0 },
    { kind: 'unsent', reason: 'neighbour', notBefore: 0 },
    { kind: 'unsent', reason: 'not_sent', attempts: 0 },
    { kind: 'unsent', reason: 'neighbour', notBefore: 0 },
    { kind: 'unsent', reason: 'neighbour', notBefore: 0 },
  ]);
  expect((await bench.last(documentA))?.receipt).toMatchObject({ kind: 'not_sent' });
});

it.each<[string, (response: ServerResponse) => void]>([
  ['a 500', (response) => sendJson(response, 500, { retryable: true })],
  ['a bare 503', (response) => void response.writeHead(503).end()],
  ['a 408', (response) => sendJson(response, 408, {})],
  ['a redirect', (response) => void response.writeHead(307, { location: '/x' }).end()],
  ['a reset', (response) => void response.socket?.resetAndDestroy()],
  ['a 2xx that is no JSON', (response) => void response.end('<html>')],
  ['a 2xx without the id', (response) => sendJson(response, 202, { status: 'queued' })],
])(
  'calls the outcome unknown after %s, on file, and leaves out its neighbour alone',
  async (_words, reply) => {
    bench.server.reply = (request, response) =>
      request.body === body(documentA)
        ? reply(response)
        : sendJson(response, 202, { certidao_id: 'c-2' });
    const work = await bench.work('w1', documents.slice(0, 3));
    expect(await bench.request(work)).toMatchObject([
      { kind: 'unknown', rowIndex: 0, attempts: 1, own: true },
      { kind: 'unsent', rowIndex: 1, attempts: 0, reason: 'neighbour' },
      { kind: 'accepted', rowIndex: 2 },
    ]);
    expect(bench.server.posts()).toHaveLength(2);
    expect(await bench.history(documentB)).toEqual([]);
    expect((await bench.last(documentA))?.receipt).toMatchObject({ kind: 'unknown' });
    const [outcome] = await bench.outcomes(work);
    expect(outcome).toMatchObject({ item: 0, status: 'unknown_outcome', attempts: 1, note: '' });
    expect(JSON.stringify(outcome)).not.toContain(documentA);
    expect(JSON.stringify(await bench.last(documentA))).not.toContain(documentA);
  },
);

it('gives the answer to the workflow even when the receipt cannot be stored', async () => {
  jest.spyOn(bench.attempts, 'putReceipt').mockRejectedValue(new Error('EIO'));
  const work = await bench.work('w1', [documentA]);
  expect(await bench.request(work)).toMatchObject([{ kind: 'accepted', certidaoId: 'c-1' }]);
  expect(bench.warnings).toHaveLength(1);
});

describe('a disk that is full', () => {
  const isFull = new StoreError('full', 'database or disk is full');

  it('keeps the row waiting for the store, unsent, when there is no room for its claim', async () => {
    jest.spyOn(bench.attempts, 'claim').mockRejectedValue(isFull);
    const answers = await bench.request(await bench.work('w1', [documentA, documentB]));
    expect(answers).toMatchObject([
      { kind: 'unsent', reason: 'store' },
      { kind: 'unsent', reason: 'no_time' },
    ]);
    expect(bench.server.received).toEqual([]);
  });

  it('has the receipt stored when there is room again', async () => {
    const putReceipt = jest.spyOn(bench.attempts, 'putReceipt');
    for (let tries = 0; tries < 3; tries += 1) putReceipt.mockRejectedValueOnce(isFull);
    await bench.request(await bench.work('w1', [documentA]));
    expect((await bench.last(documentA))?.receipt).toMatchObject({
      kind: 'accepted',
      externalId: 'c-1',
    });
    expect(bench.warnings).toEqual([]);
  });

  it('gives accepted ids to the workflow though nothing about them can be stored', async () => {
    const work = await bench.work('w1', [documentA]);
    // Each try takes its time: after 20 seconds of them it is over.
    const refuse = async () => {
      bench.ahead += 3_000;
      throw isFull;
    };
    jest.spyOn(bench.attempts, 'putReceipt').mockImplementation(refuse);
    jest.spyOn(bench.place.store.records, 'putIfAbsent').mockImplementation(refuse);
    expect(await bench.request(work)).toMatchObject([{ kind: 'accepted', certidaoId: 'c-1' }]);
    expect(bench.warnings).not.toEqual([]);
  });
});

it('sends nothing when the claim cannot be stored, and stops the run', async () => {
  const work = await bench.work('w1', [documentA, documentB]);
  jest.spyOn(bench.attempts, 'claim').mockRejectedValue(new Error('EIO'));
  bench.server.reply = () => {
    throw new Error('something was sent without a claim');
  };
  await bench.request(work, {}).catch(() => {});
  expect(bench.server.received).toEqual([]);
});

describe('a claim that stands, though its answer was lost', () => {
  /** @param laterMs until the store answers again */
  function loseAnswer(laterMs: number): void {
    const claim = bench.attempts.claim.bind(bench.attempts);
    jest.spyOn(bench.attempts, 'claim').mockImplementationOnce(async (...words) => {
      await claim(...words);
      bench.ahead += laterMs;
      throw new StoreError('other', 'the writer of the store failed');
    });
  }

  it('is asked about, and used once', async () => {
    loseAnswer(0);
    const work = await bench.work('w1', [documentA]);
    expect(await bench.request(work)).toMatchObject([{ kind: 'accepted', certidaoId: 'c-1' }]);
    expect(bench.server.received).toHaveLength(1);
    expect(await bench.history(documentA)).toHaveLength(1);
  });

  it('sends nothing when that is known too late, and says that nothing was sent', async () => {
    loseAnswer(6_000);
    expect(await bench.request(await bench.work('w1', [documentA]))).toMatchObject([
      { kind: 'unsent', attempts: 0 },
    ]);
    expect(bench.server.received).toEqual([]);
    expect((await bench.last(documentA))?.receipt).toMatchObject({ kind: 'not_sent' });
  });
});

it('takes no new row after three seconds', async () => {
  // What passes on a busy machine counts for nothing.
  let now = Date.now();
  Object.assign(bench, { now: () => now });
  bench.server.reply = (_request, response) => {
    now += 1_600;
    sendJson(response, 202, { certidao_id: `c-${bench.server.received.length}` });
  };
  const answers = await bench.request(await bench.work('w1', documents));
  expect(answers.map(({ kind }) => kind)).toEqual(['accepted', 'accepted', 'unsent']);
  expect(await bench.last(documents[2])).toBeNull();
});

it('takes no new row after one second when one has failed: it waits for the chunk to go again', async () => {
  let now = Date.now();
  Object.assign(bench, { now: () => now });
  bench.server.reply = (_request, response) => {
    now += 600;
    if (bench.server.received.length === 1) return sendJson(response, 429, {});
    sendJson(response, 202, { certidao_id: `c-${bench.server.received.length}` });
  };
  const many = Array.from({ length: 5 }, (_, at) => cnpj(at + 1));
  const answers = await bench.request(await bench.work('w1', many));
  expect(answers).toMatchObject([
    { reason: 'not_sent' },
    { reason: 'neighbour' },
    { kind: 'accepted' },
    { reason: 'no_time' },
    { reason: 'no_time' },
  ]);
});

it('ends between rows when the worker is told to stop, never in the middle of one', async () => {
  bench.server.reply = (_request, response) => {
    bench.stopping.abort();
    setTimeout(() => sendJson(response, 202, { certidao_id: 'c-1' }), 30);
  };
  const answers = await bench.request(await bench.work('w1', documents));
  expect(answers).toMatchObject([
    { kind: 'accepted', certidaoId: 'c-1' },
    { kind: 'unsent', reason: 'no_time' },
    { kind: 'unsent', reason: 'no_time' },
  ]);
  expect(bench.server.received).toHaveLength(1);
});

it('proves no access while nothing may be sent, and lets a worker stop', async () => {
  bench.service.limiter.pauseFor(60_000);
  const proof = createCertificateRequestActivities(bench.deps).proveAccess();
  bench.stopping.abort();
  expect(await proof).toBe('unreachable');
  expect(bench.server.received).toEqual([]);
});

it('sends a row home whose permit does not come within the second of the run', async () => {
  bench.service.limiter.pauseFor(30_000);
  const started = Date.now();
  const [answer] = await bench.request(await bench.work('w1', [documentA]));
  expect(answer).toMatchObject({ kind: 'unsent', reason: 'no_permit', attempts: 0 });
  expect(answer?.kind === 'unsent' && answer.notBefore).toBeGreaterThan(started + 25_000);
  expect(await bench.last(documentA)).toBeNull();
});

it('takes no claim once the server may have given the attempt up', async () => {
  const { limiter } = bench.service;
  // The process freezes while it waits for its permit.
  jest.spyOn(limiter, 'acquire').mockImplementation(() => {
    bench.ahead += 6_000;
    return Promise.resolve(true);
  });
  expect(await bench.request(await bench.work('w1', [documentA]))).toMatchObject([
    { kind: 'unsent', reason: 'no_time', attempts: 0 },
  ]);
  expect(await bench.last(documentA)).toBeNull();
  expect(bench.server.received).toEqual([]);
});

it('lets nothing leave when it froze between the claim and the dispatch', async () => {
  const claim = bench.attempts.claim.bind(bench.attempts);
  jest.spyOn(bench.attempts, 'claim').mockImplementation(async (...words) => {
    const result = await claim(...words);
    bench.ahead += 20_000;
    return result;
  });
  expect(await bench.request(await bench.work('w1', [documentA]))).toMatchObject([
    { kind: 'unsent', reason: 'no_time', attempts: 0 },
  ]);
  expect(bench.server.received).toEqual([]);
  expect((await bench.last(documentA))?.receipt).toMatchObject({ kind: 'not_sent' });
});
