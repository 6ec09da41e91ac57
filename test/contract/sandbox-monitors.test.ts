import { startManualSandbox, type CallOptions, type RawCaller } from '../unit/sandbox/raw-caller';
import { isValidCnpj } from '../../src/domain/core/documents/documents';
import { seededMonitorId, type MonitorPatch } from '../../src/sandbox';
import { sized } from '../support/full-size';

const monitor = '3f0c6a52-7d1e-4b8a-9c55-0e9d2a6b1f47';
const change = '11111111-1111-4111-8111-111111111111';
const another = '22222222-2222-4222-8222-222222222222';
const base = `/api/v1/monitors/${monitor}`;

describe('the monitors of the sandbox', () => {
  let caller: RawCaller;
  beforeEach(async () => {
    caller = await startManualSandbox();
    hold({ changes: [{ id: change, severity: 'warn' }] });
  });
  afterEach(() => caller.close());

  type Script = NonNullable<NonNullable<MonitorPatch['held']>[string]>;
  const hold = (script: Script, more: MonitorPatch = {}) =>
    caller.sandbox.configure({ monitors: { ...more, held: { [monitor]: script } } });
  const bearer = { authorization: 'Bearer sandbox-token' };
  const call = (method: string, path: string, withWhat: CallOptions = {}) =>
    caller.call(method, path, { token: null, headers: bearer, ...withWhat });
  const control = (method: string, name: string, body?: unknown) =>
    caller.call(method, `/_sandbox/monitors/${name}`, body === undefined ? {} : { body });
  const ack = (id = change) => call('POST', `${base}/changes/${id}/ack`);
  const list = (query = '') => call('GET', `${base}/changes${query}`);

  test.each([
    ['no token', {}],
    ['a wrong token', { authorization: 'Bearer other' }],
    ['a token without the word Bearer', { authorization: 'sandbox-token' }],
  ])('%s is 401 on every route, also with the token in the query', async (_, headers) => {
    const calls = [
      ['GET', base],
      ['PATCH', base],
      ['GET', `${base}/changes?token=sandbox-token`],
      ['POST', `${base}/changes/${change}/ack`],
    ] as const;
    for (const [method, path] of calls) {
      const { status, json } = await call(method, path, { headers });
      expect({ status, code: json['code'] }).toEqual({ status: 401, code: 'unauthorized' });
    }
  });

  test.each([
    ['?limit=0', 'invalid_page_size'],
    ['?limit=101', 'invalid_page_size'],
    ['?limit=ten', 'invalid_page_size'],
    ['?status=closed', 'invalid_filter'],
    ['?severity=grave', 'invalid_filter'],
    ['?cursor=abc', 'invalid_cursor'],
    ['?type=debts', 'unknown_parameter'],
    ['?limit=1&limit=2', 'repeated_parameter'],
  ])('a list with %s is refused as %s', async (query, code) => {
    expect(await list(query)).toMatchObject({ status: 400, json: { code } });
  });

  test.each([
    ['a frequency of 0', { frequency_hours: 0 }],
    ['a frequency of 721', { frequency_hours: 721 }],
    ['half an hour', { frequency_hours: 1.5 }],
    ['a frequency in words', { frequency_hours: '12' }],
    ['an unknown item', { listen_items: ['weather'] }],
    ['an address that is none', { emails: ['ana'] }],
    ['a field that cannot be changed', { status: 'cancelled' }],
    ['no object', []],
  ])('an update with %s is refused, and nothing is changed', async (_, body) => {
    const before = (await call('GET', base)).json;
    expect(await call('PATCH', base, { body })).toMatchObject({
      status: 400,
      json: { code: 'invalid_body', retryable: false },
    });
    expect((await call('GET', base)).json).toEqual(before);
  });

  test.each([
    ['1 and 720 hours', { frequency_hours: 720 }],
    ['all items', { listen_items: ['company', 'debts', 'processes', 'partners'] }],
    ['no address', { emails: [] }],
    ['nothing at all', {}],
  ])('an update with %s is taken', async (_, body) => {
    const { status, json } = await call('PATCH', base, { body });
    expect(status).toBe(200);
    expect(json).toMatchObject(body);
  });

  test.each([
    ['a monitor that is unknown', 'GET', `/api/v1/monitors/${change}/changes`, 404],
    ['a change that is unknown', 'POST', `${base}/changes/${another}/ack`, 404],
    ['an id that is no UUID', 'GET', '/api/v1/monitors/m-1', 400],
    ['a change id that is no UUID', 'POST', `${base}/changes/c-1/ack`, 400],
    ['a route that is unknown', 'GET', `${base}/changes/${change}`, 404],
    ['a method that is not allowed', 'DELETE', base, 405],
  ])('%s is told', async (_, method, path, status) => {
    expect((await call(method, path)).status).toBe(status);
  });

  test('a change that has not appeared cannot be acknowledged', async () => {
    hold({ changes: [{ id: another, afterMs: 1_000 }] });
    expect((await ack(another)).status).toBe(404);
    caller.sandbox.clock.advance(1_000);
    expect((await ack(another)).status).toBe(200);
  });

  test('a second acknowledgement is 409 when the scenario says so', async () => {
    hold({ changes: [{ id: change }] }, { repeatedAck: 'conflict' });
    expect((await ack()).status).toBe(200);
    expect(await ack()).toMatchObject({ status: 409, json: { code: 'change_acknowledged' } });
  });

  test.each([
    ['readable', 200, 200, 200],
    ['closed', 200, 200, 409],
    ['gone', 404, 404, 404],
  ] as const)('a cancelled monitor can be %s', async (cancelled, read, listed, acknowledged) => {
    hold({ status: 'cancelled', changes: [{ id: change }] }, { cancelled });
    expect((await call('GET', base)).status).toBe(read);
    expect((await list()).status).toBe(listed);
    expect((await ack()).status).toBe(acknowledged);
  });

  test('acknowledged changes stay in the history', async () => {
    await ack();
    expect((await list('?status=open')).json['data']).toEqual([]);
    expect((await list('?status=acknowledged')).json['data']).toMatchObject([
      { id: change, status: 'acknowledged', acknowledged_at: '2026-01-05T12:00:00.000Z' },
    ]);
  });

  test('another client acknowledges, and the ledger tells who did when', async () => {
    const added = await control('POST', 'changes', {
      monitorId: monitor,
      changes: [{ id: another, severity: 'critical', type: 'debts.registered' }],
    });
    expect(added.json).toEqual({ added: [another] });
    caller.sandbox.clock.advance(1_000);
    const moved = await control('POST', 'acknowledge', { monitorId: monitor, changeIds: [change] });
    expect(moved.json).toEqual({ acknowledged: [change] });
    caller.sandbox.clock.advance(1_000);
    await ack(another);
    await ack();
    expect((await control('GET', 'changes')).json).toEqual([
      {
        monitorId: monitor,
        changeId: change,
        severity: 'warn',
        type: expect.any(String),
        detectedAt: '2026-01-05T12:00:00.000Z',
        appeared: true,
        acknowledgedAt: '2026-01-05T12:00:01.000Z',
        acknowledgedBy: 'other',
        acks: 1,
      },
      expect.objectContaining({
        changeId: another,
        acknowledgedAt: '2026-01-05T12:00:02.000Z',
        acknowledgedBy: 'client',
        acks: 1,
      }),
    ]);
  });

  test('a monitor is cancelled while it is watched', async () => {
    await control('PUT', 'state', { monitorId: monitor, set: { status: 'cancelled' } });
    expect((await call('GET', base)).json).toMatchObject({
      status: 'cancelled',
      execution_allowed: false,
      blocking_reason: 'monitor_cancelled',
    });
    expect((await control('GET', 'state')).json).toMatchObject([
      { monitor: { id: monitor, status: 'cancelled' } },
    ]);
  });

  test('the log has every call with its clock, and the counts stay when it is emptied', async () => {
    await list('?limit=5');
    caller.sandbox.clock.advance(1_000);
    await ack();
    expect((await control('GET', 'received')).json).toMatchObject([
      {
        number: 1,
        at: '2026-01-05T12:00:00.000Z',
        stage: 'list',
        subject: monitor,
        query: { limit: '5' },
        status: 200,
        accepted: true,
      },
      { number: 2, at: '2026-01-05T12:00:01.000Z', stage: 'ack', id: change },
    ]);
    await control('DELETE', 'received');
    expect((await control('GET', 'received')).json).toEqual([]);
    expect((await control('GET', 'counts')).json).toEqual({
      list: 1,
      ack: 1,
      read: 0,
      update: 0,
      shown: 1,
      acknowledged: 1,
    });
  });

  test('the rate limit of monitors is their own', async () => {
    hold({ changes: [] }, { rateLimitPerSecond: 2 });
    expect([(await list()).status, (await list()).status]).toEqual([200, 200]);
    const refused = await list();
    expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
    expect((await caller.order('11222333000181')).status).toBe(202);
  });

  test.each([
    ['500_html', 500, false],
    ['500_html_after', 500, true],
    ['429', 429, false],
    ['404', 404, false],
    ['409', 409, false],
    ['401', 401, false],
    ['504_after', 504, true],
  ] as const)('%s strikes an acknowledgement', async (kind, status, acts) => {
    hold({ changes: [{ id: change }], ack: [kind] });
    expect((await ack()).status).toBe(status);
    const [held] = caller.sandbox.monitors.changes(monitor);
    expect(held?.acknowledgedBy).toBe(acts ? 'client' : null);
    expect((await ack()).status).toBe(200);
  });

  test.each(['reset_before', 'reset_after', 'cut_answer'] as const)(
    '%s breaks a list off, and the next is whole',
    async (kind) => {
      hold({ changes: [{ id: change }], list: [kind] });
      await expect(list()).rejects.toThrow(/closed|reset|terminated|aborted/i);
      expect((await list()).json['data']).toHaveLength(1);
    },
  );

  test('what a list can tell wrongly', async () => {
    hold({ seededChanges: 3, list: ['bad_item', 'unknown_status', 'repeated_cursor', 'slow'] });
    expect((await list()).json['data']).toHaveLength(4);
    expect((await list()).json['data']).toMatchObject([
      { status: 'aguardando_revisao' },
      { severity: 'gravissima' },
      {},
    ]);
    const page = (await list('?limit=1')).json['page'] as { next_cursor: string };
    const late = list(`?limit=1&cursor=${page.next_cursor}`);
    while (caller.sandbox.monitors.counts().list < 4) await new Promise(setImmediate);
    caller.sandbox.clock.advance(5_000);
    expect((await late).json['page']).toMatchObject({ has_more: true });
  });

  test('a repeated cursor is the one that was sent', async () => {
    hold({ seededChanges: 3, list: ['ok', 'repeated_cursor'] });
    const first = (await list('?limit=1')).json['page'] as { next_cursor: string };
    const second = await list(`?limit=1&cursor=${first.next_cursor}`);
    expect(second.json['page']).toEqual({ next_cursor: first.next_cursor, has_more: true });
  });

  test('the background strikes a share of the calls, the same ones for the same seed', async () => {
    const background = { rate: 0.5, kinds: ['503' as const] };
    const statuses = async () => {
      hold({ changes: [] }, { background });
      const seen: number[] = [];
      for (let index = 0; index < 40; index += 1) seen.push((await list()).status);
      return seen;
    };
    const first = await statuses();
    expect(new Set(first)).toEqual(new Set([200, 503]));
    expect(await statuses()).toEqual(first);
  });

  test('seeded monitors are fictional, and the same for the same seed', async () => {
    const seeded = { monitors: 3, changes: 5, overMs: 10_000 };
    caller.sandbox.configure({ monitors: { seeded } });
    caller.sandbox.clock.advance(10_000);
    const held = caller.sandbox.monitors.changes();
    const { json } = await call('GET', `/api/v1/monitors/${seededMonitorId(2)}`);
    expect(isValidCnpj(String(json['identifier']))).toBe(true);
    expect(new Set(held.map(({ changeId }) => changeId)).size).toBe(15 + 1);
    expect(held.every(({ appeared }) => appeared)).toBe(true);
    const other = await startManualSandbox({ scenario: { monitors: { seeded } } });
    const again = other.sandbox.monitors.changes();
    expect(again.map(({ changeId }) => changeId)).toEqual(
      held.map(({ changeId }) => changeId).filter((id) => id !== change),
    );
    await other.close();
  });

  test('a large backlog of changes is paged through without a delay that grows', async () => {
    const seededChanges = sized(10_000, 100_000);
    hold({ seededChanges }, { cursors: 'shifting' });
    const { json } = await list('?limit=100&status=open');
    expect(json['data']).toHaveLength(100);
    const skip = Buffer.from(JSON.stringify({ skip: seededChanges - 50 })).toString('base64url');
    const last = await list(`?limit=100&status=open&cursor=${skip}`);
    expect(last.json['data']).toHaveLength(50);
    expect(last.json['page']).toEqual({ next_cursor: null, has_more: false });
  });

  test('a patch of the scenario leaves alone what it does not name', async () => {
    await ack();
    caller.sandbox.configure({ monitors: { background: { rate: 0, kinds: [] } } });
    expect(caller.sandbox.monitors.changes(monitor)).toMatchObject([{ acknowledgedBy: 'client' }]);
    caller.sandbox.configure({ monitors: { held: { [monitor]: null } } });
    expect((await list()).status).toBe(404);
  });

  test.each([
    [{ cursorName: '' }, 'monitors.cursorName'],
    [{ held: { 'm-1': {} } }, 'monitors.held.m-1'],
    [{ held: { [monitor]: { frequency_hours: 721 } } }, 'frequency_hours'],
    [{ calls: { list: ['409'] } }, 'monitors.calls.list[0]'],
    [{ background: { rate: 2 } }, 'monitors.background.rate'],
  ])('a scenario with %j is refused and says where', async (monitors, where) => {
    expect(() => caller.sandbox.configure({ monitors: monitors as MonitorPatch })).toThrow(where);
  });
});
