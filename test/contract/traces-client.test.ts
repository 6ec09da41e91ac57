import { Service } from '../../src/apis/http/service';
import { Token } from '../../src/apis/http/token';
import { TracesApi } from '../../src/apis/investigation/traces';
import { traceTypes } from '../../src/domain/traces/search';
import { readEnvironment } from '../../src/environment';
import { parseConfig } from '../../src/environment/config-file';
import { LoopbackServer, sendJson, type Reply } from '../support/loopback-server';

const id = '3f0c6a52-7d1e-4b8a-9c55-0e9d2a6b1f47';
const other = '99999999-7d1e-4b8a-9c55-0e9d2a6b1f47';

/** Every field of the specification's table at once. */
const trace = {
  id,
  object: 'rastro_search',
  status: 'completed',
  type: 'email',
  target: 'ana@example.com',
  strategy: 'first_match',
  partial: true,
  coverage: { a: { status: 'ok' }, b: { status: 'timeout' } },
  billing: { status: 'charged', amount: 2, unit: 'tokens' },
  artifacts: [{ anything: 1 }],
  result: { found: [] },
  failure: { code: 'x' },
  poll_after_seconds: 0.5,
  created_at: '2026-01-05T12:00:00Z',
  updated_at: '2026-01-05T12:00:01Z',
  started_at: '2026-01-05T12:00:02Z',
  completed_at: '2026-01-05T12:00:03Z',
};

let server: LoopbackServer;
let service: Service;

beforeEach(async () => {
  server = await LoopbackServer.start((_, response) => sendJson(response, 200, trace));
  service = new Service({
    baseUrl: `${server.origin}/api/v1`,
    token: Token.of('t'),
    ratePerSecond: 10_000,
  });
});
afterEach(async () => {
  await service.close();
  await server.close();
});

const apiWith = (config: object = {}) =>
  new TracesApi(service, readEnvironment({}, parseConfig(config)).traceNames);
const seen = () => server.received.map(({ path, query }) => `${path}?${query}`);
const page = { next_cursor: null, has_more: false };

/** A service without the route by id, whose list has the search on its second page. */
const onlyListed: Reply = ({ path, query }, response) => {
  if (path !== '/api/v1/rastro') return sendJson(response, 404, { code: 'unknown_route' });
  return query.get('cursor') === null
    ? sendJson(response, 200, { data: [{ ...trace, id: other }], page: { next_cursor: 'c2' } })
    : sendJson(response, 200, { data: [trace], page });
};

it.each([
  ['bare', (data: object) => data],
  ['below data', (data: object) => ({ data })],
])('takes the id of a created JSON:API document, %s, and reads none', async (_, document) => {
  const answer = document({ id, type: 'rastro', attributes: { status: 'completed' } });
  server.reply = (_request, response) => sendJson(response, 200, answer);
  const request = { target: 'x', strategy: 'all', key: 'k' } as const;
  const created = await apiWith().create(request);
  expect(created.trace.traceId).toBe(id);
  await expect(apiWith().read(id, 'poll')).rejects.toMatchObject({ isJsonApi: true });
});

test('a search reads as it was told', async () => {
  const read = await apiWith().read(id);
  expect(read.answer).toEqual(trace);
  expect(read.trace).toEqual({
    traceId: id,
    state: 'completed',
    statusWord: 'completed',
    type: 'email',
    target: 'ana@example.com',
    strategy: 'first_match',
    partial: true,
    coverage: trace.coverage,
    billing: { status: 'charged', amount: 2, unit: 'tokens' },
    artifacts: [{ anything: 1 }],
    failure: { code: 'x', message: null, retryable: null, retryAfterMs: null },
    pollAfterMs: 500,
    createdAt: '2026-01-05T12:00:00Z',
    completedAt: '2026-01-05T12:00:03Z',
  });
});

test.each(['queued', 'running', 'completed', 'failed', 'cancelled', 'paused', null])(
  'tells the status %p as it is, known or not',
  async (status) => {
    server.reply = (_, response) => sendJson(response, 200, { ...trace, status });
    const { trace: read } = await apiWith().read(id);
    const known = status !== 'paused' && status !== null;
    expect(read).toMatchObject({ state: known ? status : 'unknown', statusWord: status });
  },
);

test.each(['email', 'phone', 'username', 'wallet'])(
  'a search of the type %s reads as one',
  async (type) => {
    server.reply = (_, response) => sendJson(response, 200, { ...trace, type });
    expect((await apiWith().read(id)).trace.type).toBe(type);
    expect(traceTypes).toContain(type);
  },
);

