import { Readable } from 'node:stream';
import { StatusError } from '../../src/apis/http/errors';
import { Service } from '../../src/apis/http/service';
import { Token } from '../../src/apis/http/token';
import { fetchArtifact } from '../../src/apis/investigation/artifacts';
import { LensApi } from '../../src/apis/investigation/lens';
import { readEnvironment } from '../../src/environment';
import { parseConfig } from '../../src/environment/config-file';
import { LoopbackServer, houseGuard, sendJson } from '../support/loopback-server';

const id = '3f0c6a52-7d1e-4b8a-9c55-0e9d2a6b1f47';
const sha256 = 'ab'.repeat(32);
const upload = {
  method: 'PUT',
  url: 'https://store.test/x?signature=s',
  headers: { 'Content-Type': 'application/octet-stream', 'X-Store-Size': 3 },
  expires_at: '2026-01-05T13:00:00Z',
};

/** Every field of the specification's table at once. */
const analysis = {
  id,
  object: 'lente_analysis',
  mode: 'geo',
  status: 'awaiting_upload',
  file: {
    media_type: 'image/jpeg',
    size_bytes: 3,
    sha256: sha256.toUpperCase(),
    upload_status: 'pending',
  },
  billing: { status: 'not_charged', amount: 0, unit: 'tokens' },
  artifacts: [
    {
      id: 'a1',
      type: 'input_image',
      status: 'available',
      url: '/files/a1',
      url_expires_at: '2026-01-05T13:00:00Z',
      available_until: '2026-02-05',
    },
  ],
  created_at: '2026-01-05T12:00:00Z',
  updated_at: '2026-01-05T12:00:01Z',
  upload,
  result: { hypotheses: [] },
  failure: { code: 'x', message: 'y', retryable: false },
  poll_after_seconds: 2,
  submitted_at: '2026-01-05T12:00:02Z',
  started_at: '2026-01-05T12:00:03Z',
  completed_at: '2026-01-05T12:00:04Z',
};

let server: LoopbackServer;
/** Another origin than the service's: where the bytes go. */
let store: LoopbackServer;
let service: Service;

beforeEach(async () => {
  server = await LoopbackServer.start((_, response) => sendJson(response, 200, analysis));
  store = await LoopbackServer.start((_, response) => void response.writeHead(204).end());
  service = new Service({
    baseUrl: `${server.origin}/api/v1`,
    token: Token.of('secret'),
    ratePerSecond: 10_000,
    guard: houseGuard,
  });
});
afterEach(async () => {
  await service.close();
  await server.close();
  await store.close();
});

const apiWith = (config: object = {}) =>
  new LensApi(service, readEnvironment({}, parseConfig(config)).lens);
const readWith = async (fields: object) => {
  server.reply = (_, response) => sendJson(response, 200, { ...analysis, ...fields });
  return (await apiWith().read(id)).analysis;
};
const bytes = () => Readable.from([Buffer.from('ab'), Buffer.from('c')]);
const sized = { sizeBytes: 3, timeoutMs: 5_000 };

test('an analysis reads as it was told', async () => {
  const read = await apiWith().read(id);
  expect(read.answer).toEqual(analysis);
  expect(read.analysis).toEqual({
    analysisId: id,
    state: 'awaiting_upload',
    statusWord: 'awaiting_upload',
    mode: 'geo',
    billing: { status: 'not_charged', amount: 0, unit: 'tokens' },
    artifacts: [
      {
        artifactId: 'a1',
        type: 'input_image',
        mediaType: null,
        status: 'available',
        url: '/files/a1',
        urlExpiresAt: '2026-01-05T13:00:00Z',
        availableUntil: '2026-02-05',
      },
    ],
    upload: {
      method: 'PUT',
      url: upload.url,
      headers: { 'Content-Type': 'application/octet-stream', 'X-Store-Size': '3' },
      expiresAt: '2026-01-05T13:00:00Z',
    },
    result: { hypotheses: [] },
    failure: { code: 'x', message: 'y', retryable: false, retryAfterMs: null },
    pollAfterMs: 2_000,
  });
});

