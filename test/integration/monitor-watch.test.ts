import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WatchOutcome } from '../../src/domain/monitors/watch';
import { seededMonitorId } from '../../src/sandbox';
import type { Installation } from '../support/diligence-process';
import { monitorInstallation } from '../support/monitor-installation';

jest.setTimeout(120_000);

describe('a pass over many monitors', () => {
  let place: Installation;
  beforeAll(async () => {
    place = await monitorInstallation({ seeded: { monitors: 100, changes: 1 } });
  });
  afterAll(() => place.stop());

  test('in which nothing is open leaves at most twenty events and costs one call each', async () => {
    const ids = Array.from({ length: 100 }, (_, place_) => seededMonitorId(place_ + 1));
    await writeFile(join(place.folder, 'ids.txt'), ids.join('\n'));
    const pass = async () => {
      const words = ['monitor', 'sweep', '--monitors', 'ids.txt', '--json'];
      const { stdout } = await place.run(words);
      return JSON.parse(stdout) as { outcome: WatchOutcome };
    };
    expect((await pass()).outcome.counts).toMatchObject({ sweeps: 100, acknowledged: 100 });
    const before = place.sandbox.monitors.counts().list;
    const idle = await pass();
    expect(idle.outcome.counts).toMatchObject({ looked: 100, sweeps: 0 });
    expect(place.sandbox.monitors.counts().list - before).toBe(100);
    const client = await place.client();
    const history = await client.workflow.getHandle(idle.outcome.watch).fetchHistory();
    expect(history.events?.length).toBeLessThanOrEqual(20);
  });
});