test('reads a search of which only the id can be read', async () => {
  const fields = Object.keys(trace).filter((name) => name !== 'id');
  for (const value of [null, true, 'words', -1]) {
    const odd = Object.fromEntries(fields.map((name) => [name, value]));
    server.reply = (_, response) => sendJson(response, 200, { ...odd, id });
    expect((await apiWith().read(id)).trace).toMatchObject({
      state: 'unknown',
      coverage: null,
      billing: null,
      artifacts: [],
      pollAfterMs: null,
    });
  }
});

test.each(['rastro/2026/07;v=1#x?y', `${'r-'.repeat(200)}1`])(
  'an id of another shape is kept, and reads the search',
  async (odd) => {
    server.reply = (_, response) => sendJson(response, 200, { ...trace, id: odd });
    const request = { target: 'x', strategy: null, key: 'k' };
    expect((await apiWith().create(request)).trace.traceId).toBe(odd);
    expect((await apiWith().read(odd)).trace.traceId).toBe(odd);
    expect(seen().at(-1)).toContain(`/rastro/${encodeURIComponent(odd)}`);
  },
);

test('a new search has its key in a header, and no type', async () => {
  await apiWith().create({ target: 'ana@example.com', strategy: 'all', key: 'k' });
  await apiWith().create({ target: '+5511999990000', strategy: null, key: 'k' });
  const bodies = server.posts().map(({ body }) => JSON.parse(body) as unknown);
  expect(bodies).toEqual([
    { target: 'ana@example.com', strategy: 'all' },
    { target: '+5511999990000' },
  ]);
  expect(server.posts()[0]?.headers).toMatchObject({
    'idempotency-key': 'k',
    authorization: 'Bearer t',
  });
});

test('no error quotes the target', async () => {
  server.reply = (_, response) => sendJson(response, 422, { code: 'bad', detail: trace.target });
  const error = await apiWith()
    .create({ target: trace.target, strategy: null, key: 'k' })
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ name: 'StatusError', status: 422, code: 'bad' });
  expect(JSON.stringify(error) + String(error)).not.toContain('ana@');
});

test('what is asked of the list travels under the assumed names', async () => {
  server.reply = (_, response) => sendJson(response, 200, { data: [], page });
  const filter = { status: 'failed', type: 'wallet', pageSize: 100, cursor: 'c' } as const;
  await apiWith().list(filter);
  await apiWith({ lists: { typeParam: 'tipo' } }).list(filter);
  expect(seen()).toEqual([
    '/api/v1/rastro?status=failed&type=wallet&limit=100&cursor=c',
    '/api/v1/rastro?status=failed&tipo=wallet&limit=100&cursor=c',
  ]);
});

test('where there is no route by id the list is searched, and this is remembered', async () => {
  server.reply = onlyListed;
  const api = apiWith();
  expect((await api.read(id)).trace.traceId).toBe(id);
  expect(seen()).toHaveLength(3);
  await api.read(id);
  expect(seen().slice(3)).toEqual([
    '/api/v1/rastro?limit=100',
    '/api/v1/rastro?limit=100&cursor=c2',
  ]);
});

test.each([400, 405, 410, 501])(
  'a service that answers %d for the route by id is asked by the list',
  async (status) => {
    server.reply = async (request, response) => {
      if (request.path === '/api/v1/rastro') return onlyListed(request, response);
      sendJson(response, status, { code: 'c' });
    };
    expect((await apiWith().read(id)).trace.traceId).toBe(id);
  },
);

test('a search that is nowhere is 404, and says nothing about the route', async () => {
  server.reply = onlyListed;
  const api = apiWith();
  const nowhere = '11111111-7d1e-4b8a-9c55-0e9d2a6b1f47';
  await expect(api.read(nowhere)).rejects.toMatchObject({ status: 404, code: 'unknown_route' });
  const before = seen().length;
  await api.read(id);
  expect(seen()[before]).toBe(`/api/v1/rastro/${id}?`);
});

test.each([
  ['id', 1],
  ['list', 2],
] as const)('traces.read=%s asks nothing else', async (mode, calls) => {
  server.reply = onlyListed;
  const api = apiWith({ traces: { read: mode } });
  const nowhere = api.read('11111111-7d1e-4b8a-9c55-0e9d2a6b1f47');
  await expect(nowhere).rejects.toMatchObject({ name: 'StatusError', status: 404 });
  expect(seen()).toHaveLength(calls);
});
