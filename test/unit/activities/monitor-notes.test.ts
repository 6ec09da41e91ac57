import { ActivityEnvironment } from '../../support/activity-environment';
import { createMonitorNoteActivities } from '../../../src/activities/monitors/notes';
import type { PassOnFile, SweepNote } from '../../../src/domain/monitors/watch';
import { MonitorBench, monitorId } from './monitor-bench';

const fault = 'cursor repeated: its words';

describe('what sweeps leave', () => {
  let bench: MonitorBench;
  let warnings: unknown[];
  beforeEach(async () => {
    warnings = [];
    const warn = (message: string): void => void warnings.push(message);
    bench = await MonitorBench.start({}, undefined, { warn });
  });
  afterEach(() => bench.close());

  const note = (found: Partial<SweepNote>): Promise<void> => {
    const { noteSweeps } = createMonitorNoteActivities(bench.deps);
    const sweeps = [{ monitorId, fault: null, left: [], ...found }];
    return new ActivityEnvironment().run(noteSweeps, { sweeps });
  };
  const left = async (): Promise<PassOnFile['left']> => (await bench.lists.look('all', 0))?.left;

  test('stands in the pass on file over the next looks, until a sweep comes through', async () => {
    expect(await bench.look()).toMatchObject({ noted: false });
    await note({ fault, left: [fault, '3 changes could not be brought through'] });
    expect(await bench.look()).toMatchObject({ noted: true });
    const why = `${fault}; 3 changes could not be brought through`;
    expect(await left()).toEqual([{ monitorId, why }]);
    await note({});
    expect(await left()).toEqual([]);
    expect(await bench.look()).toMatchObject({ noted: false });
  });

  test('is told in the log once, not at every pass', async () => {
    await bench.look();
    await note({ fault, left: [fault] });
    await note({ fault, left: [fault, '4 changes could not be brought through'] });
    expect(warnings).toEqual(['a sweep ended with a fault']);
    await note({ fault: 'refused', left: ['refused'] });
    expect(warnings).toHaveLength(2);
  });

  test('of a monitor that is watched no more is forgotten', async () => {
    await bench.look();
    await note({ fault, left: [fault] });
    const other = '11111111-1111-4111-8111-111111111111';
    expect(await bench.look([other])).toMatchObject({ noted: false });
    expect(await left()).toEqual([]);
  });
});
