import type { ServerResponse } from 'node:http';
import { Service } from '../../src/apis/http/service';
import { Token } from '../../src/apis/http/token';
import { DossiersApi } from '../../src/apis/investigation/dossiers';
import { readEnvironment } from '../../src/environment';
import { parseConfig } from '../../src/environment/config-file';
import { LoopbackServer, sendJson, type ReceivedRequest } from '../support/loopback-server';

const id = '3f0c6a52-7d1e-4b8a-9c55-0e9d2a6b1f47';
const other = '99999999-7d1e-4b8a-9c55-0e9d2a6b1f47';

/** Every field of the specification's table at once. */
const dossier = {
  id,
  object: 'dossie',
  status: 'completed',
  subject_type: 'cnpj',
  mode: 'modular',
  kind: 'advanced',
  contract_version: '2026-01',
  billing_policy_version: 'p1',
  current_attempt: {
    id: other,
    number: 2,
    status: 'completed',
    queued_at: '2026-01-05T12:00:00Z',
    started_at: '2026-01-05T12:00:01Z',
    completed_at: '2026-01-05T12:10:00Z',
    billing: {
      id: 'b1',
      status: 'charged',
      amount: 12.5,
      unit: 'tokens',
      price_version: 'v3',
      billing_policy_version: 'p1',
    },
  },
  coverage: {
    status: 'complete',
    completed: 7,
    eligible: 8,
    phases: [{ phase: 'collect', status: 'completed' }],
  },
  artifacts: [
    {
      id: 'a1',
      type: 'dossie_pdf',
      media_type: 'application/pdf',
      status: 'available',
      download_url: 'https://files.test/a1?signature=s',
      expires_at: '2026-01-05T13:00:00Z',
      available_until: '2026-02-05T13:00:00Z',
    },
  ],
  stale: false,
  result: { report_schema: [{ section: 'x' }] },
  risk_classification: {
    matrix_id: 'm1',
    matrix_version: '4',
    status: 'classified',
    level: 'high',
    score: 71,
    matched_rules: [{ id: 'r1', score: 40, description: 'debts' }],
    missing_fields: [],
  },
  failure: {
    code: 'source_down',
    detail: 'a source is down',
    retryable: true,
    retry_after_seconds: 3,
  },
  poll_after_seconds: 5,
  created_at: '2026-01-05T12:00:00Z',
  updated_at: '2026-01-05T12:10:00Z',
};

const inOurWords = {
  dossierId: id,
  state: 'completed',
  statusWord: 'completed',
  subjectType: 'cnpj',
  mode: 'modular',
  kind: 'advanced',
  attempt: {
    number: 2,
    status: 'completed',
    billing: {
      billingId: 'b1',
      status: 'charged',
      amount: 12.5,
      unit: 'tokens',
      priceVersion: 'v3',
      policyVersion: 'p1',
    },
  },
  coverage: {
    status: 'complete',
    completed: 7,
    eligible: 8,
    phases: [{ phase: 'collect', status: 'completed' }],
  },
  artifacts: [
    {
      artifactId: 'a1',
      type: 'dossie_pdf',
      mediaType: 'application/pdf',
      status: 'available',
      url: 'https://files.test/a1?signature=s',
      urlExpiresAt: '2026-01-05T13:00:00Z',
      availableUntil: '2026-02-05T13:00:00Z',
    },
  ],
  stale: false,
  reportSchema: [{ section: 'x' }],
  risk: {
    status: 'classified',
    level: 'high',
    score: 71,
    matchedRules: [{ id: 'r1', score: 40, description: 'debts' }],
    missingFields: [],
  },
  failure: {
    code: 'source_down',
    message: 'a source is down',
    retryable: true,
    retryAfterMs: 3_000,
  },
  pollAfterMs: 5_000,
  createdAt: '2026-01-05T12:00:00Z',
  updatedAt: '2026-01-05T12:10:00Z',
};

let server: LoopbackServer;
let service: Service;
/** What the one route that a test asks answers. */
let answer: (request: ReceivedRequest) => unknown;

