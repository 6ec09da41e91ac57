import { Readable } from 'node:stream';
import { createServer as createTlsServer } from 'node:tls';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SafeCause } from '../../../../src/apis/http/errors';
import type { HttpCall } from '../../../../src/apis/http/call';
import { Service } from '../../../../src/apis/http/service';
import { Token } from '../../../../src/apis/http/token';
import {
  LoopbackServer,
  SocketLoopback,
  refusingOrigin,
  sendJson,
} from '../../../support/loopback-server';

/** Every row of the table in the domain notes (4.2), against real sockets: mocks report them wrongly. */

const post: HttpCall = {
  method: 'POST',
  pathTemplate: '/things',
  path: '/things',
  token: 'query',
  json: { documento: '11144477735' },
  timeoutMs: 5_000,
  maxBytes: 1_000,
  keyless: true,
};
const get: HttpCall = { ...post, method: 'GET', json: undefined, keyless: false };

interface Failure extends Error {
  sent: 'no' | 'maybe';
  safeCause: SafeCause;
}

const ended = (text: string): boolean => text.includes('\r\n\r\n');
const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

function serviceAt(baseUrl: string): Service {
  const service = new Service({ baseUrl, token: Token.of('secret'), ratePerSecond: 1_000 });
  closing.push(() => service.close());
  return service;
}

async function sockets(
  onText: Parameters<typeof SocketLoopback.start>[0],
): Promise<SocketLoopback> {
  const server = await SocketLoopback.start(onText);
  closing.push(() => server.close());
  return server;
}

async function failureOf(service: Service, call: HttpCall): Promise<Failure> {
  return (await service.dispatch(call).then(
    () => {
      throw new Error('the call succeeded');
    },
    (error: unknown) => error,
  )) as Failure;
}

it('lets go of the bytes that it was to send when the connection is refused', async () => {
  const stream = Readable.from([Buffer.from('bytes')]);
  const error = await failureOf(serviceAt(await refusingOrigin()), {
    ...post,
    json: undefined,
    stream,
  });
  expect(error).toMatchObject({ name: 'ConnectionError', sent: 'no' });
  expect(stream.destroyed).toBe(true);
});

it('knows that nothing was sent when the connection is refused', async () => {
  const error = await failureOf(serviceAt(await refusingOrigin()), post);
  expect(error).toMatchObject({
    name: 'ConnectionError',
    sent: 'no',
    safeCause: { code: 'ECONNREFUSED', syscall: 'connect' },
  });
});

