import type { MonitorDependencies } from '../../../src/activities/dependencies';
import type { AuditEntry } from '../../../src/domain/core/audit';
import { changeRecord } from '../../../src/domain/monitors/change-record';
import type { DeliveryBatch, DeliveryOutcome, Sink } from '../../../src/sinks/sink';
import { statement, type Statement } from '../../../src/store/statement';
import { toldChange } from '../../support/monitor-changes';
import { readerOf } from '../../../src/report/reader';
import { noteLines } from '../../../src/starters/monitors/outcome-lines';
import { MonitorBench, monitorId } from './monitor-bench';

const change = '11111111-1111-4111-8111-111111111111';
const other = '22222222-2222-4222-8222-222222222222';
const unheld = '33333333-3333-4333-8333-333333333333';
const hour = 3_600_000;

/** Takes what it is handed, or fails all of it. */
class FakeSink implements Sink {
  readonly name = 'file';
  readonly taken: string[] = [];
  isDown = false;

  async deliver({ deliveries }: DeliveryBatch): Promise<DeliveryOutcome[]> {
    if (this.isDown) {
      return deliveries.map(() => ({ kind: 'failed', why: 'it is down', againInMs: null }));
    }
    this.taken.push(...deliveries.map(({ id }) => id));
    return deliveries.map(() => ({ kind: 'taken' }));
  }

  async close(): Promise<void> {}
}

let bench: MonitorBench;
let sink: FakeSink;
/** What the audit trail tells of acknowledgements. */
let acknowledgements: string[];
let aheadMs: number;

beforeEach(() => {
  sink = new FakeSink();
  acknowledgements = [];
  aheadMs = 0;
});
afterEach(() => bench.close());

async function start(
  script: Parameters<typeof MonitorBench.start>[0],
  more: Parameters<typeof MonitorBench.start>[3] = {},
): Promise<void> {
  const others: Partial<MonitorDependencies> = {
    sinks: { all: [sink], required: ['file'], digests: null },
    now: () => Date.now() + aheadMs,
  };
  bench = await MonitorBench.start(script, undefined, others, more);
  const committed = (entries: readonly AuditEntry[]): void => {
    for (const { id, result } of entries)
      if (id.startsWith('acknowledgement/')) acknowledgements.push(result);
  };
  bench.place.store.observe({ committed, away: () => undefined, back: () => undefined });
}

async function recordOf(changeId = change) {
  const file = await bench.records.changes.get(monitorId, changeId);
  if (file === null) throw new Error('nobody has stored it');
  return changeRecord({ ...file, reviews: [] }, ['file']);
}

describe('what others acknowledged before every sink had it', () => {
  it('is told as owed until a walk brings it through, later and later', async () => {
    await start({ changes: [{ id: change }] });
    sink.isDown = true;
    expect(await bench.sweep('sweep-1')).toMatchObject({ backlog: { undelivered: 1 } });
    bench.sandbox.monitors.acknowledgeElsewhere(monitorId);
    expect(await bench.walk('sweep-2')).toMatchObject({ pending: 1, backlog: { undelivered: 1 } });
    expect(await recordOf()).toMatchObject({ status: 'failing', failure: 'it is down' });

    expect(await bench.probe()).toMatchObject({ due: [] });
    aheadMs = hour;
    expect(await bench.probe()).toMatchObject({ due: [{ reconcile: true }] });
    expect(await bench.walk('sweep-3')).toMatchObject({ pending: 1 });
    aheadMs = hour + 90_000;
    expect(await bench.probe()).toMatchObject({ due: [] });

    sink.isDown = false;
    aheadMs = 2 * hour;
    expect(await bench.walk('sweep-4')).toMatchObject({ pending: 0, backlog: { undelivered: 0 } });
    expect(sink.taken).toEqual([change]);
    expect(await recordOf()).toMatchObject({ status: 'acknowledged_elsewhere', failure: null });
    aheadMs = 48 * hour;
    expect(await bench.probe()).toMatchObject({ due: [] });
  });

  it('is delivered by the sweep to which a service lists it, whatever was asked for', async () => {
    await start({ changes: [{ id: change }] }, { statusName: 'ignored' });
    sink.isDown = true;
    await bench.sweepPages('sweep-1');
    bench.sandbox.monitors.acknowledgeElsewhere(monitorId);
    expect(await bench.sweep('sweep-2')).toMatchObject({ backlog: { undelivered: 1 } });
    sink.isDown = false;
    expect(await bench.sweep('sweep-3')).toMatchObject({
      counts: { delivered: 1 },
      backlog: { undelivered: 0 },
    });
  });
});

