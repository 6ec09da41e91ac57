import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { StatusError } from '../../../../src/apis/http/errors';
import type { HttpCall } from '../../../../src/apis/http/call';
import { Service } from '../../../../src/apis/http/service';
import { Token } from '../../../../src/apis/http/token';
import { LoopbackServer, sendJson } from '../../../support/loopback-server';

const post: HttpCall = {
  method: 'POST',
  pathTemplate: '/things',
  path: '/things',
  token: 'none',
  json: { a: 1 },
  timeoutMs: 5_000,
  maxBytes: 10_000,
  keyless: true,
};
const get: HttpCall = {
  ...post,
  method: 'GET',
  pathTemplate: '/things/{id}',
  path: '/things/7',
  json: undefined,
  keyless: false,
};

let server: LoopbackServer;
let service: Service;
let clock = 1_000_000;

beforeEach(async () => {
  clock = 1_000_000;
  server = await LoopbackServer.start((_request, response) => sendJson(response, 200, { ok: 1 }));
  service = new Service({
    baseUrl: `${server.origin}/api/v1/`,
    token: Token.of('secret'),
    ratePerSecond: 1_000,
    now: () => clock,
  });
});

afterEach(async () => {
  await service.close();
  await server.close();
});

async function refusalOf(call: HttpCall): Promise<StatusError> {
  return (await service.dispatch(call).catch((error: unknown) => error)) as StatusError;
}

it('gives each keyless POST a connection of its own', async () => {
  for (let n = 0; n < 3; n += 1) await service.dispatch(post);
  expect(server.received.map(({ connection }) => connection)).toEqual([1, 2, 3]);
});

it('reuses the connection of its reads', async () => {
  for (let n = 0; n < 3; n += 1) {
    await service.dispatch(get);
    // A socket goes back to the pool in the turn after the last byte.
    await sleep(5);
  }
  expect(server.received.map(({ connection }) => connection)).toEqual([1, 1, 1]);
});

it('sends below the base address whether or not that ends with a slash', async () => {
  await service.dispatch(post);
  expect(server.received[0]).toMatchObject({
    method: 'POST',
    path: '/api/v1/things',
    body: '{"a":1}',
  });
  expect(server.received[0]?.headers).toMatchObject({
    'content-type': 'application/json',
    'accept-encoding': 'identity',
  });
});

it('sends nothing when the check before the dispatch throws', async () => {
  const late = new Error('too late');
  const beforeDispatch = (): void => {
    throw late;
  };
  await expect(service.dispatch({ ...post, beforeSend: async () => beforeDispatch })).rejects.toBe(
    late,
  );
  await sleep(30);
  expect(server.received).toEqual([]);
});

it('runs the check before the dispatch once, when nothing has been received yet', async () => {
  const seen: number[] = [];
  const beforeSend = async () => () => void seen.push(server.received.length);
  await service.dispatch({ ...post, beforeSend });
  expect(seen).toEqual([0]);
});

it.each([301, 302, 303, 307, 308])(
  'treats a redirect of a POST with %i as an error and follows nothing',
  async (status) => {
    server.reply = (_request, response) => {
      response.writeHead(status, { location: '/elsewhere' });
      response.end();
    };
    const error = await refusalOf(post);
    expect(error).toMatchObject({ name: 'StatusError', status, location: '/elsewhere' });
    expect(server.received).toHaveLength(1);
  },
);

it('holds everybody back for as long as a 429 asks, at half the rate from then on', async () => {
  server.reply = (_request, response) => sendJson(response, 429, {}, { 'retry-after': '7' });
  const error = await refusalOf(post);
  expect(error).toMatchObject({ status: 429, retryAfterMs: 7_000 });
  expect(error.wasNotProcessed).toBe(true);
  expect(service.limiter.expectedWaitMs()).toBeGreaterThanOrEqual(7_000);
  expect(await service.limiter.acquire('interactive', { until: clock })).toBe(false);
});

it('waits a second after a 429 that names no time', async () => {
  server.reply = (_request, response) => sendJson(response, 429, {});
  expect(await refusalOf(post)).toMatchObject({ retryAfterMs: null });
  expect(service.limiter.expectedWaitMs()).toBe(1_000);
});

it.each<[string, unknown, Record<string, string>, boolean, boolean]>([
  ['with Retry-After', '', { 'retry-after': '1' }, true, true],
  ['with a problem body', { title: 'busy' }, {}, true, true],
  ['that is not to be sent again', { retryable: false }, { 'retry-after': '1' }, false, true],
  ['without either, as a proxy answers it', '', {}, false, false],
])('judges a 503 %s', async (_words, body, headers, notProcessed, paused) => {
  server.reply = (_request, response) => sendJson(response, 503, body, headers);
  expect((await refusalOf(post)).wasNotProcessed).toBe(notProcessed);
  expect(service.limiter.expectedWaitMs() >= 1_000).toBe(paused);
});

it('believes no 503 when services.resendOn503 is false', async () => {
  const wary = new Service({
    baseUrl: server.origin,
    token: Token.of('secret'),
    ratePerSecond: 10,
    resendOn503: false,
  });
  server.reply = (_request, response) => sendJson(response, 503, {}, { 'retry-after': '1' });
  const error = (await wary.dispatch(post).catch((fault: unknown) => fault)) as StatusError;
  expect(error.status).toBe(503);
  expect(error.wasNotProcessed).toBe(false);
  await wary.close();
});