beforeEach(async () => {
  answer = () => dossier;
  server = await LoopbackServer.start((request, response: ServerResponse) =>
    sendJson(response, 200, answer(request)),
  );
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
  new DossiersApi(service, readEnvironment({}, parseConfig(config)).dossierNames);
const statusOf = async (fields: object) => {
  answer = () => ({ ...dossier, ...fields });
  return (await apiWith().status(id)).dossier;
};
const seen = () => server.received.map(({ method, path, query }) => `${method} ${path}?${query}`);

test('a dossier reads as it was told', async () => {
  const read = await apiWith().status(id);
  expect(read.dossier).toEqual(inOurWords);
  expect(read.answer).toEqual(dossier);
  expect(seen()).toEqual([`GET /api/v1/dossies/${id}/status?`]);
});

test('an id is one, however it is spelled', async () => {
  const shouted = { ...dossier, id: id.toUpperCase() };
  answer = () => ({ data: [shouted], page: { has_more: false } });
  const { items } = await apiWith().list({});
  expect(items).toMatchObject([{ item: { dossierId: id }, answer: shouted }]);
});

test.each(['queued', 'running', 'completed', 'needs_review', 'failed', 'cancelled'])(
  'knows a dossier that is %s',
  async (status) => {
    expect(await statusOf({ status })).toMatchObject({ state: status, statusWord: status });
  },
);

test.each([['archived'], [null], [7]])(
  'a dossier with the status %p is unknown',
  async (status) => {
    expect((await statusOf({ status })).state).toBe('unknown');
  },
);

test.each([
  ['current_attempt', 'attempt'],
  ['coverage', 'coverage'],
  ['artifacts', 'artifacts'],
  ['stale', 'stale'],
  ['failure', 'failure'],
  ['poll_after_seconds', 'pollAfterMs'],
] as const)('reads a dossier whose %s is missing, null, or of another type', async (name, ours) => {
  for (const value of [undefined, null, name === 'failure' ? 7 : 'words']) {
    expect((await statusOf({ [name]: value }))[ours]).toBeNull();
  }
});

test('an artifact or phase that cannot be read leaves the others readable', async () => {
  const read = await statusOf({
    artifacts: [7, { type: 'no id' }, ...dossier.artifacts],
    coverage: { phases: ['x', ...dossier.coverage.phases] },
  });
  expect(read.artifacts).toMatchObject([
    { artifactId: 'position-1', type: null, url: null },
    { artifactId: 'position-2', type: 'no id' },
    ...inOurWords.artifacts,
  ]);
  expect(read.coverage?.phases).toEqual(inOurWords.coverage.phases);
});

test('without a matrix there is no classification', async () => {
  expect((await statusOf({ risk_classification: undefined })).risk).toBeNull();
});

test('with data missing, score and level are null, and what is missing is told', async () => {
  const risk_classification = {
    matrix_id: 'm1',
    status: 'insufficient_data',
    level: null,
    score: null,
    missing_fields: ['debts', 7],
  };
  expect((await statusOf({ risk_classification })).risk).toMatchObject({
    status: 'insufficient_data',
    level: null,
    score: null,
    matchedRules: [],
    missingFields: ['debts'],
  });
});

test('a classification inside of the result is one', async () => {
  const { risk_classification, result } = dossier;
  const inside = { result: { ...result, risk_classification }, risk_classification: undefined };
  expect((await statusOf(inside)).risk).toEqual(inOurWords.risk);
});

test('a failure whose code quotes a value has none', async () => {
  expect((await statusOf({ failure: { code: 'CPF 529.982.247-25' } })).failure).toEqual({
    code: null,
    message: null,
    retryable: null,
    retryAfterMs: null,
  });
});

test.each([
  ['a sentence', 'fonte indisponível', { message: 'fonte indisponível' }],
  ['words of its own', { codigo: 'fonte', motivo: 'x' }, { code: 'fonte', message: 'x' }],
  ['what nobody knows', { etapa: { numero: 3 } }, { message: '{"etapa":{"numero":3}}' }],
])('a failure that is %s is told', async (_, failure, told) => {
  expect((await statusOf({ failure })).failure).toMatchObject(told);
});

test.each([
  ['is about another dossier', { ...dossier, id: other }],
  ['has no id', { ...dossier, id: undefined }],
  ['has an id that is a path', { ...dossier, id: '../x' }],
  ['is a list', [dossier]],
])('an answer that %s is none', async (_, body) => {
  answer = () => body;
  await expect(apiWith().status(id)).rejects.toMatchObject({ name: 'ContractError' });
});

test('a retry has its key in a header, no body, and answers the new attempt', async () => {
  answer = () => ({ ...dossier, status: 'queued', current_attempt: { number: 3 } });
  const { dossier: retried } = await apiWith().retry(id, 'key-1');
  expect(retried.attempt?.number).toBe(3);
  expect(server.received).toMatchObject([
    { method: 'POST', path: `/api/v1/dossies/${id}/retry`, body: '' },
  ]);
  expect(server.received[0]?.headers).toMatchObject({
    'idempotency-key': 'key-1',
    authorization: 'Bearer t',
  });
});

test.each(['', 'x'.repeat(256), 'a b', 'chave-é'])('the key %j is never sent', async (key) => {
  await expect(apiWith().retry(id, key)).rejects.toThrow(RangeError);
  expect(server.received).toEqual([]);
});

test('a refused retry tells the code of the service', async () => {
  server.reply = (_, response) =>
    sendJson(response, 403, {
      status: 403,
      code: 'dossie_custom_not_enabled',
      retryable: false,
      request_id: 'r1',
    });
  await expect(apiWith().retry(id, 'key-1')).rejects.toMatchObject({
    status: 403,
    code: 'dossie_custom_not_enabled',
    retryable: false,
    meansCredentials: false,
  });
});

test('a cancellation answers whatever state the dossier is in', async () => {
  answer = () => ({ ...dossier, status: 'completed' });
  expect((await apiWith().cancel(id)).dossier.state).toBe('completed');
  expect(server.received).toMatchObject([
    { method: 'POST', path: `/api/v1/dossies/${id}/cancel`, body: '' },
  ]);
});

test('what is asked of the list travels under the assumed names', async () => {
  answer = () => ({ data: [], page: { next_cursor: null, has_more: false } });
  await apiWith().list({ status: 'failed', pageSize: 100, cursor: 'c1' });
  await apiWith({
    lists: { statusParam: 'situacao', pageSizeParam: 'n', cursorParam: 'after' },
  }).list({
    status: 'failed',
    pageSize: 1,
    cursor: 'c1',
  });
  expect(seen()).toEqual([
    'GET /api/v1/dossies?status=failed&limit=100&cursor=c1',
    'GET /api/v1/dossies?situacao=failed&n=1&after=c1',
  ]);
});

describe('all pages', () => {
  const pages: Record<string, unknown> = {
    first: {
      data: [{ ...dossier, id: other }, 'bad'],
      page: { next_cursor: 'c2', has_more: true },
    },
    c2: { data: [dossier], page: { next_cursor: 'c3', has_more: false } },
    c3: { data: [], page: { next_cursor: 'c4', has_more: false } },
  };

  test('end where the service says so, and a cursor that it gives leads nowhere', async () => {
    answer = ({ query }) => pages[query.get('cursor') ?? 'first'];
    const found = [];
    for await (const { items } of apiWith().pages({ pageSize: 2 })) {
      found.push(items.map((listed) => listed.kind));
    }
    expect(found).toEqual([['item', 'unreadable'], ['item'], []]);
    expect(server.received).toHaveLength(3);
  });

  test('that lead to more without a way there are an error, not a missing dossier', async () => {
    answer = () => ({ data: [{ ...dossier, id: other }], page: { has_more: true } });
    await expect(apiWith().read(id)).rejects.toThrow(/page.next_cursor: no_cursor/);
  });

  test('that give a cursor twice are an error that names the variable', async () => {
    answer = () => ({ data: [dossier], page: { next_cursor: 'same', has_more: true } });
    const walk = async () => {
      for await (const page of apiWith().pages({})) expect(page.items).toHaveLength(1);
    };
    await expect(walk()).rejects.toThrow(/lists\.cursorParam: repeated_cursor/);
    expect(server.received).toHaveLength(2);
  });

  test('are searched for artifacts and result, which the status may leave out', async () => {
    answer = ({ query }) => pages[query.get('cursor') ?? 'first'];
    expect((await apiWith().read(id))?.dossier).toEqual(inOurWords);
    expect(await apiWith().read('11111111-7d1e-4b8a-9c55-0e9d2a6b1f47')).toBeNull();
  });

  test('are not asked for where a path to read by is configured', async () => {
    await apiWith({ dossiers: { readPath: '/v2/dossies/{id}' } }).read(id);
    expect(seen()).toEqual([`GET /api/v1/v2/dossies/${id}?`]);
  });
});
