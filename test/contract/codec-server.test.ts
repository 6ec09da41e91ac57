import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { defaultPayloadConverter, type PayloadCodec } from '@temporalio/common';
import { request } from 'undici';
import { accessOf } from '../../src/codec-server/access';
import {
  codecLog,
  codecsFor,
  serveCodec,
  type CodecServer,
  type CodecServerOptions,
  type ServedRequest,
} from '../../src/codec-server/serve-codec';
import { KeyRing } from '../../src/protection/key-ring';
import { EncryptionCodec } from '../../src/temporal/payload/payload-codec';
import { eventually } from '../support/diligence-process';

const oldKey = `old:${'01'.repeat(32)}`;
const newKey = `new:${'02'.repeat(32)}`;
const secret = '{"cpf":"123.456.789-09"}';
const uiOrigin = 'https://temporal.example';
const token = 'a-token-of-forty-characters-for-operators';

interface WirePayload {
  metadata: Record<string, string>;
  data: string;
}

interface Asked {
  path?: string;
  method?: 'POST' | 'GET' | 'OPTIONS';
  headers?: Record<string, string>;
  body?: string;
}

const servers: CodecServer[] = [];
const served: ServedRequest[] = [];

beforeEach(() => served.splice(0));
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

function codecs(keys = newKey, namespaces = ['default']): ReadonlyMap<string, PayloadCodec> {
  return codecsFor(KeyRing.parse(keys), namespaces, null);
}

async function serve(options: Partial<CodecServerOptions> = {}): Promise<CodecServer> {
  const server = await serveCodec({
    listen: { host: '127.0.0.1', port: 0 },
    codecs: codecs(),
    origins: [uiOrigin],
    access: null,
    onServed: (one) => served.push(one),
    ...options,
  });
  servers.push(server);
  return server;
}

async function ask({ endpoint }: CodecServer, asked: Asked = {}) {
  const { path = '/decode', method = 'POST', headers, body } = asked;
  const answer = await request(`${endpoint}${path}`, {
    method,
    headers: { 'content-type': 'application/json', 'x-namespace': 'default', ...headers },
    ...(method === 'POST' && { body: body ?? JSON.stringify({ payloads: [] }) }),
  });
  const text = await answer.body.text();
  return { status: answer.statusCode, headers: answer.headers, text };
}

async function sealed(keys: string, namespace = 'default', value: unknown = secret) {
  const codec = new EncryptionCodec({ ring: KeyRing.parse(keys), namespace });
  return wire(await codec.encode([defaultPayloadConverter.toPayload(value)]));
}

function wire(payloads: Awaited<ReturnType<PayloadCodec['encode']>>): WirePayload[] {
  const base64 = (bytes?: Uint8Array | null) => Buffer.from(bytes ?? []).toString('base64');
  return payloads.map(({ metadata, data }) => ({
    metadata: Object.fromEntries(
      Object.entries(metadata ?? {}).map(([name, value]) => [name, base64(value)]),
    ),
    data: base64(data),
  }));
}

const bodyOf = (payloads: WirePayload[]): string => JSON.stringify({ payloads });
const plainOf = (text: string): string[] =>
  (JSON.parse(text) as { payloads: WirePayload[] }).payloads.map(({ data }) =>
    Buffer.from(data, 'base64').toString('utf8'),
  );