it.each([500, 502, 504, 400, 409])(
  'does not take a %i as proof of not processed',
  async (status) => {
    server.reply = (_request, response) =>
      sendJson(response, status, { title: 'x' }, { 'retry-after': '1' });
    expect((await refusalOf(post)).wasNotProcessed).toBe(false);
  },
);

it('carries status, code, request id and wish to be asked again of a problem', async () => {
  server.reply = (_request, response) =>
    sendJson(response, 422, { code: 'documento_invalido', request_id: 'req-1', retryable: false });
  expect(await refusalOf(post)).toMatchObject({
    status: 422,
    code: 'documento_invalido',
    requestId: 'req-1',
    retryable: false,
    hasProblem: true,
    message: 'POST /things: answered 422 documento_invalido (request req-1)',
  });
});

it.each([200, 201, 202, 204])('takes %i as success', async (status) => {
  server.reply = (_request, response) => {
    response.writeHead(status);
    response.end();
  };
  expect((await service.dispatch(post)).status).toBe(status);
});

describe('a call that is seen through', () => {
  const keyed: HttpCall = { ...post, keyless: false, seenThrough: true };

  it('is not sent when it is called off while it waits for its permit', async () => {
    const person = new AbortController();
    service.limiter.pauseFor(60_000);
    const calling = service.call(keyed, 'request', person.signal);
    person.abort();
    await expect(calling).rejects.toMatchObject({ name: 'ConnectionError', sent: 'no' });
    expect(server.received).toHaveLength(0);
  });

  it('is not sent when it is called off while its token is fetched', async () => {
    const person = new AbortController();
    const token = {
      current: () => {
        person.abort();
        return Promise.resolve('secret');
      },
    } as unknown as Token;
    const other = new Service({ baseUrl: server.origin, token, ratePerSecond: 1_000 });
    const calling = other.call({ ...keyed, token: 'bearer' }, 'request', person.signal);
    await expect(calling).rejects.toMatchObject({ name: 'ConnectionError', sent: 'no' });
    await other.close();
    expect(server.received).toHaveLength(0);
  });

  it('says that it leaves only once it has its permit, and not when that is not given', async () => {
    const person = new AbortController();
    const told: string[] = [];
    const beforeSend = async (): Promise<void> => void told.push('leaves');
    service.limiter.pauseFor(300);
    const calling = service.call({ ...keyed, beforeSend }, 'request', person.signal);
    await new Promise((done) => setTimeout(done, 50));
    expect(told).toEqual([]);
    clock += 300;
    await calling;
    expect(told).toEqual(['leaves']);
    const full = new RangeError('the disk is full');
    const failing = async (): Promise<void> => Promise.reject(full);
    await expect(service.call({ ...keyed, beforeSend: failing }, 'request')).rejects.toBe(full);
    service.limiter.pauseFor(60_000);
    const calledOff = service.call({ ...keyed, beforeSend }, 'request', person.signal);
    person.abort();
    await expect(calledOff).rejects.toMatchObject({ sent: 'no' });
    expect(told).toEqual(['leaves']);
    expect(server.received).toHaveLength(1);
  });

  it('brings its answer home although it is called off when it has left', async () => {
    const person = new AbortController();
    server.reply = (_request, response) => {
      person.abort();
      setTimeout(() => sendJson(response, 200, { ok: 1 }), 50);
    };
    const { status } = await service.call(keyed, 'request', person.signal);
    expect({ status, calledOff: person.signal.aborted }).toEqual({ status: 200, calledOff: true });
  });
});

describe('an answer that is packed although nobody asked for it', () => {
  const answering = async (body: Buffer, status = 200): Promise<Buffer> => {
    server.reply = (_request, response) => {
      response.writeHead(status, { 'content-encoding': 'gzip' }).end(body);
    };
    return (await service.dispatch(post)).body;
  };

  it('is unpacked', async () => {
    expect((await answering(gzipSync('{"id":"x"}'))).toString()).toBe('{"id":"x"}');
    expect((await answering(Buffer.alloc(0))).toString()).toBe('');
  });

  it('is taken as it is when it is not packed after all', async () => {
    expect((await answering(Buffer.from('{"id":"x"}'))).toString()).toBe('{"id":"x"}');
  });

  it('says why the service refuses, if it can be unpacked', async () => {
    const packed = gzipSync('{"code":"closed","retryable":false}');
    const refusal = { status: 503, code: 'closed', retryable: false };
    await expect(answering(packed, 503)).rejects.toMatchObject(refusal);
    await expect(answering(packed.subarray(0, 20), 503)).rejects.toMatchObject({ status: 503 });
  });

  it('is refused beyond the bytes of the call, and when it is cut short', async () => {
    const large = gzipSync(Buffer.alloc(1_000_000));
    await expect(answering(large)).rejects.toThrow(/ANSWER_TOO_LARGE/);
    await expect(answering(large.subarray(0, 200))).rejects.toThrow(/ANSWER_TOO_LARGE|Z_BUF_ERROR/);
    await expect(answering(gzipSync('{"id":"x"}').subarray(0, 20))).rejects.toThrow(/Z_BUF_ERROR/);
  });
});
