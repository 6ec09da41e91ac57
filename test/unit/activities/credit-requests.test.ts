import { AnalysisRepository } from '../../../src/store/credit/analyses';
import type { Reply } from '../../support/loopback-server';
import { CreditBench, json } from './credit-bench';

let bench: CreditBench;
beforeEach(async () => {
  bench = await CreditBench.start();
});
afterEach(() => bench.close());

it('claims before it sends, sends once, and files the receipt', async () => {
  bench.replies.upload = async (request, response) => {
    expect(await bench.last()).toMatchObject({ n: 1, receipt: null });
    await json(202, { id: 'op-1' })(request, response);
  };
  expect(await bench.request('r1')).toMatchObject({ kind: 'accepted', operationId: 'op-1' });
  expect(bench.server.received.at(-1)?.body).toContain('a file');
  expect((await bench.last())?.receipt).toMatchObject({
    kind: 'accepted',
    externalId: 'op-1',
  });
});

it('takes up what was accepted before, and sends nothing', async () => {
  await bench.request('r1');
  expect(await bench.request('r2')).toMatchObject({ kind: 'accepted', operationId: 'op-1' });
  expect(bench.uploads).toBe(1);
});

it('calls an answer that was lost unknown, and never sends again by itself', async () => {
  bench.replies.upload = (_request, response) => void response.destroy();
  expect(await bench.request('r1')).toMatchObject({ kind: 'unknown' });
  expect(await bench.request('r2')).toMatchObject({ kind: 'unknown' });
  expect(bench.uploads).toBe(1);
});

it('tells that two may be charged when what was sent again is lost too', async () => {
  bench.replies.upload = (_request, response) => void response.destroy();
  expect(await bench.request('r1')).toMatchObject({ kind: 'unknown', afterUnknown: false });
  const resolution = { action: 'reissue', externalId: null, by: 'x', note: '', at: 1 } as const;
  await bench.attempts.resolve(bench.subject, 1, resolution);
  expect(await bench.request('r2')).toMatchObject({ kind: 'unknown', afterUnknown: true });
  expect(await bench.request('r3')).toMatchObject({ kind: 'unknown', afterUnknown: true });
  expect(await bench.recover('r2')).toMatchObject({ kind: 'unknown', afterUnknown: true });
  expect(bench.uploads).toBe(2);
});

it.each([
  ['lost', (_request, response) => void response.destroy()],
  ['of words that nobody can read', json(201, { message: 'ok' })],
] satisfies [string, Reply][])(
  'tries the way with one upload at a time when answers are %s',
  async (_, reply) => {
    bench.replies.upload = reply;
    const lose = async (n: number): Promise<void> => {
      expect(await bench.request(`r${n}`)).toMatchObject({ kind: 'unknown' });
      const resolution = { action: 'reissue', externalId: null, by: 'x', note: '', at: n } as const;
      await bench.attempts.resolve(bench.subject, n, resolution);
    };
    for (let n = 1; n <= 5; n += 1) await lose(n);
    expect(await bench.request('r6')).toMatchObject({ kind: 'unsent', why: 'service' });
    expect(bench.uploads).toBe(5);
    bench.ahead += 1_000;
    await lose(6);
    bench.ahead += 1_000;
    expect(await bench.request('r7')).toMatchObject({ kind: 'unsent', why: 'service' });
    bench.ahead += 1_000;
    bench.replies.upload = json(202, { id: 'op-1' });
    expect(await bench.request('r7')).toMatchObject({ kind: 'accepted' });
    expect(bench.uploads).toBe(7);
  },
);

it.each(['another text', ''])('gives up at once when its copy is spoilt: "%s"', async (text) => {
  const keys = await bench.place.store.records.list('inputs/');
  const part = keys.find((key) => key.endsWith('/00000')) ?? '';
  if (text === '') await bench.place.store.records.remove(part);
  else await bench.place.store.records.replace(part, Buffer.from(text));
  const { answer } = bench.begin('r1', { before: { why: 'fault', notBefore: 0 } });
  expect(await answer).toMatchObject({
    kind: 'corrupt',
    message: expect.stringContaining('nothing was sent'),
  });
  expect(bench.uploads).toBe(0);
  expect(await bench.last()).toBeNull();
});

it.each([500, 502, 504, 503, 302, 408])('calls %s unknown', async (status) => {
  bench.replies.upload = json(status, {});
  expect(await bench.request('r1')).toMatchObject({ kind: 'unknown' });
});

it('calls a 2xx without an id unknown', async () => {
  bench.replies.upload = json(201, { something: 'else' });
  expect(await bench.request('r1')).toMatchObject({ kind: 'unknown' });
  const kept = await new AnalysisRepository(bench.place.store).unreadable(bench.ref.folder);
  expect(kept?.toString()).toContain('"something"');
});

it('tells why the service refused, and keeps that off the attempt', async () => {
  const detail = 'Trailer: o sacado 111.444.777-35 falta.';
  bench.replies.upload = json(422, { status: 422, code: 'invalid_cnab', detail });
  expect(await bench.request('r1')).toMatchObject({
    kind: 'refused',
    code: 'invalid_cnab',
    message:
      'the service refused the upload: it answered 422: Trailer: o sacado ***.444.777-** falta.',
  });
  expect(JSON.stringify(await bench.last())).not.toContain('sacado');
});

it('takes a 4xx for a refusal, after which it may be sent anew', async () => {
  bench.replies.upload = json(413, {});
  expect(await bench.request('r1')).toMatchObject({ kind: 'refused', wasSent: true });
  bench.replies.upload = json(202, { id: 'op-2' });
  expect(await bench.request('r2')).toMatchObject({
    kind: 'accepted',
    operationId: 'op-2',
    afterUnknown: false,
  });
});

