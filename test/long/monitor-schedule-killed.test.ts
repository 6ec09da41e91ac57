import { seededMonitorId } from '../../src/sandbox';
import { eventually } from '../support/diligence-process';
import { monitorInstallation } from '../support/monitor-installation';

test('a schedule changed twice and with another worker misses no window', async () => {
  const place = await monitorInstallation({ seeded: { monitors: 2, changes: 3 } });
  const watched = [seededMonitorId(1), seededMonitorId(2)];
  const [monitorId = ''] = watched;
  const run = async (...words: string[]): Promise<string> => {
    const { code, stdout, stderr } = await place.run(['monitor', ...words, '--json']);
    if (code !== 0) throw new Error(stderr);
    return stdout;
  };
  try {
    await run('schedule', '--every', '10s', '--monitors', monitorId);
    await place.stopWorkers('SIGKILL');
    await run('schedule', '--every', '11s', '--monitors', watched.join(','));
    place.sandbox.monitors.addChanges(monitorId, [{}, {}]);
    // A pass that the worker was killed in still runs: windows are left out for it.
    const { schedule } = await place.client();
    const windows = async (): Promise<number> => {
      const { info } = await schedule.getHandle('monitor-scan/default').describe();
      return info.numActionsTaken + info.numActionsSkippedOverlap;
    };
    const before = await windows();
    await eventually('a window comes', async () => (await windows()) > before);
    await place.startWorker();
    await eventually('the next pass finds them', () =>
      place.sandbox.monitors
        .changes(monitorId)
        .every(({ acknowledgedAt }) => acknowledgedAt !== null),
    );
    const [view] = JSON.parse(await run('list')) as { missed: number }[];
    expect(view?.missed).toBe(0);
  } finally {
    await place.stop();
  }
}, 120_000);
