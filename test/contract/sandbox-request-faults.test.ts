import {
  company,
  errorCodeOf,
  startManualSandbox,
  untilReceived,
  type RawCaller,
} from '../unit/sandbox/raw-caller';
import type { ScenarioInput } from '../../src/sandbox';

type RequestStep = NonNullable<
  NonNullable<NonNullable<ScenarioInput['documents']>[string]>['request']
>[number];

describe('faults of a request', () => {
  let caller: RawCaller;
  beforeEach(async () => {
    caller = await startManualSandbox();
  });
  afterEach(() => caller.close());

  function script(...request: RequestStep[]): void {
    caller.sandbox.configure({ documents: { [company]: { request } } });
  }

  /** What the service did, whatever it said. */
  function issuancesStarted(): number {
    return caller.sandbox.counts()[0]?.started ?? 0;
  }

  test.each([
    ['429', 429, 0],
    ['429_bare', 429, 0],
    ['503', 503, 0],
    ['503_bare', 503, 0],
    ['500_html', 500, 0],
    ['500_html_after', 500, 1],
    ['502', 502, 0],
    ['504_after', 504, 1],
    ['redirect', 302, 0],
    ['401', 401, 0],
    ['403_unauthorized', 403, 0],
    ['400_refused', 400, 0],
    ['unreadable_2xx', 202, 1],
    ['missing_id', 202, 1],
    ['extra_fields', 202, 1],
  ] as const)('%s answers %i and starts %i issuances', async (kind, status, started) => {
    script(kind);
    expect((await caller.order(company)).status).toBe(status);
    expect(issuancesStarted()).toBe(started);
    expect(caller.sandbox.received()).toMatchObject([
      { fault: kind, status, accepted: started === 1, subject: company, variant: 'cndt' },
    ]);
    expect((await caller.order(company)).json).toMatchObject({ status: 'queued' });
    expect(issuancesStarted()).toBe(started + 1);
  });

  test.each([
    ['reset_before', 0],
    ['reset_after', 1],
  ] as const)('%s resets the connection and starts %i issuances', async (kind, started) => {
    script(kind);
    expect(await errorCodeOf(caller.order(company))).toMatch(/ECONNRESET|UND_ERR_SOCKET/);
    expect(issuancesStarted()).toBe(started);
    expect(caller.sandbox.received()).toMatchObject([
      { fault: kind, status: null, abandoned: false },
    ]);
  });

  test.each([
    ['no_answer_before', 0],
    ['no_answer', 1],
  ] as const)('%s keeps the client waiting and starts %i issuances', async (kind, started) => {
    script(kind);
    const patience = new AbortController();
    const order = errorCodeOf(caller.order(company, { signal: patience.signal }));
    await untilReceived(caller.sandbox, 1);
    caller.sandbox.clock.advance(3_600_000);
    patience.abort();
    await order;
    expect(issuancesStarted()).toBe(started);
    expect(caller.sandbox.received()).toMatchObject([{ fault: kind, status: null }]);
    while (caller.sandbox.received().some(({ abandoned }) => !abandoned)) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  });

  test('cut_answer starts the issuance and sends half the answer', async () => {
    script('cut_answer');
    expect(await errorCodeOf(caller.order(company))).toMatch(
      /UND_ERR_SOCKET|ECONNRESET|UND_ERR_RES_CONTENT_LENGTH_MISMATCH/,
    );
    expect(issuancesStarted()).toBe(1);
    expect(caller.sandbox.received()).toMatchObject([
      { status: 202, accepted: true, abandoned: false },
    ]);
  });

  test('429 and 503 say when to come back, in a problem', async () => {
    script({ kind: '429', retryAfterSeconds: 7 }, { kind: '503', retryAfterSeconds: 9 });
    const limited = await caller.order(company);
    expect(limited.headers['retry-after']).toBe('7');
    expect(limited.json).toMatchObject({ status: 429, code: 'rate_limited', retryable: true });
    const busy = await caller.order(company);
    expect(busy.headers['retry-after']).toBe('9');
    expect(busy.json).toMatchObject({ status: 503, retryable: true });
  });

  test('503_bare says nothing but 503', async () => {
    script('503_bare');
    const { headers, json } = await caller.order(company);
    expect(headers).not.toHaveProperty('retry-after');
    expect(json).toBeUndefined();
  });

  test('a refusal says that it is final, an unauthorized one that it is the credentials', async () => {
    script('400_refused', '403_unauthorized');
    expect((await caller.order(company)).json).toMatchObject({ status: 400, retryable: false });
    expect((await caller.order(company)).json).toMatchObject({ status: 403, code: 'unauthorized' });
  });

  test('a redirect leads nowhere and carries no token', async () => {
    script('redirect');
    expect((await caller.order(company)).headers['location']).toBe('/manutencao');
  });

  test('unreadable_2xx is not JSON and missing_id has no way to find the issuance', async () => {
    script('unreadable_2xx', 'missing_id');
    expect((await caller.order(company)).json).toBeUndefined();
    const { json, bytes } = await caller.order(company);
    expect(json['status']).toBe('queued');
    for (const { certificate } of caller.sandbox.state().certificates) {
      expect(bytes.toString()).not.toContain(String(certificate['certidao_id']));
    }
  });

  test('extra_fields puts fields nobody knows at every level', async () => {
    script('extra_fields');
    const { json } = await caller.order(company);
    expect(json).toMatchObject({
      campo_novo: expect.any(String),
      links: { campo_novo: expect.any(String) },
    });
  });

  test('slow acts at once and answers when its delay is over', async () => {
    script({ kind: 'slow', delayMs: 30_000 });
    let answered = false;
    const order = caller.order(company).then((reply) => {
      answered = true;
      return reply.status;
    });
    await untilReceived(caller.sandbox, 1);
    while (issuancesStarted() === 0) await new Promise((resolve) => setImmediate(resolve));
    caller.sandbox.clock.advance(29_999);
    expect((await caller.order('52998224725')).status).toBe(202);
    expect(answered).toBe(false);
    caller.sandbox.clock.advance(1);
    expect(await order).toBe(202);
  });

  test('latency passes before every answer', async () => {
    caller.sandbox.configure({ latencyMs: [100, 100] });
    const order = caller.order(company);
    while (issuancesStarted() === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(caller.sandbox.received()).toMatchObject([{ status: null, accepted: true }]);
    caller.sandbox.clock.advance(100);
    expect((await order).status).toBe(202);
  });

  test('steps are used up in order, each as often as it says', async () => {
    script('ok', { kind: '502', times: 2 }, '429');
    const statuses = [];
    for (let call = 0; call < 5; call += 1) statuses.push((await caller.order(company)).status);
    expect(statuses).toEqual([202, 502, 502, 429, 202]);
  });

  test('a star stands for every document that has no lines of its own', async () => {
    caller.sandbox.configure({
      documents: { '*': { request: ['502'] }, [company]: { request: ['429'] } },
    });
    expect((await caller.order(company)).status).toBe(429);
    expect((await caller.order('52998224725')).status).toBe(502);
    expect((await caller.order('11144477735')).status).toBe(502);
  });
});