it.each([
  [429, 'service'],
  [401, 'credentials'],
] as const)('goes again after %s', async (status, why) => {
  bench.replies.upload = json(status, {});
  expect(await bench.request('r1')).toMatchObject({ kind: 'unsent', why });
  expect((await bench.last())?.receipt?.kind).toBe('not_sent');
});

it('sends nothing for a run that its recovery has closed', async () => {
  expect(await bench.recover('r1')).toMatchObject({ kind: 'unsent' });
  expect(await bench.request('r1')).toMatchObject({ kind: 'unsent' });
  expect(bench.uploads).toBe(0);
  expect(await bench.request('r2')).toMatchObject({ kind: 'accepted' });
});

it('recovers the receipt of a run whose answer never reached the workflow', async () => {
  await bench.request('r1');
  expect(await bench.recover('r1')).toMatchObject({ kind: 'accepted', operationId: 'op-1' });
  expect(bench.uploads).toBe(1);
});

it('waits for a claim without a receipt until nothing can leave any more', async () => {
  const claimedAt = Date.now();
  const owner = { workflowId: `credit/${'ab'.repeat(16)}`, chunk: 'r1' };
  const answerBy = claimedAt + 100;
  const claim = {
    owner,
    kind: 'send',
    nonce: 'n',
    answerBy,
    claimedAt,
    afterUnknown: false,
  } as const;
  await bench.attempts.claim(bench.subject, 1, claim, bench.ref.folder);
  expect(await bench.request('r2')).toMatchObject({ kind: 'unsent', why: 'another job' });
  expect(await bench.recover('r1')).toMatchObject({ kind: 'unknown' });
  expect(Date.now()).toBeGreaterThan(claimedAt + 100);
  expect(bench.uploads).toBe(0);
});

describe('an upload that is turned away', () => {
  const earlier = { why: 'service', notBefore: 0 } as const;

  it('waits and goes again by itself, each time as an attempt of its own', async () => {
    const statuses = [429, 503, 202];
    bench.replies.upload = (request, response) => {
      const status = statuses.shift() ?? 500;
      return json(status, { id: 'op-1', code: 'busy' })(request, response);
    };
    const pauses: number[] = [];
    bench.pause = async (ms) => {
      pauses.push(ms);
      bench.ahead += ms;
    };
    const { answer } = bench.begin('r1', { before: earlier });
    expect(await answer).toMatchObject({ kind: 'accepted', operationId: 'op-1' });
    expect(pauses).toHaveLength(2);
    expect(bench.uploads).toBe(3);
    const receipts = (await bench.attempts.of(bench.subject)).map(({ receipt }) => receipt?.kind);
    expect(receipts).toEqual(['not_sent', 'not_sent', 'accepted']);
  });

  it('comes back at once when it is about the token, and when it no longer is', async () => {
    bench.replies.upload = json(401, {});
    expect(await bench.begin('r1').answer).toMatchObject({ kind: 'unsent', why: 'credentials' });
    bench.replies.upload = json(429, {});
    const before = { why: 'credentials', notBefore: 0 } as const;
    expect(await bench.begin('r2', { before }).answer).toMatchObject({ why: 'service' });
    expect(bench.uploads).toBe(2);
  });

  it('comes back when it is to wait longer than it may unseen', async () => {
    bench.replies.upload = (_request, response) => {
      response.writeHead(429, { 'retry-after': '600' });
      response.end();
    };
    const askedAt = Date.now();
    const answer = await bench.begin('r1').answer;
    expect(answer).toMatchObject({ kind: 'unsent', why: 'service' });
    expect(answer.kind === 'unsent' && answer.notBefore).toBeGreaterThanOrEqual(askedAt + 600_000);
    expect(bench.uploads).toBe(1);
  });

  it('is not sent once its time is over, nor when it is cancelled while it waits', async () => {
    const later = { why: 'service', notBefore: Date.now() + 3_600_000 } as const;
    const end = Date.now() + 50;
    const over = { sendBy: end, until: end, before: later };
    expect(await bench.begin('r1', over).answer).toMatchObject({
      kind: 'unsent',
      why: 'service',
      isOver: true,
    });
    const { environment, answer } = bench.begin('r2', { before: later });
    environment.cancel();
    expect(await answer).toMatchObject({ kind: 'unsent', why: 'service' });
    expect(bench.uploads).toBe(0);
  });

  it('is not sent when it is taken up after the deadline, though it was never tried', async () => {
    const end = Date.now() - 1;
    expect(await bench.begin('r1', { sendBy: end, until: end }).answer).toMatchObject({
      kind: 'unsent',
      isOver: true,
    });
    expect(bench.uploads).toBe(0);
    expect(await bench.last()).toBeNull();
  });

  it('is never sent again once its recovery has been', async () => {
    bench.replies.upload = json(429, {});
    bench.pause = async (ms) => {
      expect(await bench.recover('r1')).toMatchObject({ kind: 'unsent' });
      bench.replies.upload = json(202, { id: 'op-1' });
      bench.ahead += ms;
    };
    const { answer } = bench.begin('r1', { before: earlier });
    expect(await answer).toMatchObject({ kind: 'unsent', why: 'another job' });
    expect(bench.uploads).toBe(1);
  });
});

it('sends nothing for a work that has ended, however it did', async () => {
  expect(await bench.conclude('cancelled')).toMatchObject({ status: 'cancelled' });
  expect(await bench.request('r1')).toMatchObject({ kind: 'refused', code: 'ended' });
  expect(bench.uploads).toBe(0);
  expect(await bench.conclude('refused')).toMatchObject({ status: 'cancelled' });
  expect(bench.ended).toEqual(['cancelled']);
});
