import { randomUUID } from 'node:crypto';
import type { temporal } from '@temporalio/proto';
import { seededMonitorId } from '../../src/sandbox';
import { ChangesReceiver } from '../support/changes-receiver';
import type { Installation } from '../support/diligence-process';
import {
  changeOnFile,
  holdMonitor,
  leftOpen,
  monitorInstallation,
  sweep,
  type HeldScript,
  type MonitorSection,
} from '../support/monitor-installation';
import { configured } from '../support/configured';

jest.setTimeout(120_000);

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

describe('a sweep of one monitor', () => {
  let place: Installation;
  let receiver: ChangesReceiver;
  beforeAll(async () => {
    receiver = await ChangesReceiver.start();
    place = await monitorInstallation(
      { cursors: 'shifting', seeded: { monitors: 3, changes: 250, overMs: 0 } },
      { ...receiver.settings, ...configured({ monitors: { escalateAfter: 2 } }) },
    );
  });
  afterAll(async () => {
    await place.stop();
    await receiver.close();
  });

  const held = (script: HeldScript, rules: MonitorSection = {}) =>
    holdMonitor(place, script, rules);
  const received = (monitorId: string) =>
    receiver.received.filter(({ body }) => body.monitor_id === monitorId);
  const calls = (monitorId: string, stage: string) =>
    place.sandbox.monitors
      .received()
      .filter((one) => one.subject === monitorId && one.stage === stage);
  const left = (monitorId: string) => leftOpen(place, monitorId);

  test('delivers, then acknowledges everything that is open, in few calls and events', async () => {
    const busy = seededMonitorId(1);
    const { code, outcome } = await sweep(place, busy);
    expect(outcome).toMatchObject({
      status: 'swept',
      counts: { stored: 250, delivered: 250, acknowledged: 250, elsewhere: 0 },
      backlog: { undelivered: 0, unreadable: 0, escalated: 0 },
      fault: null,
      warnings: [],
    });
    expect(code).toBe(0);
    expect(left(busy)).toEqual([]);
    expect(new Set(received(busy).map(({ id }) => id)).size).toBe(250);
    const takenAt = new Map(received(busy).map(({ id, at }) => [id, at]));
    for (const ack of calls(busy, 'ack')) {
      const taken = takenAt.get(String(ack.id)) ?? Infinity;
      expect(Date.parse(ack.at)).toBeGreaterThanOrEqual(taken);
    }
    expect(calls(busy, 'ack')).toHaveLength(250);
    // Three of what is open, three of all states: it was the first sweep.
    expect(calls(busy, 'list')).toHaveLength(6);
    const client = await place.client();
    const history = await client.workflow.getHandle(`monitor-sweep/${busy}`).fetchHistory();
    const events = history.events ?? [];
    const activities = events.filter((one) => one.activityTaskScheduledEventAttributes).length;
    // Three pages at once, or fewer on a slow machine; the walk over all states, its end.
    expect(activities).toBeGreaterThanOrEqual(3);
    expect(activities).toBeLessThanOrEqual(5);
    // A workflow task before each, and one after.
    const tasks = events.filter((one) => one.workflowTaskCompletedEventAttributes);
    expect(tasks.length).toBeLessThan(activities + 2);
    // Three for each activity, start, search attributes, end. A workflow task that a busy machine
    // was late for leaves events of its own: they are left out.
    expect(events.filter((one) => !isOfWorkflowTask(one))).toHaveLength(3 * activities + 3);
  });

  test('has one call for a monitor where nothing is open', async () => {
    const busy = seededMonitorId(1);
    const before = calls(busy, 'list').length;
    const { outcome } = await sweep(place, busy);
    expect(outcome).toMatchObject({ status: 'swept', counts: { pages: 1, stored: 0 } });
    expect(calls(busy, 'list').length - before).toBe(1);
  });

  test('leaves open what it was not asked for', async () => {
    const some = held({
      changes: [{ severity: 'critical' }, { severity: 'info' }, { severity: 'warn' }],
    });
    const { outcome } = await sweep(place, some, '--severity', 'critical,warn');
    expect(outcome?.counts.acknowledged).toBe(2);
    expect(left(some).map(({ severity }) => severity)).toEqual(['info']);
  });

  test('puts on file what others acknowledged before the first sweep, and delivers none of it', async () => {
    const old = held({ seededChanges: 50 });
    const ids = place.sandbox.monitors.changes(old).map(({ changeId }) => changeId);
    place.sandbox.monitors.acknowledgeElsewhere(old);
    const { outcome } = await sweep(place, old);
    expect(outcome?.reconciled).toEqual({ pages: 1, found: 50, pending: 0, fault: null });
    for (const id of ids) {
      expect(await changeOnFile(place, old, id)).toMatchObject({
        stored: { foundAs: 'elsewhere' },
        acknowledged: { by: 'elsewhere' },
      });
    }
    expect(received(old)).toEqual([]);
  });

  test('takes a change that somebody else acknowledges meanwhile as through', async () => {
    const shared = held({ changes: [{}, {}] }, { repeatedAck: 'conflict' });
    receiver.answer = ({ id, body }) => {
      if (body.monitor_id === shared) place.sandbox.monitors.acknowledgeElsewhere(shared, [id]);
      return 200;
    };
    const { code, outcome } = await sweep(place, shared);
    receiver.answer = () => 200;
    expect(outcome).toMatchObject({
      status: 'swept',
      counts: { delivered: 2, acknowledged: 0, elsewhere: 2 },
    });
    expect(code).toBe(0);
  });

  test('goes past changes that cannot be brought through, tries them later, and asks for a person', async () => {
    const [locked, gone, unwanted] = [randomUUID(), randomUUID(), randomUUID()];
    const mixed = held({
      changes: [
        { id: locked, ack: 'refused' },
        { id: gone, ack: 'gone' },
        { id: unwanted },
        { answer: 'no_id' },
        {},
        {},
      ],
    });
    receiver.answer = ({ id }) => (id === unwanted ? 400 : 200);
    const first = await sweep(place, mixed);
    expect(first.outcome).toMatchObject({
      status: 'partly',
      fault: null,
      counts: { acknowledged: 2, elsewhere: 1 },
      backlog: { undelivered: 2, escalated: 0, unreadable: 1 },
    });
    expect(first.code).toBe(1);
    expect(calls(mixed, 'ack').filter((one) => one.id === unwanted)).toEqual([]);
    expect(await changeOnFile(place, mixed, locked)).toMatchObject({
      acknowledged: null,
      failure: { step: 'acknowledge', count: 1 },
    });
    expect(await changeOnFile(place, mixed, gone)).toMatchObject({ acknowledged: { by: 'gone' } });
    const second = await sweep(place, mixed);
    // What the service did not know is still on its list, as is what cannot be read, and the sweep says so.
    expect(second.outcome?.backlog).toEqual({ undelivered: 3, unreadable: 1, escalated: 3 });
    receiver.answer = () => 200;
    const third = await sweep(place, mixed);
    expect(third.outcome).toMatchObject({
      counts: { acknowledged: 1 },
      backlog: { undelivered: 2 },
    });
    expect(received(mixed).filter(({ id }) => id === locked)).toHaveLength(1);
  });

  test('no document is in the log of the worker', async () => {
    const log = await place.workerLog();
    const state = place.sandbox.monitors.state();
    const identifiers = JSON.stringify(state).match(/\b\d{11}(?:\d{3})?\b/g) ?? [];
    expect(identifiers.length).toBeGreaterThan(0);
    for (const identifier of identifiers) expect(log).not.toContain(identifier);
  });
});

function isOfWorkflowTask(event: HistoryEvent): boolean {
  return Object.entries(event).some(([name, value]) => {
    return name.startsWith('workflowTask') && value != null;
  });
}
