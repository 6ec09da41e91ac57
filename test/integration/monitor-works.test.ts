import { randomUUID } from 'node:crypto';
import { seededMonitorId } from '../../src/sandbox';
import { ChangesReceiver } from '../support/changes-receiver';
import { eventually, type Installation } from '../support/diligence-process';
import { monitorInstallation } from '../support/monitor-installation';

jest.setTimeout(180_000);

interface Shown {
  id: string;
  state: string;
  progress: { counts: { acknowledged: number } } | null;
  changes: { filed: number; open: number };
  sweeps: string[];
  open: string[];
  notes: { monitorId: string; kind: string }[];
}

interface Ended {
  exitCode: number;
  outcome: { stopped: string | null; counts: { acknowledged: number } };
}

describe('`status`, `result` and `cancel` of sweeps and scans', () => {
  let place: Installation;
  let receiver: ChangesReceiver;
  const [first, second, third] = [1, 2, 3].map(seededMonitorId) as [string, string, string];
  const changes = 300;
  beforeAll(async () => {
    receiver = await ChangesReceiver.start();
    place = await monitorInstallation(
      { seeded: { monitors: 3, changes, overMs: 0 } },
      receiver.settings,
    );
  });
  // From the second page on a page takes its time, so that one is under way when it is cancelled.
  beforeEach(() => {
    const told = new Map<string, number>();
    receiver.answer = ({ body: { monitor_id: monitorId = '' } }) => {
      const count = (told.get(monitorId) ?? 0) + 1;
      told.set(monitorId, count);
      return { status: 200, afterMs: count > 100 ? 1_000 : 0 };
    };
  });
  afterAll(async () => {
    await place.stop();
    await receiver.close();
  });

  async function json<T>(...words: string[]): Promise<T> {
    const { stdout, stderr } = await place.run([...words, '--json']);
    if (stdout === '') throw new Error(stderr);
    return JSON.parse(stdout) as T;
  }
  const begin = (...ids: string[]) =>
    json<{ id: string }>('monitor', 'sweep', '--detach', '--monitors', ids.join(','));
  async function ended(id: string): Promise<Ended> {
    const handle = (await place.client()).workflow.getHandle(id);
    await eventually(`${id} has ended`, async () => {
      return (await handle.describe()).status.name === 'COMPLETED';
    });
    return json<Ended>('result', id);
  }
  const acknowledged = (monitorId: string) =>
    place.sandbox.monitors
      .changes(monitorId)
      .filter(({ acknowledgedAt }) => acknowledgedAt !== null)
      .map(({ changeId }) => changeId);
  const delivered = () => new Set(receiver.received.map(({ id }) => id));

  test('a sweep tells how far it is, and `cancel` ends it between two pages with nothing lost', async () => {
    const { id } = await begin(first);
    expect(id).toBe(`monitor-sweep/${first}`);
    await eventually('a page is acknowledged', () => acknowledged(first).length > 0);
    const [byId, byMonitor, early] = await Promise.all([
      json<Shown>('show', id),
      place.run(['show', first]),
      place.run(['result', first]),
    ]);
    expect(byId).toMatchObject({ id, state: 'running' });
    expect(byId.changes.filed).toBeGreaterThan(0);
    expect(byMonitor).toMatchObject({ code: 0 });
    expect(byMonitor.stdout).toMatch(/: running\n {2}sweeping: \d+ new, \d+ delivered/);
    expect(early).toMatchObject({ code: 1, stdout: '' });
    expect(early.stderr).toContain('has not ended');
    expect(await place.run(['cancel', first])).toMatchObject({ code: 0 });
    receiver.answer = () => 200;

    const { exitCode, outcome } = await ended(id);
    expect(exitCode).toBe(0);
    expect(outcome.stopped).toBe('cancelled');
    const through = acknowledged(first);
    expect(through).toHaveLength(outcome.counts.acknowledged);
    expect(through.length % 100).toBe(0);
    expect(through.length).toBeLessThan(changes);
    for (const changeId of through) expect(delivered()).toContain(changeId);
    const [again, later] = await Promise.all([
      place.run(['cancel', id]),
      json<Shown>('show', first),
    ]);
    expect(again).toMatchObject({ code: 1 });
    expect(again.stderr).toContain('has ended');
    expect(later).toMatchObject({ state: 'ended', changes: { filed: through.length, open: 0 } });

    await place.run(['monitor', 'sweep', '--monitors', first]);
    expect(acknowledged(first)).toHaveLength(changes);
  });

  test('a scan names what it has under way and what fails; `cancel --now` ends its sweeps too', async () => {
    const unknown = randomUUID();
    const { id } = await begin(second, third, unknown);
    await eventually('sweeps are under way', () =>
      [second, third].every((monitorId) => acknowledged(monitorId).length > 0),
    );
    const sweeps = [second, third].map((monitorId) => `monitor-sweep/${monitorId}`).sort();
    const [shown, told] = await Promise.all([json<Shown>('show', id), place.run(['show', id])]);
    expect(shown).toMatchObject({
      state: 'running',
      progress: { monitors: 3, underWay: 2 },
      sweeps,
      notes: [{ monitorId: unknown, kind: 'failing' }],
    });
    expect(shown.open.sort()).toEqual([second, third].sort());
    expect(told.stdout).toContain(`could not be listed: ${unknown}`);
    const cancelled = await place.run(['cancel', id, '--now']);
    expect(cancelled).toMatchObject({ code: 0 });
    expect(cancelled.stdout).toContain('2 sweeps under way are cancelled');
    receiver.answer = () => 200;

    expect(await ended(id)).toMatchObject({ exitCode: 3, outcome: { stopped: 'cancelled' } });
    for (const monitorId of [second, third]) {
      const { outcome } = await json<Ended>('result', monitorId);
      expect(outcome).toMatchObject({
        stopped: 'cancelled',
        counts: { acknowledged: acknowledged(monitorId).length },
      });
      expect(acknowledged(monitorId).length).toBeLessThan(changes);
    }
  });

  test('what nobody knows is told, and a flag for certificates is refused', async () => {
    const wrong = [
      [['show', randomUUID()], 1, 'nothing is known of'],
      [['show', 'monitor-scan/never'], 1, 'there is no schedule monitor-scan/never'],
      [['result', `monitor-scan/by-hand/${'0'.repeat(16)}`], 1, 'has no result'],
      [['pause', first], 2, 'monitor pause'],
      [['result', first, '--excel'], 2, '--excel would change nothing'],
    ] as const;
    const results = await Promise.all(wrong.map(([words]) => place.run([...words])));
    for (const [place_, [, code, sentence]] of wrong.entries()) {
      expect(results[place_]).toMatchObject({ code, stdout: '' });
      expect(results[place_]?.stderr).toContain(sentence);
    }
  });
});
