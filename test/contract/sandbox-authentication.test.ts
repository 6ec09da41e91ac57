import { company, startManualSandbox, type RawCaller } from '../unit/sandbox/raw-caller';

const secret = 'very-secret-token-4711';

describe('the token of the sandbox', () => {
  let caller: RawCaller;
  beforeEach(async () => {
    caller = await startManualSandbox({ token: secret });
  });
  afterEach(() => caller.close());

  test.each([
    ['no token', null],
    ['an empty token', ''],
    ['another token', 'sandbox-token'],
  ])('refuses %s with a 401 problem', async (_, token) => {
    const { status, json } = await caller.order(company, { token });
    expect(status).toBe(401);
    expect(json).toMatchObject({ status: 401, code: 'unauthorized', retryable: false });
  });

  test('certificates do not take the token in a header', async () => {
    const headers = { authorization: `Bearer ${secret}` };
    expect((await caller.order(company, { token: null, headers })).status).toBe(401);
  });

  test('a request without a working token is on record and starts nothing', async () => {
    await caller.order(company, { token: null });
    expect(caller.sandbox.received()).toMatchObject([{ method: 'POST', status: 401 }]);
    expect(caller.sandbox.counts()).toEqual([]);
  });

  test('a token can be revoked and restored while running', async () => {
    await caller.call('PUT', '/_sandbox/token', { body: { token: secret, valid: false } });
    expect((await caller.order(company, { token: secret })).status).toBe(401);
    caller.sandbox.setToken(secret, true);
    expect((await caller.order(company, { token: secret })).status).toBe(202);
  });

  test('the token shows up in no answer and no record', async () => {
    const replies = [
      await caller.order(company, { token: secret }),
      await caller.order(secret, { token: secret }),
      await caller.call('POST', '/api/v1/certidoes/cnpj', { token: secret, body: `{"${secret}` }),
      await caller.call('GET', `/api/v1/${secret}?also=${secret}`, { token: secret }),
      await caller.call('GET', `/api/v1/certidoes/x?${secret}=1`, { token: secret }),
      await caller.call('GET', '/_sandbox/received'),
      await caller.call('GET', '/_sandbox/state'),
      await caller.call('GET', '/_sandbox/scenario'),
    ];
    for (const { bytes, headers } of replies) {
      expect(bytes.toString()).not.toContain(secret);
      expect(JSON.stringify(headers)).not.toContain(secret);
    }
    expect(JSON.stringify(caller.sandbox.received())).not.toContain(secret);
    expect(caller.sandbox.received()[0]).toMatchObject({ query: { token: '***' } });
  });
});
