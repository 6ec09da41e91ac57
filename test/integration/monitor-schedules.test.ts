import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ScanOutcome } from '../../src/domain/monitors/scan';
import { seededMonitorId } from '../../src/sandbox';
import { ChangesReceiver } from '../support/changes-receiver';
import { eventually, type Installation } from '../support/diligence-process';
import { monitorInstallation, sweep } from '../support/monitor-installation';

jest.setTimeout(120_000);

interface ShownSchedule {
  id: string;
  created: boolean;
  monitors: number;
}

interface ShownView {
  name: string;
  every: string;
  monitors: number;
  paused: boolean;
  next: string | null;
  last: string | null;
  running: string[];
  skipped: number;
  missed: number;
  open: number;
}

describe('schedules of sweeps', () => {
  let place: Installation;
  let receiver: ChangesReceiver;
  let release: () => void = () => undefined;
  const watched = [seededMonitorId(1), seededMonitorId(2)];

  beforeAll(async () => {
    receiver = await ChangesReceiver.start();
    place = await monitorInstallation({ seeded: { monitors: 3, changes: 3 } }, receiver.settings);
  });
  afterEach(() => {
    release();
    receiver.answer = () => 200;
  });
  afterAll(async () => {
    await place.stop();
    await receiver.close();
  });

  /** Deliveries get no answer until `release` is called. */
  function hold(): void {
    const held = new Promise<void>((done) => (release = done));
    receiver.answer = async () => held.then(() => 200);
  }
  async function shown<T>(...words: string[]): Promise<T> {
    const { code, stdout, stderr } = await place.run(['monitor', ...words, '--json']);
    if (code !== 0) throw new Error(stderr);
    return JSON.parse(stdout) as T;
  }
  const schedule = (...words: string[]) => shown<ShownSchedule>('schedule', ...words);
  const list = () => shown<ShownView[]>('list');
  async function view(): Promise<ShownView> {
    const [only] = await list();
    if (only === undefined) throw new Error('nothing is scheduled');
    return only;
  }
  const handleOf = async () => (await place.client()).schedule.getHandle('monitor-scan/default');
  const info = async () => (await (await handleOf()).describe()).info;
  const left = (monitorId: string) =>
    place.sandbox.monitors
      .changes(monitorId)
      .filter(({ acknowledgedAt }) => acknowledgedAt === null);

  test('a schedule begins at once, and two sweeps of a monitor never run at the same time', async () => {
    hold();
    const made = await schedule('--every', '1h', '--monitors', watched.join(','));
    expect(made).toMatchObject({ created: true, monitors: 2 });
    await eventually('a delivery is under way', () => receiver.received.length > 0);
    const byHand = sweep(place, watched[0] ?? '');
    await (await handleOf()).trigger('SKIP');
    await eventually('the window is skipped', async () => {
      return (await info()).numActionsSkippedOverlap === 1;
    });
    expect(await view()).toMatchObject({ skipped: 1, running: [expect.any(String)] });
    const running = await place.run(['show', 'monitor-scan/default', '--json']);
    expect(JSON.parse(running.stdout)).toMatchObject({ kind: 'monitor-scan', status: 'running' });
    release();
    expect(await byHand).toMatchObject({ code: 0, outcome: { counts: { acknowledged: 3 } } });
    expect((await byHand).stderr).toContain('is under way already');
    await eventually('everything is through', () => watched.flatMap(left).length === 0);
    expect(receiver.received).toHaveLength(6);
    await eventually('the pass has ended', async () => (await info()).runningActions.length === 0);
  });

  test('a pass leaves a monitor alone that is swept by hand', async () => {
    const [monitorId = ''] = watched;
    place.sandbox.monitors.addChanges(monitorId, [{}]);
    hold();
    receiver.received.length = 0;
    const byHand = sweep(place, monitorId);
    await eventually('the sweep by hand delivers', () => receiver.received.length === 1);
    const client = await place.client();
    await (await handleOf()).trigger('SKIP');
    let outcome: ScanOutcome | null = null;
    await eventually('the pass has ended', async () => {
      const { recentActions, runningActions } = await info();
      const last = recentActions.at(-1)?.action.workflow;
      if (recentActions.length < 2 || runningActions.length > 0 || !last) return false;
      outcome = (await client.workflow.getHandle(last.workflowId).result()) as ScanOutcome;
      return true;
    });
    expect(outcome).toMatchObject({ counts: { probed: 2, running: 1, sweeps: 0 } });
    release();
    expect(await byHand).toMatchObject({ code: 0 });
    expect(receiver.received).toHaveLength(1);
  });

  test('asked for again it is the same schedule, with what was asked for last', async () => {
    const same = ['--every', '1h', '--monitors', watched.join(',')];
    expect(await schedule(...same)).toMatchObject({ created: false, monitors: 2 });
    await writeFile(join(place.folder, 'ids.csv'), `monitor_id\n${seededMonitorId(3)}\n`);
    const words = ['--every', '15m', '--monitors', 'ids.csv', '--severity', 'critical'];
    expect(await schedule(...words, '--by', 'another')).toMatchObject({ created: false });
    expect(await list()).toHaveLength(1);
    expect(await view()).toMatchObject({ every: '15m', monitors: 1, missed: 0 });
    const { action } = await (await handleOf()).describe();
    expect(action.args).toMatchObject([
      { by: 'another', terms: { severities: ['critical'] }, list: { monitors: 1 } },
    ]);
  });

  test('what somebody changed by other means is put right', async () => {
    await (
      await handleOf()
    ).update(({ spec, action, state, policies }) => ({
      spec: { ...spec, jitter: '5m' },
      action: action as never,
      state,
      policies: { ...policies, overlap: 'ALLOW_ALL', catchupWindow: '1m' },
    }));
    await schedule('--every', '15m', '--monitors', 'ids.csv');
    expect(await (await handleOf()).describe()).toMatchObject({
      spec: { jitter: 90_000 },
      policies: { overlap: 'SKIP', catchupWindow: 1_800_000 },
    });
  });

  test('a pause outlives a change, and `resume` ends it', async () => {
    await shown('pause');
    await schedule('--every', '20m', '--monitors', 'ids.csv');
    expect(await view()).toMatchObject({ paused: true, every: '20m', next: null });
    await shown('resume');
    const next = (await view()).next;
    expect(Date.parse(next ?? '')).toBeGreaterThan(Date.now());
  });

  test('`unschedule` ends it, and says when there is none', async () => {
    await schedule('--every', '1h', '--monitors', watched.join(','), '--cooldown', '1h');
    await shown('unschedule');
    const again = await place.run(['monitor', 'unschedule']);
    expect(again).toMatchObject({ code: 1 });
    expect(again.stderr).toContain('there is no schedule default');
  });

  test('an id that is none is told before anything is sent', async () => {
    const { code, stderr } = await place.run(['monitor', 'sweep', '--monitors', 'abc,def']);
    expect(code).toBe(2);
    expect(stderr).toContain('"abc" is neither the id of a monitor (a UUID) nor a file');
  });
});
