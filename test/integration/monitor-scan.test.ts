import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mostSweeps, type ScanOutcome } from '../../src/domain/monitors/scan';
import { seededMonitorId } from '../../src/sandbox';
import type { Installation } from '../support/diligence-process';
import { monitorInstallation } from '../support/monitor-installation';

jest.setTimeout(120_000);

/** More than are swept at once. */
const monitors = mostSweeps + 4;

describe('a scan of many monitors', () => {
  let place: Installation;
  beforeAll(async () => {
    place = await monitorInstallation({ seeded: { monitors, changes: 1 } });
  });
  afterAll(() => place.stop());

  test('in which nothing is open leaves at most twenty events and costs one call each', async () => {
    const ids = Array.from({ length: monitors }, (_, place_) => seededMonitorId(place_ + 1));
    await writeFile(join(place.folder, 'ids.txt'), ids.join('\n'));
    const pass = async () => {
      const words = ['monitor', 'sweep', '--monitors', 'ids.txt', '--json'];
      const { stdout } = await place.run(words);
      return JSON.parse(stdout) as { outcome: ScanOutcome };
    };
    expect((await pass()).outcome.counts).toMatchObject({
      sweeps: monitors,
      acknowledged: monitors,
    });
    const before = place.sandbox.monitors.counts().list;
    const idle = await pass();
    expect(idle.outcome.counts).toMatchObject({ probed: monitors, sweeps: 0 });
    expect(place.sandbox.monitors.counts().list - before).toBe(monitors);
    const client = await place.client();
    const history = await client.workflow
      .getHandle(idle.outcome.scan.replace(/\/[^/]+$/, ''))
      .fetchHistory();
    expect(history.events?.length).toBeLessThanOrEqual(20);
  });
});
