import { ContractError, StatusError } from '../../src/apis/http/errors';
import { Service } from '../../src/apis/http/service';
import { Token } from '../../src/apis/http/token';
import { MonitorsApi, type ChangeFilter } from '../../src/apis/investigation/monitors';
import type { ListedChange } from '../../src/apis/investigation/wire/monitors.wire';
import { readEnvironment } from '../../src/environment';
import { seededMonitorId, startSandbox, type MonitorPatch, type Sandbox } from '../../src/sandbox';

const one = '3f0c6a52-7d1e-4b8a-9c55-0e9d2a6b1f47';
const names = readEnvironment({}).monitorNames;
type Script = NonNullable<NonNullable<MonitorPatch['held']>[string]>;

describe('the monitors client against the sandbox', () => {
  let sandbox: Sandbox;
  let service: Service;
  let api: MonitorsApi;

  beforeEach(async () => {
    sandbox = await startSandbox({ clock: 'manual' });
    service = new Service({
      baseUrl: sandbox.baseUrl,
      token: Token.of('sandbox-token'),
      ratePerSecond: 10_000,
    });
    api = new MonitorsApi(service, names);
  });
  afterEach(async () => {
    await service.close();
    await sandbox.close();
  });

  const hold = (script: Script, more: MonitorPatch = {}) =>
    sandbox.configure({ monitors: { ...more, held: { [one]: script } } });
  const idOf = (item: ListedChange) => (item.kind === 'change' ? item.change.changeId : null);

  /** Ids of a whole walk, acknowledging each page when told to. */
  async function walk(filter: ChangeFilter, acknowledges = false): Promise<(string | null)[]> {
    const ids: (string | null)[] = [];
    let cursor: string | undefined;
    do {
      const page = await api.listChanges(one, { ...filter, ...(cursor && { cursor }) });
      const found = page.items.map(idOf);
      ids.push(...found);
      for (const id of acknowledges ? found : []) await api.acknowledge(one, String(id));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    return ids;
  }

  test('acknowledgements alone find that the service takes more calls a second', async () => {
    await service.close();
    const token = Token.of('sandbox-token');
    service = new Service({ baseUrl: sandbox.baseUrl, token, ratePerSecond: 10 });
    api = new MonitorsApi(service, names);
    hold({ seededChanges: 100 });
    const { items } = await api.listChanges(one, { pageSize: 100 });
    await Promise.all(items.map((item) => api.acknowledge(one, String(idOf(item)))));
    expect(service.limiter.rate.perSecond).toBeGreaterThan(25);
  });

  test('a change reads as it was told', async () => {
    hold({
      changes: [
        {
          id: '11111111-1111-4111-8111-111111111111',
          severity: 'critical',
          type: 'debts.registered',
          before: { total: 0 },
          after: { total: 3 },
        },
      ],
    });
    const page = await api.listChanges(one, { status: 'open', severity: 'critical', pageSize: 1 });
    expect(page).toEqual({
      nextCursor: null,
      hasMore: false,
      items: [
        {
          kind: 'change',
          change: {
            changeId: '11111111-1111-4111-8111-111111111111',
            state: 'open',
            statusWord: 'open',
            severity: 'critical',
            severityWord: 'critical',
            type: 'debts.registered',
            detectedAt: '2026-01-05T12:00:00.000Z',
            acknowledgedAt: null,
          },
          answer: expect.objectContaining({ before: { total: 0 }, after: { total: 3 } }),
        },
      ],
    });
  });

  test('an acknowledged change says since when, and again the same', async () => {
    hold({ changes: [{}] });
    const [id] = await walk({});
    sandbox.clock.advance(1_000);
    const first = await api.acknowledge(one, String(id));
    sandbox.clock.advance(1_000);
    const again = await api.acknowledge(one, String(id));
    expect(first).toMatchObject({
      state: 'acknowledged',
      acknowledgedAt: '2026-01-05T12:00:01.000Z',
    });
    expect(again).toEqual(first);
    expect(await walk({ status: 'open' })).toEqual([]);
    expect(await walk({})).toEqual([id]);
  });

  test.each(['stable', 'shifting'] as const)(
    'pages lead through all changes when nothing is acknowledged (%s cursors)',
    async (cursors) => {
      hold({ seededChanges: 45, overMs: 1_000 }, { cursors });
      sandbox.clock.advance(1_000);
      const ids = await walk({ status: 'open', pageSize: 10 });
      expect(new Set(ids).size).toBe(45);
      expect(ids).toHaveLength(45);
    },
  );

  test('a shifting cursor skips what acknowledgements moved, a stable one does not', async () => {
    const changes = Array.from({ length: 40 }, () => ({}));
    hold({ changes }, { cursors: 'shifting' });
    expect(await walk({ status: 'open', pageSize: 10 }, true)).toHaveLength(20);
    hold({ changes }, { cursors: 'stable' });
    expect(await walk({ status: 'open', pageSize: 10 }, true)).toHaveLength(40);
  });

  test('changes appear as the clock of the sandbox goes on', async () => {
    hold({ changes: [{ afterMs: 0 }, { afterMs: 5_000 }, { afterMs: -60_000 }] });
    expect(await walk({})).toHaveLength(2);
    sandbox.clock.advance(5_000);
    expect(await walk({})).toHaveLength(3);
  });

  test('one unreadable entry leaves the others readable', async () => {
    hold({ changes: [{}, { answer: 'no_id' }, { answer: 'unknown_status' }] });
    const { items } = await api.listChanges(one, {});
    expect(items.map(({ kind }) => kind).toSorted()).toEqual(['change', 'change', 'unreadable']);
    const unknown = items.find(
      (item) => item.kind === 'change' && item.change.statusWord === 'aguardando_revisao',
    );
    expect(unknown).toMatchObject({
      change: { state: 'unknown', severity: 'unknown', severityWord: 'gravissima' },
    });
    const bad = items.find(({ kind }) => kind === 'unreadable');
    expect(bad).toMatchObject({ issues: [{ path: 'id', code: 'invalid_type' }] });
  });

  test('every assumed name can be another', async () => {
    const renamed = { pageSize: 'per_page', cursor: 'after', status: 'state', severity: 'level' };
    hold(
      { changes: [{ severity: 'info' }, { severity: 'warn' }, { severity: 'warn' }] },
      {
        pageSizeName: renamed.pageSize,
        cursorName: renamed.cursor,
        statusName: renamed.status,
        severityName: renamed.severity,
      },
    );
    await expect(walk({ pageSize: 1 })).rejects.toMatchObject({
      name: 'StatusError',
      status: 400,
      code: 'unknown_parameter',
    });
    api = new MonitorsApi(service, {
      ...names,
      pageSizeParam: renamed.pageSize,
      cursorParam: renamed.cursor,
      statusParam: renamed.status,
      severityParam: renamed.severity,
    });
    const filter = { status: 'open', severity: 'warn', pageSize: 1 } as const;
    expect(await walk(filter)).toHaveLength(2);
  });

  test('a service that ignores the cursor gives the same page and the same cursor again', async () => {
    hold({ seededChanges: 30 }, { cursorName: 'ignored' });
    const first = await api.listChanges(one, { pageSize: 10 });
    const second = await api.listChanges(one, { pageSize: 10, cursor: String(first.nextCursor) });
    expect(second.nextCursor).toBe(first.nextCursor);
    expect(second.items.map(idOf)).toEqual(first.items.map(idOf));
  });

  test.each([
    ['pageSizeName', { pageSize: 1 }, 3],
    ['statusName', { status: 'open' }, 3],
    ['severityName', { severity: 'critical' }, 3],
  ] as const)('%s that is ignored has no effect', async (name, filter, expected) => {
    hold(
      { changes: [{ severity: 'info' }, { severity: 'info' }, { acknowledged: true }] },
      { [name]: 'ignored' },
    );
    const { items } = await api.listChanges(one, filter);
    expect(items).toHaveLength(expected);
  });

  test('a monitor reads as it was told', async () => {
    hold({
      identifier: '52998224725',
      name: 'Carteira A',
      listen_items: ['debts'],
      emails: ['ana@example.com'],
      frequency_hours: 12,
      execution_allowed: false,
      blocking_reason: 'payment_required',
      health: { status: 'degraded', consecutive_failures: 3 },
      subscription: { status: 'overdue', id: 'sub-1' },
    });
    expect((await api.read(one)).monitor).toEqual({
      monitorId: one,
      statusWord: 'active',
      identifier: '52998224725',
      name: 'Carteira A',
      listenItems: ['debts'],
      emails: ['ana@example.com'],
      frequencyHours: 12,
      health: {
        status: 'degraded',
        consecutiveFailures: 3,
        // Its last cycle was before it was blocked.
        lastCycleAt: '2025-12-06T12:00:00.000Z',
      },
      subscription: { status: 'overdue', id: 'sub-1' },
      executionAllowed: false,
      blockingReason: 'payment_required',
    });
  });

  test('without the read route, reading is 404, and all else works', async () => {
    hold({ changes: [{}] }, { readRoute: 'unknown' });
    await expect(api.read(one)).rejects.toMatchObject({ status: 404, code: 'unknown_route' });
    expect(await walk({})).toHaveLength(1);
    expect((await api.update(one, { name: 'B' })).monitor.name).toBe('B');
  });

  test('an update sends the given fields and no others', async () => {
    hold({ name: 'A', emails: ['ana@example.com'], frequency_hours: 24 });
    sandbox.clock.advance(1_000);
    const { monitor } = await api.update(one, { frequencyHours: 6, listenItems: ['partners'] });
    expect(monitor).toMatchObject({
      name: 'A',
      emails: ['ana@example.com'],
      frequencyHours: 6,
      listenItems: ['partners'],
    });
    expect(sandbox.monitors.received().at(-1)?.body).toEqual({
      frequency_hours: 6,
      listen_items: ['partners'],
    });
  });

  test('the states that a monitor can be in are told', async () => {
    hold({ status: 'cancelled' }, { cancelled: 'closed' });
    expect((await api.read(one)).monitor).toMatchObject({
      statusWord: 'cancelled',
      executionAllowed: false,
      blockingReason: 'monitor_cancelled',
    });
    await expect(api.update(one, { name: 'B' })).rejects.toMatchObject({ status: 409 });
  });

  test.each([
    ['a change that is gone', { ack: 'gone' }, 404],
    ['a change that is locked', { ack: 'refused' }, 409],
  ] as const)('%s refuses its acknowledgement', async (_, script, status) => {
    hold({ changes: [script] });
    const [id] = await walk({});
    const error: unknown = await api
      .acknowledge(one, String(id))
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StatusError);
    expect(error).toMatchObject({ status });
    expect(await walk({ status: 'open' })).toEqual([id]);
  });

  test('an answer that is lost leaves the acknowledgement done', async () => {
    hold({ changes: [{}], ack: ['reset_after', 'unreadable_2xx'] });
    const [id] = await walk({});
    await expect(api.acknowledge(one, String(id))).rejects.toMatchObject({
      name: 'ConnectionError',
      sent: 'maybe',
    });
    await expect(api.acknowledge(one, String(id))).rejects.toBeInstanceOf(ContractError);
    expect(sandbox.monitors.changes(one)).toMatchObject([{ acknowledgedBy: 'client', acks: 2 }]);
  });

  test('seeded monitors have ids that can be told beforehand', async () => {
    sandbox.configure({ monitors: { seeded: { monitors: 2, changes: 3 } } });
    const page = await api.listChanges(seededMonitorId(2), {});
    expect(page.items).toHaveLength(3);
    await expect(api.listChanges(seededMonitorId(3), {})).rejects.toMatchObject({ status: 404 });
  });

  test('an answer about another monitor or change is none', async () => {
    const elsewhere = new MonitorsApi(service, {
      ...names,
      readPath: `/monitors/${seededMonitorId(1)}#{monitor_id}`,
    });
    sandbox.configure({ monitors: { seeded: { monitors: 1 } } });
    await expect(elsewhere.read(one)).rejects.toMatchObject({
      name: 'ContractError',
      issues: [{ path: 'id', code: 'another_resource' }],
    });
  });
});