it('knows that nothing was sent when the other side does not speak TLS', async () => {
  const server = await sockets((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  const error = await failureOf(serviceAt(server.origin.replace('http:', 'https:')), post);
  expect(error).toMatchObject({ name: 'ConnectionError', sent: 'no' });
  expect(server.received.join('')).not.toContain('documento');
});

it('knows that nothing was sent when the TLS handshake fails', async () => {
  const server = createTlsServer({});
  server.on('tlsClientError', () => {});
  await new Promise<void>((ready) => {
    server.listen(0, '127.0.0.1', ready);
  });
  closing.push(async () => {
    await new Promise((done) => server.close(done));
  });
  const { port } = server.address() as AddressInfo;
  const error = await failureOf(serviceAt(`https://127.0.0.1:${port}`), post);
  expect(error).toMatchObject({ name: 'ConnectionError', sent: 'no' });
});

it('knows that nothing was sent after its connections were closed', async () => {
  const server = await sockets(() => {});
  const service = serviceAt(server.origin);
  await service.close();
  const error = await failureOf(service, post);
  expect(error).toMatchObject({ name: 'ConnectionError', sent: 'no' });
  expect(server.received).toEqual([]);
});

it('knows that nothing was sent with a header that cannot be written', async () => {
  const server = await sockets(() => {});
  const error = await failureOf(serviceAt(server.origin), {
    ...post,
    headers: { 'x-mark': 'line\r\nbreak' },
  });
  expect(error).toMatchObject({ name: 'ConnectionError', sent: 'no' });
  expect(server.received).toEqual([]);
});

it('cannot tell what became of a request whose connection was reset after it was read', async () => {
  const server = await sockets((socket, text) => {
    if (ended(text)) socket.resetAndDestroy();
  });
  const error = await failureOf(serviceAt(server.origin), post);
  expect(error).toMatchObject({ name: 'ConnectionError', sent: 'maybe' });
  expect(error.safeCause.code).toBe('ECONNRESET');
  expect(server.received).toHaveLength(1);
});

it('cannot tell what became of a request whose connection was closed without an answer', async () => {
  const server = await sockets((socket, text) => {
    if (ended(text)) socket.end();
  });
  const error = await failureOf(serviceAt(server.origin), post);
  expect(error).toMatchObject({
    name: 'ConnectionError',
    sent: 'maybe',
    safeCause: { code: 'UND_ERR_SOCKET' },
  });
  expect(server.received).toHaveLength(1);
});

it('cannot tell what became of a request that was never answered', async () => {
  const server = await sockets(() => {});
  const error = await failureOf(serviceAt(server.origin), { ...post, timeoutMs: 150 });
  expect(error).toMatchObject({ name: 'TimeoutError', sent: 'maybe', timeoutMs: 150 });
  expect(server.received).toHaveLength(1);
});

it('cannot tell what became of a request whose answer was cut in the middle', async () => {
  const server = await sockets((socket, text) => {
    if (ended(text)) socket.end('HTTP/1.1 202 Accepted\r\ncontent-length: 60\r\n\r\n{"certid');
  });
  const error = await failureOf(serviceAt(server.origin), post);
  expect(error).toMatchObject({ name: 'ConnectionError', sent: 'maybe' });
});

it('cannot tell what became of a request whose answer stalled in the middle', async () => {
  const server = await sockets((socket, text) => {
    if (ended(text)) socket.write('HTTP/1.1 202 Accepted\r\ncontent-length: 60\r\n\r\n{"certid');
  });
  const error = await failureOf(serviceAt(server.origin), { ...post, timeoutMs: 150 });
  expect(error).toMatchObject({ name: 'TimeoutError', sent: 'maybe' });
});

it('counts a reset on a reused connection as possibly sent', async () => {
  let requests = 0;
  const server = await sockets((socket) => {
    requests += 1;
    if (requests === 1) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
    else socket.resetAndDestroy();
  });
  const service = serviceAt(server.origin);
  await service.dispatch(get);
  // The socket goes back to the pool in the turn after the last byte.
  await sleep(5);
  const error = await failureOf(service, get);
  expect(error).toMatchObject({ name: 'ConnectionError', sent: 'maybe' });
  expect(server.received).toHaveLength(1);
});

it('refuses an answer above the byte limit and does not read it to its end', async () => {
  const server = await LoopbackServer.start((_request, response) => {
    response.writeHead(200);
    response.end(Buffer.alloc(1_001));
  });
  closing.push(() => server.close());
  const error = await failureOf(serviceAt(server.origin), post);
  expect(error).toMatchObject({
    name: 'ConnectionError',
    sent: 'maybe',
    safeCause: { code: 'ANSWER_TOO_LARGE' },
  });
});

it('takes an answer of exactly the byte limit', async () => {
  const server = await LoopbackServer.start((_request, response) => {
    response.end(Buffer.alloc(1_000));
  });
  closing.push(() => server.close());
  const answer = await serviceAt(server.origin).dispatch(post);
  expect(answer.body).toHaveLength(1_000);
});

it('never sends a failed request a second time by itself', async () => {
  let resets = 0;
  const server = await sockets((socket, text) => {
    if (!ended(text)) return;
    resets += 1;
    socket.resetAndDestroy();
  });
  const service = serviceAt(server.origin);
  await failureOf(service, post);
  await failureOf(service, get);
  expect(resets).toBe(2);
  expect(server.received).toHaveLength(2);
});

it('says that an aborted wait for a permit sent nothing', async () => {
  const server = await LoopbackServer.start((_request, response) => sendJson(response, 200, {}));
  closing.push(() => server.close());
  const service = serviceAt(server.origin);
  service.limiter.pauseFor(60_000);
  const leaving = new AbortController();
  const waiting = service.call(get, 'poll', leaving.signal).catch((error: unknown) => error);
  leaving.abort();
  expect(await waiting).toMatchObject({ name: 'ConnectionError', sent: 'no' });
  expect(server.received).toEqual([]);
});

it.each([
  ['an hour at most', { 'retry-after': '86400' }, 3_600_000],
  [
    'the time by the clock of the service',
    { 'retry-after': 'Fri, 01 Jan 2100 00:00:09 GMT', date: 'Fri, 01 Jan 2100 00:00:04 GMT' },
    5_000,
  ],
])('a refusal is waited out: %s', async (_, headers, retryAfterMs) => {
  const server = await LoopbackServer.start((_request, response) =>
    sendJson(response, 429, {}, headers as Record<string, string>),
  );
  closing.push(() => server.close());
  expect(await failureOf(serviceAt(server.origin), get)).toMatchObject({ retryAfterMs });
});
