import { company, startManualSandbox, type RawCaller } from '../unit/sandbox/raw-caller';

describe('what the sandbox refuses', () => {
  let caller: RawCaller;
  beforeEach(async () => {
    caller = await startManualSandbox();
  });
  afterEach(() => caller.close());

  test('a problem has every field of the specification', async () => {
    const { json, headers } = await caller.call('GET', '/api/v1/certidoes/none');
    expect(json).toEqual({
      status: 404,
      code: 'not_found',
      detail: expect.any(String),
      request_id: headers['x-request-id'],
      retryable: false,
      type: 'https://problems.sandbox.invalid/not_found',
      title: expect.any(String),
      instance: '/api/v1/certidoes/none',
    });
  });

  test.each([
    ['twelve digits', 'trabalhista', { documento: '123456789012' }, 422, 'invalid_document'],
    ['a CPF where a CNPJ belongs', 'cnpj', { cnpj: '52998224725' }, 422, 'invalid_document'],
    ['punctuation', 'cnpj', { cnpj: '11.222.333/0001-81' }, 422, 'invalid_document'],
    ['a number', 'cnpj', { cnpj: 11222333000181 }, 400, 'invalid_body'],
    ['the wrong field', 'cnpj', { documento: company }, 400, 'invalid_body'],
    ['an unknown field', 'cnpj', { cnpj: company, extra: 1 }, 400, 'invalid_body'],
    ['no JSON', 'cnpj', '{"cnpj": ', 400, 'malformed_json'],
    ['nothing', 'cnpj', '', 400, 'malformed_json'],
  ])('refuses a body with %s', async (_, path, body, status, code) => {
    const reply = await caller.call('POST', `/api/v1/certidoes/${path}`, { body });
    expect(reply.status).toBe(status);
    expect(reply.json).toMatchObject({ status, code });
    expect(caller.sandbox.state().certificates).toEqual([]);
  });

  test('refuses JSON that is not called JSON', async () => {
    const headers = { 'content-type': 'text/plain' };
    expect((await caller.order(company, { headers })).status).toBe(415);
  });

  test('refuses a body larger than 1 MiB', async () => {
    const body = { documento: 'x'.repeat(1024 * 1024) };
    const reply = await caller.call('POST', '/api/v1/certidoes/trabalhista', { body });
    expect(reply.status).toBe(413);
    expect(reply.json['code']).toBe('body_too_large');
  });

  test('refuses a query parameter it does not know', async () => {
    const body = { cnpj: company };
    const reply = await caller.call('POST', '/api/v1/certidoes/cnpj?callback=x', { body });
    expect(reply.status).toBe(400);
    expect(reply.json['code']).toBe('unknown_parameter');
  });

  test('an unknown route is refused loudly, and recorded', async () => {
    const { status, json } = await caller.call('GET', '/api/v1/perfil/nada');
    expect(status).toBe(404);
    expect(json).toMatchObject({
      code: 'unknown_route',
      detail: 'The sandbox knows no route GET /api/v1/perfil/nada.',
    });
    expect(caller.sandbox.received()).toMatchObject([
      { number: 1, method: 'GET', path: '/api/v1/perfil/nada', status: 404, accepted: false },
    ]);
  });

  test.each([
    ['GET', '/api/v1/certidoes/cnpj', 'POST'],
    ['DELETE', '/api/v1/certidoes/8e3d0a52', 'GET'],
  ])('%s %s is not allowed', async (method, path, allow) => {
    const reply = await caller.call(method, path);
    expect(reply.status).toBe(405);
    expect(reply.headers['allow']).toBe(allow);
  });

  test('beyond its capacity it refuses rather than forgets', async () => {
    const small = await startManualSandbox({ capacity: 1 });
    try {
      await small.orderId(company);
      const { status, json } = await small.order(company);
      expect(status).toBe(507);
      expect(json['code']).toBe('sandbox_full');
    } finally {
      await small.close();
    }
  });

  test('lets through as many calls a second as the scenario says', async () => {
    caller.sandbox.configure({ rateLimitPerSecond: 2 });
    const statuses = [];
    for (let call = 0; call < 3; call += 1) statuses.push((await caller.order(company)).status);
    expect(statuses).toEqual([202, 202, 429]);
    const refused = await caller.order(company);
    expect(refused.headers['retry-after']).toBe('1');
    expect(refused.json).toMatchObject({ code: 'rate_limited', retryable: true });
    caller.sandbox.clock.advance(1000);
    expect((await caller.order(company)).status).toBe(202);
    expect(caller.sandbox.counts()).toMatchObject([{ requested: 5, started: 3 }]);
  });
});