describe('the codec server', () => {
  test('decodes what workers wrote, under any path before /decode', async () => {
    const server = await serve();
    const body = bodyOf(await sealed(newKey));
    for (const path of ['/decode', '/default/decode', '/codec/v1/decode?x=1']) {
      const { status, text, headers } = await ask(server, { path, body });
      expect(status).toBe(200);
      expect(plainOf(text)).toEqual([JSON.stringify(secret)]);
      expect(headers['cache-control']).toBe('no-store');
    }
  });

  test('encodes what the CLI is to send, so that workers can read it', async () => {
    const server = await serve();
    const plain = wire([defaultPayloadConverter.toPayload({ now: true })]);
    const encoded = await ask(server, { path: '/encode', body: bodyOf(plain) });
    expect(encoded.text).not.toContain(plain[0]?.data);
    const decoded = await ask(server, { body: encoded.text });
    expect(JSON.parse(decoded.text)).toEqual({ payloads: plain });
  });

  test('decodes both keys after a rotation, in one request', async () => {
    const server = await serve({ codecs: codecs(`${newKey},${oldKey}`) });
    const both = [...(await sealed(oldKey, 'default', 1)), ...(await sealed(newKey, 'default', 2))];
    const { status, text } = await ask(server, { body: bodyOf(both) });
    expect(status).toBe(200);
    expect(plainOf(text)).toEqual(['1', '2']);
  });

  test('names the key that it lacks', async () => {
    const { status, text } = await ask(await serve(), { body: bodyOf(await sealed(oldKey)) });
    expect(status).toBe(400);
    expect(text).toContain('sealed with the key old');
  });

  test('refuses what was altered: bytes, key id, encoding, one more field', async () => {
    const server = await serve({ codecs: codecs(`${newKey},${oldKey}`) });
    const [payload] = await sealed(newKey);
    if (payload === undefined) throw new Error('nothing was sealed');
    const bytes = Buffer.from(payload.data, 'base64');
    bytes[20] = (bytes[20] ?? 0) ^ 1;
    const base64 = (text: string) => Buffer.from(text).toString('base64');
    const changes: Partial<WirePayload>[] = [
      { data: bytes.toString('base64') },
      { metadata: { ...payload.metadata, 'encryption-key-id': base64('old') } },
      { metadata: { ...payload.metadata, encoding: base64('json/plain') } },
      { metadata: { ...payload.metadata, more: base64('x') } },
    ];
    for (const change of changes) {
      const { status, text } = await ask(server, { body: bodyOf([{ ...payload, ...change }]) });
      expect(status).toBe(400);
      expect(Object.keys(JSON.parse(text) as object)).toEqual(['message']);
      expect(text).not.toContain(payload.data.slice(0, 16));
    }
  });

  test('serves the namespaces given, and holds them apart', async () => {
    const server = await serve({ codecs: codecs(newKey, ['default', 'other']) });
    const body = bodyOf(await sealed(newKey, 'other'));
    const asked = (namespace: string) =>
      ask(server, { body, headers: { 'x-namespace': namespace } });
    expect((await asked('other')).status).toBe(200);
    // Sealed for another one: it does not open here.
    expect((await asked('default')).status).toBe(400);
    expect((await asked('third')).status).toBe(403);
    expect((await asked('')).status).toBe(400);
  });

  test('takes who names no namespace, as the CLI does, to mean the only one', async () => {
    const body = bodyOf(await sealed(newKey));
    const headers = { 'x-namespace': '' };
    expect((await ask(await serve(), { body, headers })).status).toBe(200);
  });

  test('refuses what is no request of the UI or the CLI', async () => {
    const server = await serve();
    const tooLarge = JSON.stringify({ payloads: [], filler: 'x'.repeat(17 * 1024 * 1024) });
    expect((await ask(server, { body: '{"payloads":' })).status).toBe(400);
    expect((await ask(server, { body: '{"payloads":{}}' })).status).toBe(400);
    expect((await ask(server, { body: bodyOf([{ metadata: {}, data: '***' }]) })).status).toBe(400);
    expect((await ask(server, { path: '/' })).status).toBe(404);
    expect((await ask(server, { method: 'GET' })).status).toBe(405);
    expect((await ask(server, { body: tooLarge })).status).toBe(413);
    expect((await ask(server)).status).toBe(200);
  });

  test('counts a body without a length too', async () => {
    const { endpoint } = await serve();
    async function* endless() {
      for (;;) yield Buffer.alloc(1024 * 1024, 'x');
    }
    const headers = { 'x-namespace': 'default' };
    const answer = await request(`${endpoint}/decode`, {
      method: 'POST',
      headers,
      body: Readable.from(endless()),
    }).then(
      ({ statusCode }) => statusCode,
      // The server may hang up before we have read its answer.
      () => 'hung up',
    );
    expect([413, 'hung up']).toContain(answer);
    expect(served.at(-1)).toMatchObject({ status: 413 });
  });

  test('is at no fault when a request is broken off', async () => {
    const { endpoint } = await serve();
    const socket = connect(Number(new URL(endpoint).port), '127.0.0.1');
    await once(socket, 'connect');
    const head = 'POST /decode HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n';
    await new Promise((written) => socket.write(`${head}{"payloads":`, written));
    await new Promise((soon) => setTimeout(soon, 50));
    socket.resetAndDestroy();
    await eventually('it is told', () => served.length > 0);
    expect(served).toEqual([expect.objectContaining({ status: 400 })]);
  });

  test('logs how many payloads there were', () => {
    const lines: string[] = [];
    const { onServed } = codecLog({ write: (line) => void lines.push(line) });
    const asked = { operation: 'decode', status: 200, namespace: 'default' };
    onServed({ ...asked, count: 3, subject: null, reason: null });
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ ...asked, count: 3 });
  });

  test('tells of a request who asked and how much, and nothing that it carried', async () => {
    const server = await serve();
    const body = bodyOf(await sealed(newKey));
    const { text } = await ask(server, { body });
    await ask(server, { body: '{"payloads":[{"data":"c2VjcmV0"}]}' });
    const told = JSON.stringify(served);
    expect(served[0]).toEqual({
      operation: 'decode',
      status: 200,
      namespace: 'default',
      count: 1,
      subject: null,
      reason: null,
    });
    for (const carried of [body, text, secret, 'c2VjcmV0', '123.456']) {
      expect(told).not.toContain(carried);
    }
  });

  test('answers what is under way before it ends', async () => {
    let asked = (): void => undefined;
    const underWay = new Promise<void>((resolve) => (asked = resolve));
    let goOn = (): void => undefined;
    const gate = new Promise<void>((resolve) => (goOn = resolve));
    const slow: PayloadCodec = {
      encode: async (payloads) => payloads,
      decode: async (payloads) => {
        asked();
        await gate;
        return payloads;
      },
    };
    const server = await serve({ codecs: new Map([['default', slow]]) });
    const answer = ask(server);
    await underWay;
    const closed = server.close();
    goOn();
    expect((await answer).status).toBe(200);
    await closed;
    await expect(ask(server)).rejects.toThrow('ECONNREFUSED');
  });
});

