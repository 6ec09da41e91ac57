import type { MonitorNote } from '../../../src/domain/monitors/scan';
import type { Fault } from '../../../src/domain/monitors/sweep';
import { MonitorBench, monitorId } from './monitor-bench';

const fault: Fault = { fault: 'cursor repeated', message: 'its words' };

describe('what sweeps leave', () => {
  let bench: MonitorBench;
  let warnings: unknown[];
  beforeEach(async () => {
    warnings = [];
    const warn = (message: string): void => void warnings.push(message);
    bench = await MonitorBench.start({}, undefined, { warn });
  });
  afterEach(() => bench.close());

  const left = async (): Promise<MonitorNote[]> => {
    return (await bench.scanned()).notes.filter(({ kind }) => kind === 'unfinished');
  };

  test('stands in the last scan over the next ones, until a sweep comes through', async () => {
    await bench.probe();
    await bench.finalize('sweep-1', { fault, warnings: ['slow sink'] });
    await bench.probe();
    expect(await left()).toEqual([
      {
        monitorId,
        kind: 'unfinished',
        left: {
          fault,
          warnings: ['slow sink'],
          backlog: { undelivered: 0, unreadable: 0, escalated: 0 },
        },
      },
    ]);
    await bench.finalize('sweep-2');
    expect(await left()).toEqual([]);
  });

  test('is said in the log once, not at every sweep', async () => {
    await bench.finalize('sweep-1', { fault });
    await bench.finalize('sweep-2', { fault, warnings: ['slow sink'] });
    expect(warnings).toEqual(['a sweep ended with an error']);
    await bench.finalize('sweep-3', { fault: { ...fault, fault: 'refused' } });
    expect(warnings).toHaveLength(2);
  });

  test('of a monitor that is on the list no more is forgotten', async () => {
    await bench.probe();
    await bench.finalize('sweep-1', { fault });
    await bench.probe(['11111111-1111-4111-8111-111111111111']);
    expect(await left()).toEqual([]);
  });
});