describe('an acknowledgement of ours', () => {
  it('is on the audit trail with its mark, once, also when the first commit fails', async () => {
    await start({ changes: [{ id: change }] }, { statusName: 'ignored' });
    const { database } = bench.place;
    const commit = database.commit.bind(database);
    database.commit = async (statements, events = []) => {
      if (!statements.some(({ parameters }) => parameters.includes('acknowledged')))
        return commit(statements, events);
      expect(events).toHaveLength(1);
      database.commit = commit;
      throw new Error('the disk is full');
    };
    await expect(bench.sweepPages('sweep-1')).rejects.toThrow('the disk is full');
    expect(bench.sandbox.monitors.counts().acknowledged).toBe(1);
    expect(await recordOf()).toMatchObject({ status: 'delivered' });
    expect(acknowledgements).toEqual([]);
    // The service lists it as acknowledged: it was not somebody else.
    expect(await bench.sweepPages('sweep-1', 2)).toMatchObject({
      counts: { acknowledged: 1, elsewhere: 0 },
    });
    expect(await recordOf()).toMatchObject({ status: 'acknowledged' });
    expect(acknowledgements).toEqual(['acknowledged']);
  });

  it('is ours when a first try was accepted without an answer, and a second one refused', async () => {
    await start({ changes: [{ id: change }], ack: ['reset_after', '404'] });
    expect(await bench.sweepPages()).toMatchObject({ counts: { acknowledged: 1, elsewhere: 0 } });
    expect(await recordOf()).toMatchObject({ status: 'acknowledged' });
    expect(acknowledgements).toEqual(['acknowledged']);
  });

  it('is gone when the first try is refused, and ours when a later one is not', async () => {
    await start({ changes: [{ id: change }], ack: ['404'] });
    await bench.sweepPages('sweep-1');
    expect(await recordOf()).toMatchObject({ status: 'gone' });
    expect(await bench.sweep('sweep-2')).toMatchObject({
      counts: { acknowledged: 1 },
      backlog: { undelivered: 0 },
    });
    expect(await recordOf()).toMatchObject({ status: 'acknowledged' });
  });
});

describe('one bad row', () => {
  it('of a change keeps no other change from being brought through', async () => {
    await start({ changes: [{ id: change }, { id: other }] });
    const by = { sweep: 'before', at: '2026-05-04T10:00:00.000Z', foundAs: 'open' as const };
    await bench.records.changes.file(monitorId, [toldChange(change)], by);
    bench.place.database.commitNow([statement(`UPDATE change SET body = x''`)]);
    expect(await bench.sweep()).toMatchObject({
      counts: { acknowledged: 1 },
      backlog: { unreadable: 1, escalated: 1 },
    });
    expect(await recordOf(other)).toMatchObject({ status: 'acknowledged' });
  });

  it('of a monitor keeps no other monitor from being probed', async () => {
    await start({ changes: [{ id: change }] });
    const { database } = bench.place;
    const commit = database.commit.bind(database);
    database.commit = async (statements, events) => {
      const isHealth = ({ sql, parameters }: Statement): boolean =>
        sql.includes('health') && parameters.includes(monitorId);
      if (statements.some(isHealth)) throw new Error('EIO');
      return commit(statements, events);
    };
    expect(await bench.probe([monitorId, unheld])).toMatchObject({ probed: 2, failing: 2 });
    const why = expect.stringContaining('could not be read or written') as string;
    expect((await bench.scanned()).notes).toMatchObject([
      { monitorId, kind: 'failing', why },
      { monitorId: unheld, kind: 'failing', why: expect.stringContaining('404') as string },
    ]);
  });
});

describe('a probe', () => {
  it('does not take the refusal of one monitor for that of the token', async () => {
    const list = ['403_unauthorized', '403_unauthorized'] as const;
    await start({ changes: [{ id: change }], list: [...list] });
    const look = await bench.probe([monitorId, unheld]);
    expect(look).toMatchObject({ probed: 2, failing: 2, escalated: 2, isCredentials: false });
  });

  it.each(['404', '403_unauthorized', 'unreadable_2xx'] as const)(
    'asks once a day for a health that is answered %s',
    async (fault) => {
      await start({ read: Array.from({ length: 5 }, () => fault) });
      for (let pass = 0; pass < 3; pass += 1) await bench.probe();
      expect(bench.sandbox.monitors.counts().read).toBe(1);
      expect((await bench.scanned()).notes).toMatchObject([{ monitorId, kind: 'unknown' }]);
      aheadMs = 25 * hour;
      await bench.probe();
      expect(bench.sandbox.monitors.counts().read).toBe(2);
    },
  );
});

it('delivers the gravest changes of a page first', async () => {
  await start({
    changes: [
      { id: unheld, severity: 'info' },
      { id: other, severity: 'warn' },
      { id: change, severity: 'critical' },
    ],
  });
  await bench.sweepPages();
  expect(sink.taken).toEqual([change, other, unheld]);
});

it('a sweep by hand reads the health of its monitor', async () => {
  await start({ changes: [{ id: change }] });
  expect((await bench.sweep()).health).toEqual([]);
  expect(await bench.records.monitors.get(monitorId)).toMatchObject({ health: { kind: 'known' } });
});

it.each<[string, Parameters<typeof start>[0], object]>([
  [
    'may not run',
    { status: 'paused', execution_allowed: false, blocking_reason: 'monitor_paused' },
    { kind: 'blocked', why: 'monitor_paused' },
  ],
  [
    'fails at the service',
    { health: { status: 'failing', consecutive_failures: 9 } },
    { kind: 'unwell', health: 'failing', failures: 9 },
  ],
  ['is not told of', { read: ['404'] }, { kind: 'unknown', why: 'no_route', status: 404 }],
])('a sweep and a probe tell that a monitor %s', async (_, script, note) => {
  await start({ changes: [{ id: change }], ...script });
  expect((await bench.sweep()).health).toMatchObject([note]);
  await bench.probe();
  const told = noteLines((await bench.scanned()).notes, readerOf('en'));
  expect(told).toHaveLength(1);
  expect(told[0]).toMatch(/may not run|in a row failed|health unknown of 1/);
});

it('asks for a person when an item cannot be read sweep after sweep', async () => {
  await start({ changes: [{ answer: 'no_id' }] });
  const escalated: number[] = [];
  for (let pass = 1; pass <= 6; pass += 1) {
    escalated.push((await bench.sweep(`sweep-${pass}`)).backlog.escalated);
  }
  expect(escalated).toEqual([0, 0, 0, 0, 1, 1]);
});