describe('the codec server and web pages', () => {
  test('answers the preflight of an origin given, and that one alone', async () => {
    const server = await serve();
    const preflight = (origin: string) =>
      ask(server, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization,content-type,x-namespace',
        },
      });
    const allowed = await preflight(uiOrigin);
    expect(allowed.status).toBe(204);
    expect(allowed.headers).toMatchObject({
      'access-control-allow-origin': uiOrigin,
      'access-control-allow-credentials': 'true',
      'access-control-allow-headers': 'authorization, content-type, x-namespace',
      vary: 'origin',
    });
    for (const origin of ['https://evil.example', 'null', `${uiOrigin}.evil.example`]) {
      const refused = await preflight(origin);
      expect(refused.status).toBe(403);
      expect(refused.headers['access-control-allow-origin']).toBeUndefined();
    }
  });

  test('lets a page read answers and refusals when its origin was given', async () => {
    const server = await serve();
    for (const body of [bodyOf(await sealed(newKey)), bodyOf(await sealed(oldKey))]) {
      const { headers } = await ask(server, { headers: { origin: uiOrigin }, body });
      expect(headers['access-control-allow-origin']).toBe(uiOrigin);
    }
    const body = bodyOf(await sealed(newKey));
    const foreign = await ask(server, { headers: { origin: 'https://evil.example' }, body });
    expect(foreign.status).toBe(403);
    expect(foreign.text).not.toContain('payloads');
  });

  test('is asked by a loopback name only, and by no proxy, while nobody is asked who they are', async () => {
    const server = await serve();
    const port = new URL(server.endpoint).port;
    const called = async (host: string) => (await ask(server, { headers: { host } })).status;
    for (const name of ['127.0.0.1', 'localhost', '[::1]']) {
      expect(await called(`${name}:${port}`)).toBe(200);
    }
    for (const name of ['rebound.example', '127.0.0.1.evil.example', '10.0.0.7']) {
      expect(await called(`${name}:${port}`)).toBe(403);
    }
    const forwarded = { 'x-forwarded-for': '192.0.2.1' };
    expect((await ask(server, { headers: forwarded })).status).toBe(403);
    const known = await serve({ access: await accessOf({ token: { value: token }, oidc: null }) });
    const headers = { ...forwarded, host: 'codec.example', authorization: `Bearer ${token}` };
    expect((await ask(known, { headers })).status).toBe(200);
  });

  test('does not listen beyond loopback without authentication', async () => {
    for (const host of ['0.0.0.0', '::', '192.0.2.1', 'codec.example']) {
      await expect(serve({ listen: { host, port: 0 } })).rejects.toBeInstanceOf(RangeError);
    }
  });
});

describe('the token of the codec server', () => {
  test('is needed, and nothing of what was sent is told', async () => {
    const server = await serve({ access: await accessOf({ token: { value: token }, oidc: null }) });
    const answers = async (authorization?: string) =>
      ask(server, { headers: authorization === undefined ? {} : { authorization } });
    expect((await answers(`Bearer ${token}`)).status).toBe(200);
    for (const wrong of [undefined, 'Bearer', `Bearer ${token}x`, `Basic ${token}`, token]) {
      const { status, headers, text } = await answers(wrong);
      expect(status).toBe(401);
      expect(headers['www-authenticate']).toBe('Bearer');
      expect(text).not.toContain(token);
    }
    expect(JSON.stringify(served)).not.toContain(token);
  });

  test('is not asked of a preflight, which cannot carry it', async () => {
    const server = await serve({ access: await accessOf({ token: { value: token }, oidc: null }) });
    const { status } = await ask(server, { method: 'OPTIONS', headers: { origin: uiOrigin } });
    expect(status).toBe(204);
  });

  test('may be replaced in its file while the server runs', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'diligence-codec-'));
    try {
      const file = join(folder, 'token');
      await writeFile(file, `${token}\n`);
      const server = await serve({ access: await accessOf({ token: { file }, oidc: null }) });
      const statusWith = async (given: string) =>
        (await ask(server, { headers: { authorization: `Bearer ${given}` } })).status;
      expect(await statusWith(token)).toBe(200);
      await writeFile(file, 'another-token-of-good-length');
      expect(await statusWith(token)).toBe(401);
      expect(await statusWith('another-token-of-good-length')).toBe(200);
      await rm(file);
      expect(await statusWith('another-token-of-good-length')).toBe(401);
      await writeFile(file, 'short');
      await expect(accessOf({ token: { file }, oidc: null })).rejects.toMatchObject({
        name: 'ConfigError',
        variable: 'DILIGENCE_CODEC_TOKEN_FILE',
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
