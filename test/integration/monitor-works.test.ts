import { randomUUID } from 'node:crypto';
import { seededMonitorId } from '../../src/sandbox';
import { ChangesReceiver } from '../support/changes-receiver';
import { jobEnvelope, type JobEnvelope } from '../../src/starters/jobs/envelope';
import { eventually, type Installation } from '../support/diligence-process';
import { monitorInstallation } from '../support/monitor-installation';

jest.setTimeout(180_000);

interface Counts {
  acknowledged: number;
}

type Ended = JobEnvelope & {
  outcome: { stopped: string | null; counts: Counts; open: string[]; notes: object[] };
};

describe('sweeps and scans are jobs', () => {
  let place: Installation;
  let receiver: ChangesReceiver;
  const [first, second, third] = [1, 2, 3].map(seededMonitorId) as [string, string, string];
  const changes = 400;
  beforeAll(async () => {
    receiver = await ChangesReceiver.start();
    place = await monitorInstallation(
      { seeded: { monitors: 3, changes, overMs: 0 } },
      receiver.settings,
    );
  });
  // The second page ends the first activity, and the third takes its time: it is under way when it is cancelled.
  beforeEach(() => {
    const told = new Map<string, number>();
    receiver.answer = ({ body: { monitor_id: monitorId = '' } }) => {
      const count = (told.get(monitorId) ?? 0) + 1;
      told.set(monitorId, count);
      return { status: 200, afterMs: count > 200 ? 500 : count > 100 ? 800 : 0 };
    };
  });
  afterAll(async () => {
    await place.stop();
    await receiver.close();
  });

  async function json<T = JobEnvelope>(...words: string[]): Promise<T> {
    const { stdout, stderr } = await place.run([...words, '--json']);
    if (stdout === '') throw new Error(stderr);
    return jobEnvelope.parse(JSON.parse(stdout)) as T;
  }
  const begin = (...ids: string[]) =>
    json('monitor', 'sweep', '--detach', '--monitors', ids.join(','));
  async function ended(id: string): Promise<Ended> {
    await eventually(`${id} has ended`, async () => (await json('show', id)).outcome !== null);
    return json<Ended>('result', id);
  }
  const acknowledged = (monitorId: string) =>
    place.sandbox.monitors
      .changes(monitorId)
      .filter(({ acknowledgedAt }) => acknowledgedAt !== null)
      .map(({ changeId }) => changeId);
  const delivered = () => new Set(receiver.received.map(({ id }) => id));

  test('a sweep tells how far it is, and `cancel` ends it between two pages with nothing lost', async () => {
    const { id, status } = await begin(first);
    expect(status).toBe('running');
    expect(id).toMatch(new RegExp(`^monitor-sweep/${first}/\\d{8}T\\d{9}Z$`));
    const newest = `monitor-sweep/${first}`;
    let byMonitor = await place.run(['show', newest]);
    await eventually('it tells how far it is', async () => {
      byMonitor = await place.run(['show', newest]);
      return byMonitor.stdout.includes(' new, ');
    });
    const [byId, early] = await Promise.all([json('show', id), place.run(['result', id])]);
    expect(byId).toMatchObject({ id, kind: 'monitor-sweep', status: 'running', outcome: null });
    expect(byMonitor).toMatchObject({ code: 0 });
    expect(byMonitor.stdout).toMatch(/: running\n {2}sweeping {2}\d+ new, \d+ delivered/);
    expect(early).toMatchObject({ code: 1, stdout: '' });
    expect(early.stderr).toContain('has not ended');
    const attached = await place.run(['monitor', 'sweep', '--detach', '--monitors', first]);
    expect(attached.stdout.trim()).toBe(id);
    expect(await place.run(['cancel', newest])).toMatchObject({ code: 0 });
    receiver.answer = () => 200;

    const { exitCode, outcome } = await ended(id);
    expect(exitCode).toBe(0);
    expect(outcome.stopped).toBe('cancelled');
    const through = acknowledged(first);
    expect(through).toHaveLength(outcome.counts.acknowledged);
    expect(through.length % 100).toBe(0);
    expect(through.length).toBeLessThan(changes);
    for (const changeId of through) expect(delivered()).toContain(changeId);
    const [again, later] = await Promise.all([place.run(['cancel', id]), json('show', newest)]);
    expect(again).toMatchObject({ code: 1 });
    expect(again.stderr).toContain('has ended');
    expect(later).toMatchObject({
      status: 'cancelled',
      outcome: { monitor: { changes: { stored: through.length, open: 0 } } },
    });

    await place.run(['monitor', 'sweep', '--monitors', first]);
    expect(acknowledged(first)).toHaveLength(changes);
  });

  test('a scan names what fails; `cancel --now` ends its sweeps too', async () => {
    const unknown = randomUUID();
    const { id } = await begin(second, third, unknown);
    await eventually('sweeps are under way', () =>
      [second, third].every((monitorId) => acknowledged(monitorId).length > 0),
    );
    expect(await json('show', id)).toMatchObject({
      status: 'running',
      progress: { total: 3, counts: { probed: 3 }, outstanding: 2 },
    });
    const cancelled = await place.run(['cancel', id, '--now']);
    expect(cancelled).toMatchObject({ code: 0 });
    expect(cancelled.stdout).toContain('what is under way is brought to its end');
    receiver.answer = () => 200;

    const scan = await ended(id);
    expect(scan).toMatchObject({ exitCode: 3, needsAttention: true });
    expect(scan.outcome).toMatchObject({
      stopped: 'cancelled',
      notes: [{ monitorId: unknown, kind: 'failing' }],
    });
    expect(scan.outcome.open.sort()).toEqual([second, third].sort());
    const told = await place.run(['show', id]);
    expect(told.stdout).toContain(`could not be listed: ${unknown}`);
    for (const monitorId of [second, third]) {
      const { outcome } = await json<Ended>('result', `monitor-sweep/${monitorId}`);
      expect(outcome).toMatchObject({
        stopped: 'cancelled',
        counts: { acknowledged: acknowledged(monitorId).length },
      });
      expect(acknowledged(monitorId).length).toBeLessThan(changes);
    }
    const inbox = await place.run(['inbox', '--kind', 'monitor-scan', '--json']);
    expect(JSON.parse(inbox.stdout)).toMatchObject({ jobs: [{ id }] });
    const seen = ['resolve', id, '--action', 'acknowledge', '--note', 'known'];
    expect(await place.run(seen)).toMatchObject({ code: 0 });
    expect(await json('result', id)).toMatchObject({ exitCode: 1, needsAttention: false });
  });

  test('what nobody knows is told, and a flag that would change nothing is refused', async () => {
    const wrong = [
      [['show', `monitor-sweep/${randomUUID()}`], 1, 'no job'],
      [['show', 'monitor-scan/never'], 1, 'no job'],
      [['pause', `monitor-sweep/${first}`], 2, 'does not take `pause`'],
      [['result', `monitor-sweep/${first}`, '--excel'], 2, '--excel would change nothing'],
      [['result', `monitor-sweep/${first}`, '--out', 'x'], 2, '--out would change nothing'],
    ] as const;
    const results = await Promise.all(wrong.map(([words]) => place.run([...words])));
    for (const [place_, [, code, sentence]] of wrong.entries()) {
      expect(results[place_]).toMatchObject({ code, stdout: '' });
      expect(results[place_]?.stderr).toContain(sentence);
    }
  });
});