test.each(['awaiting_upload', 'queued', 'running', 'completed', 'failed', 'cancelled', 'expired'])(
  'knows an analysis that is %s',
  async (status) => {
    expect((await readWith({ status })).state).toBe(status);
  },
);

test.each(['geo', 'face', 'sound'])('tells the mode %s as it is', async (mode) => {
  expect((await readWith({ mode })).mode).toBe(mode);
});

test('reads an analysis of which only the id can be read', async () => {
  for (const value of [null, 7, 'words']) {
    const fields = Object.keys(analysis).filter((name) => name !== 'id');
    const odd = Object.fromEntries(fields.map((name) => [name, value]));
    expect(await readWith(odd)).toMatchObject({
      state: 'unknown',
      upload: null,
      artifacts: [],
      result: null,
    });
  }
});

test('every artifact that is announced has an id of its own, which can name a file', async () => {
  const odd = [
    'A/../1',
    'image:1',
    'two words',
    'a'.repeat(500),
    '..',
    '',
    null,
    {},
    7,
    'a1',
    'a1',
  ];
  const artifacts = odd.map((told) => ({ id: told, url: '/files/x' }));
  const read = (await readWith({ artifacts })).artifacts;
  const ids = read.map(({ artifactId }) => artifactId);
  expect(ids).toEqual([
    ...Array.from({ length: 5 }, () => expect.stringMatching(/^id-[0-9a-f]{32}$/)),
    'position-6',
    'position-7',
    'position-8',
    '7',
    'a1',
    'position-11',
  ]);
  expect(new Set(ids).size).toBe(odd.length);
  expect(read.every(({ url }) => url === '/files/x')).toBe(true);
  // The next read tells the same ones.
  expect((await readWith({ artifacts })).artifacts).toEqual(read);
});

test.each([
  ['with a method other than PUT', { ...upload, method: 'POST' }],
  ['without an address', { ...upload, url: '' }],
])('an upload %s cannot be followed', async (_, other) => {
  expect((await readWith({ upload: other })).upload).toBeNull();
});

test('a new analysis has size, sum and key, and the mode only when it is given', async () => {
  const asked = { sizeBytes: 3, sha256, key: 'k' };
  await apiWith().create({ ...asked, mode: null });
  await apiWith().create({ ...asked, mode: 'face' });
  await apiWith({ lens: { modeField: 'kind' } }).create({ ...asked, mode: 'geo' });
  const file = { size_bytes: 3, sha256 };
  expect(server.posts().map(({ body }) => JSON.parse(body) as unknown)).toEqual([
    { file },
    { file, mode: 'face' },
    { file, kind: 'geo' },
  ]);
  expect(server.posts()[0]).toMatchObject({
    path: '/api/v1/lente/analyses',
    headers: { 'idempotency-key': 'k', authorization: 'Bearer secret' },
  });
});

test('the upload has the headers that were told and are for a store, and never our token', async () => {
  const told = { 'X-Amz-Signed': 'v', 'Content-Type': 'image/jpeg', campo_novo: 'x' };
  const to = {
    method: 'PUT',
    url: `${store.origin}/x?signature=s`,
    headers: told,
    expiresAt: null,
  };
  await apiWith().upload(to, bytes, sized);
  const [received] = store.received;
  expect(received).toMatchObject({ method: 'PUT', path: '/x', body: 'abc' });
  const { host, connection, ...headers } = received?.headers ?? {};
  expect({ host, connection }).toEqual({
    host: new URL(store.origin).host,
    connection: 'keep-alive',
  });
  expect(headers).toEqual({
    'x-amz-signed': 'v',
    'content-type': 'image/jpeg',
    'content-length': '3',
  });
});

