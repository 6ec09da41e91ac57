import type { ScenarioPatch } from '../../src/sandbox';
import {
  startResourceCaller,
  untilSettledMs,
  type ResourceCaller,
} from '../unit/sandbox/resource-caller';

type TracePatch = NonNullable<ScenarioPatch['traces']>;
type Script = NonNullable<NonNullable<TracePatch['targets']>[string]>;

const path = '/api/v1/rastro';
const target = 'ana@example.com';

describe('the searches of the sandbox', () => {
  let caller: ResourceCaller;
  beforeEach(async () => {
    caller = await startResourceCaller();
  });
  afterEach(() => caller.close());

  const script = (of: Script, more: TracePatch = {}) =>
    caller.sandbox.configure({ traces: { ...more, targets: { [target]: of } } });
  const create = (key: string, body: unknown = { target }) =>
    caller.call('POST', path, { key, body });
  const read = (id: unknown) => caller.call('GET', `${path}/${String(id)}`);
  const list = (query = '') => caller.call('GET', `${path}${query}`);
  const settle = () => caller.sandbox.clock.advance(untilSettledMs);
  const counted = () => caller.sandbox.traces.counts().items;

  test('a search is queued, runs source by source and is completed', async () => {
    script({ sources: ['a', 'b'], artifacts: [{ tipo: 'grafo' }] });
    const created = await create('k-1');
    const { id } = created.json;
    expect(created).toMatchObject({ status: 202 });
    expect(created.json).toEqual({
      id: expect.any(String),
      object: 'rastro_search',
      status: 'queued',
      type: 'email',
      target,
      strategy: 'all',
      partial: false,
      coverage: { a: { status: 'pending' }, b: { status: 'pending' } },
      billing: { status: 'not_charged', amount: 0, unit: 'tokens' },
      artifacts: [],
      poll_after_seconds: 2,
      created_at: '2026-01-05T12:00:00.000Z',
      updated_at: '2026-01-05T12:00:00.000Z',
    });
    caller.sandbox.clock.advance(2_000);
    expect((await read(id)).json).toMatchObject({
      status: 'running',
      coverage: {
        a: { status: 'completed', records: expect.any(Number) },
        b: { status: 'running' },
      },
      started_at: '2026-01-05T12:00:01.000Z',
    });
    caller.sandbox.clock.advance(1_000);
    const { json } = await read(id);
    expect(json).toMatchObject({
      status: 'completed',
      partial: false,
      billing: { status: 'charged' },
      artifacts: [{ tipo: 'grafo' }],
      result: { total: expect.any(Number), ocorrencias: expect.any(Array) },
      completed_at: '2026-01-05T12:00:03.000Z',
    });
    expect(json).not.toHaveProperty('poll_after_seconds');
  });

  test.each([
    ['ana@example.com', 'email'],
    ['+55 11 98765-4321', 'phone'],
    ['ana_silva', 'username'],
    ['0x52908400098527886E0F7030069857D2E4169EE7', 'wallet'],
    ['bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq', 'wallet'],
  ])('%s is a target of the type %s', async (of, type) => {
    expect((await create('k-1', { target: of })).json['type']).toBe(type);
  });

  test('first_match leaves the sources behind the match unasked', async () => {
    const sources = Array.from({ length: 12 }, (_, index) => `fonte_${index}`);
    script({ sources });
    const { id } = (await create('k-1', { target, strategy: 'first_match' })).json;
    settle();
    const { json } = await read(id);
    expect(json['strategy']).toBe('first_match');
    const words = Object.values(json['coverage'] as Record<string, { status: string }>);
    expect(words.at(-1)).toEqual({ status: 'skipped' });
    const found = json['result'] as { ocorrencias: { fonte: string }[] };
    expect(new Set(found.ocorrencias.map(({ fonte }) => fonte)).size).toBe(1);
  });

  test('a partial result says so, and which source is missing', async () => {
    script({ end: 'partial', sources: ['a', 'b'], missingSources: ['b'] });
    const { id } = (await create('k-1')).json;
    settle();
    expect((await read(id)).json).toMatchObject({
      status: 'completed',
      partial: true,
      coverage: { a: { status: 'completed' }, b: { status: 'failed', reason: 'timeout' } },
    });
  });

  test.each([
    ['failed', 'failed', false],
    ['failure_retryable', 'failed', true],
    ['failure_permanent', 'failed', false],
    ['cancelled', 'cancelled', undefined],
    ['no_result', 'completed', undefined],
    ['never_settles', 'running', undefined],
  ] as const)('%s ends as %s', async (end, status, retryable) => {
    script({ end, failure: { code: 'x' } });
    const { id } = (await create('k-1')).json;
    settle();
    const { json } = await read(id);
    expect(json['status']).toBe(status);
    expect(json).not.toHaveProperty('result');
    const failure = json['failure'] as { code: string; retryable: boolean } | undefined;
    expect(failure?.retryable).toBe(retryable);
    expect(failure?.code).toBe(retryable === undefined ? undefined : 'x');
  });

  test.each(['reset_after', '504_after', 'unreadable_2xx', 'missing_id', 'no_answer'] as const)(
    'a search whose answer is lost by %s has begun, and its key begins no other',
    async (kind) => {
      script({ create: [kind] });
      const signal = AbortSignal.timeout(300);
      await caller.call('POST', path, { key: 'k-1', body: { target }, signal }).catch(() => null);
      expect(counted()).toMatchObject([{ target, requested: 1, started: 1 }]);
      const again = await create('k-1');
      expect(again.status).toBe(202);
      expect(counted()).toMatchObject([{ requested: 2, started: 1 }]);
      expect(caller.sandbox.traces.counts().keys).toEqual([
        { key: 'k-1', seen: 2, id: again.json['id'] },
      ]);
    },
  );

  test.each(['429', '503', 'reset_before', '400_refused', '409'] as const)(
    'a search met by %s has not begun',
    async (kind) => {
      script({ create: [kind] });
      await create('k-1').catch(() => null);
      expect(counted()).toMatchObject([{ started: 0 }]);
      expect((await create('k-1')).status).toBe(202);
    },
  );

  test('a key that comes again answers as the first search stands, or is refused on wish', async () => {
    const { id } = (await create('k-1')).json;
    settle();
    expect((await create('k-1')).json).toMatchObject({ id, status: 'completed' });
    expect(await create('k-1', { target, strategy: 'first_match' })).toMatchObject({
      status: 422,
      json: { code: 'idempotency_key_mismatch' },
    });
    script({}, { repeatedKey: 'refused' });
    expect(await create('k-1')).toMatchObject({
      status: 409,
      json: { code: 'idempotency_key_used' },
    });
    expect((await create('k-2')).json['id']).not.toBe(id);
    expect(counted()).toMatchObject([{ started: 2 }]);
  });

  test.each([
    ['unknown', 404, 'unknown_route'],
    ['not_allowed', 405, 'method_not_allowed'],
  ] as const)(
    'the read by id can be %s, and the list shows the search',
    async (route, code, word) => {
      script({}, { readRoute: route });
      const { id } = (await create('k-1')).json;
      expect(await read(id)).toMatchObject({ status: code, json: { code: word } });
      expect((await list()).json['data']).toMatchObject([{ id, target }]);
    },
  );

  test('a list is filtered by status and type, and walked by cursor', async () => {
    for (let index = 0; index < 4; index += 1) {
      await create(`user-${index}`, { target: `user_${index}` });
      await create(`mail-${index}`, { target: `ana${index}@example.com` });
    }
    caller.sandbox.clock.advance(1_500);
    await create('late', { target: 'late_user' });
    const first = await list('?type=username&status=running&limit=3');
    const page = first.json['page'] as { next_cursor: string; has_more: boolean };
    expect(first.json['data']).toMatchObject(
      [3, 2, 1].map((index) => ({ target: `user_${index}`, type: 'username' })),
    );
    const rest = `?type=username&status=running&limit=3&cursor=${page.next_cursor}`;
    expect((await list(rest)).json).toMatchObject({
      data: [{ target: 'user_0' }],
      page: { next_cursor: null, has_more: false },
    });
    expect((await list('?status=queued')).json['data']).toMatchObject([{ target: 'late_user' }]);
  });

  test('names of a list can be others, or ignored', async () => {
    await create('k-1');
    script({}, { typeName: 'kind', pageSizeName: 'per_page' });
    expect((await list('?kind=wallet&per_page=5')).json['data']).toEqual([]);
    expect((await list('?type=wallet')).status).toBe(400);
    script({}, { typeName: 'ignored' });
    expect((await list('?type=wallet&whatever=1')).json['data']).toHaveLength(1);
  });

  test.each([
    ['no key', { body: { target } }, 400, 'idempotency_key_missing'],
    ['no target', { key: 'k', body: {} }, 400, 'invalid_body'],
    ['an empty target', { key: 'k', body: { target: '' } }, 400, 'invalid_body'],
    ['another strategy', { key: 'k', body: { target, strategy: 'best' } }, 400, 'invalid_body'],
    ['a type', { key: 'k', body: { target, type: 'email' } }, 400, 'invalid_body'],
    ['a long key', { key: 'k'.repeat(256), body: { target } }, 400, 'idempotency_key_too_long'],
  ])('a search with %s is refused', async (_, withWhat, status, code) => {
    expect(await caller.call('POST', path, withWhat)).toMatchObject({ status, json: { code } });
    expect(counted().filter(({ started }) => started > 0)).toEqual([]);
  });

  test.each([
    ['?limit=0', 'invalid_page_size'],
    ['?status=expired', 'invalid_filter'],
    ['?type=cpf', 'invalid_filter'],
    ['?cursor=abc', 'invalid_cursor'],
    ['?q=1', 'unknown_parameter'],
  ])('a list with %s is refused as %s', async (query, code) => {
    expect(await list(query)).toMatchObject({ status: 400, json: { code } });
  });

  test('no token is 401, an unknown search 404, a body that is not called JSON 415', async () => {
    const headers = { authorization: '' };
    expect((await caller.call('POST', `${path}?token=sandbox-token`, { headers })).status).toBe(
      401,
    );
    expect((await read('7c9e6679-7425-40de-944b-e07fc1f90ae7')).status).toBe(404);
    const text = { key: 'k', body: '{}', headers: { 'content-type': 'text/plain' } };
    expect((await caller.call('POST', path, text)).status).toBe(415);
  });

  test('the background strikes a share of the calls, the same ones for the same seed', async () => {
    const statuses = async () => {
      caller.sandbox.reset();
      caller.sandbox.configure({ traces: { background: { rate: 0.5, kinds: ['503'] } } });
      const seen: number[] = [];
      for (let index = 0; index < 40; index += 1) {
        seen.push((await create(`k-${index}`, { target: `user_${index}` })).status);
      }
      return seen;
    };
    const first = await statuses();
    expect(new Set(first)).toEqual(new Set([202, 503]));
    expect(await statuses()).toEqual(first);
  });
});
