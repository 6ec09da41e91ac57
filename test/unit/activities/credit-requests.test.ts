import { CreditBench, json } from './credit-bench';

let bench: CreditBench;
beforeEach(async () => {
  bench = await CreditBench.start();
});
afterEach(() => bench.close());

it('claims before it sends, sends once, and files the receipt', async () => {
  bench.replies.upload = async (request, response) => {
    expect((await bench.ledger.history(bench.thing)).last).toMatchObject({ n: 1, receipt: null });
    await json(202, { id: 'op-1' })(request, response);
  };
  expect(await bench.request('r1')).toMatchObject({ kind: 'accepted', operationId: 'op-1' });
  expect(bench.server.received.at(-1)?.body).toContain('a file');
  expect((await bench.ledger.history(bench.thing)).last?.receipt).toMatchObject({
    kind: 'accepted',
    certidaoId: 'op-1',
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
  expect(bench.lost).toEqual(['no_answer']);
});

it.each([500, 502, 504, 503, 302, 408])('calls %s unknown', async (status) => {
  bench.replies.upload = json(status, {});
  expect(await bench.request('r1')).toMatchObject({ kind: 'unknown' });
});

it('calls a 2xx without an id unknown', async () => {
  bench.replies.upload = json(201, { something: 'else' });
  expect(await bench.request('r1')).toMatchObject({ kind: 'unknown' });
  expect(bench.lost).toEqual(['unreadable']);
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
  expect((await bench.ledger.history(bench.thing)).last?.receipt?.kind).toBe('not_sent');
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
  const owner = { workflowId: `credit/${'ab'.repeat(16)}`, run: 'r1' };
  await bench.ledger.claim(bench.thing, 1, {
    owner,
    kind: 'send',
    nonce: 'n',
    notAfter: claimedAt + 400,
    claimedAt,
    afterUnknown: false,
  });
  expect(await bench.request('r2')).toMatchObject({ kind: 'unsent', why: 'another work' });
  expect(await bench.recover('r1')).toMatchObject({ kind: 'unknown' });
  expect(Date.now()).toBeGreaterThan(claimedAt + 400);
  expect(bench.uploads).toBe(0);
});