test('a store that sends the upload elsewhere gets it there, whole', async () => {
  store.reply = ({ query }, response) => {
    const headers = query.has('moved') ? {} : { location: '/y?moved=1' };
    response.writeHead(query.has('moved') ? 204 : 307, headers).end();
  };
  const to = { method: 'PUT', url: `${store.origin}/x`, headers: {}, expiresAt: null };
  await apiWith().upload(to, bytes, sized);
  expect(store.received.map(({ path, body }) => [path, body])).toEqual([
    ['/x', expect.anything()],
    ['/y', 'abc'],
  ]);
});

test.each(['Authorization', 'cookie', 'Transfer-Encoding', 'X-Forwarded-For', 'connection'])(
  'an upload with the header %s is not sent at all',
  async (name) => {
    const url = `${store.origin}/x`;
    const to = { method: 'PUT', url, headers: { [name]: 'v' }, expiresAt: null };
    await expect(apiWith().upload(to, bytes, sized)).rejects.toMatchObject({
      name: 'RefusedAddressError',
    });
    expect(store.received).toEqual([]);
  },
);

test('an upload that is refused tells the status, and quotes no address', async () => {
  store.reply = (_, response) => void response.writeHead(401).end('<Error/>');
  const to = { method: 'PUT', url: `${store.origin}/x?signature=s`, headers: {}, expiresAt: null };
  const error = await apiWith()
    .upload(to, bytes, sized)
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(StatusError);
  expect(error).toMatchObject({ status: 401, elsewhere: true, meansCredentials: false });
  expect(String(error) + JSON.stringify(error)).not.toContain('signature');
});

test.each(['ftp://store.test/x', 'http://'])('nothing is uploaded to %s', async (url) => {
  const to = { method: 'PUT', url, headers: {}, expiresAt: null };
  await expect(apiWith().upload(to, bytes, sized)).rejects.toMatchObject({
    name: 'RefusedAddressError',
  });
});

test('bytes that end too early are an error, and are let go of', async () => {
  const open = bytes();
  const to = { method: 'PUT', url: `${store.origin}/x`, headers: {}, expiresAt: null };
  await expect(
    apiWith().upload(to, () => open, { sizeBytes: 4, timeoutMs: 2_000 }),
  ).rejects.toMatchObject({ name: 'ConnectionError' });
  expect(open.destroyed).toBe(true);
});

test('the paths to read and to submit can be others', async () => {
  const api = apiWith({
    lens: { readPath: '/v2/lens/{id}', submitPath: '/v2/lens/{id}/go' },
  });
  await api.read(id);
  await api.submit(id);
  expect(server.received.map(({ method, path }) => `${method} ${path}`)).toEqual([
    `GET /api/v1/v2/lens/${id}`,
    `POST /api/v1/v2/lens/${id}/go`,
  ]);
});

test('nothing is submitted unless a path for it is configured', async () => {
  const api = apiWith();
  expect(api.submitPath).toBeNull();
  await expect(api.submit(id)).rejects.toMatchObject({ name: 'ContractError' });
  expect(server.received).toEqual([]);
});

test('an artifact is fetched with our token from the service, and without it from elsewhere', async () => {
  const take = async ({ body }: { body: AsyncIterable<Buffer> }) => {
    const chunks: Buffer[] = [];
    for await (const chunk of body) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  };
  const limits = { timeoutMs: 5_000, maxBytes: 100 };
  server.reply = (_, response) => void response.end('ours');
  store.reply = (_, response) => void response.end('theirs');
  expect(await fetchArtifact(service, '/files/a1', take, limits)).toBe('ours');
  expect(await fetchArtifact(service, `${store.origin}/a1`, take, limits)).toBe('theirs');
  expect(server.received[0]?.headers.authorization).toBe('Bearer secret');
  expect(store.received[0]?.headers.authorization).toBeUndefined();
});
