import { seededMonitorId } from '../../src/sandbox';
import { draw } from '../../src/sandbox/core/chance';
import { ChangesReceiver, type ReceiverAnswer } from '../support/changes-receiver';
import type { Installation } from '../support/diligence-process';
import { incompleteOnFile } from '../support/monitor-account';
import { monitorInstallation } from '../support/monitor-installation';

jest.setTimeout(60_000);

const monitors = 3;
const changesEach = 120;
const faultRate = 0.1;
const receiverFaults: ReceiverAnswer[] = [
  500,
  503,
  { status: 503, headers: { 'retry-after': '1' } },
  'reset',
];

describe('a sweep by hand where one call of ten fails in passing', () => {
  let place: Installation;
  let receiver: ChangesReceiver;
  beforeAll(async () => {
    receiver = await ChangesReceiver.start();
    place = await monitorInstallation(
      {
        seeded: { monitors, changes: changesEach, overMs: 0 },
        // The first list of each monitor too, whatever is drawn.
        calls: { list: ['unreadable_2xx', '502', { kind: '503', retryAfterSeconds: 1 }] },
        background: {
          rate: faultRate,
          kinds: [
            { kind: '503', retryAfterSeconds: 1 },
            '503_bare',
            '500_html',
            '502',
            'reset_before',
            'reset_after',
            'cut_answer',
            'unreadable_2xx',
          ],
        },
      },
      { ...receiver.settings, MONITOR_SINKS: 'file,webhook' },
    );
  });
  afterAll(async () => {
    await place.stop();
    await receiver.close();
  });

  test('ends with everything delivered and acknowledged', async () => {
    const taken = new Set<string>();
    const tries = new Map<string, number>();
    let struck = 0;
    receiver.answer = ({ id }) => {
      const before = tries.get(id) ?? 0;
      tries.set(id, before + 1);
      const fault = receiverFaults[Math.floor(draw('kind', id, before) * receiverFaults.length)];
      if (draw('strikes', id, before) < faultRate && fault !== undefined) {
        struck += 1;
        return fault;
      }
      taken.add(id);
      return 200;
    };
    const ids = Array.from({ length: monitors }, (_, n) => seededMonitorId(n + 1));
    const words = ['monitor', 'sweep', '--monitors', ids.join(','), '--json'];
    const { code, stderr, stdout } = await place.run(words);
    expect({ code, told: code === 0 ? '' : stderr + stdout }).toEqual({ code: 0, told: '' });

    const held = place.sandbox.monitors.changes();
    expect(held).toHaveLength(monitors * changesEach);
    expect(held.filter(({ acknowledgedBy }) => acknowledgedBy !== 'client')).toEqual([]);
    expect(held.filter(({ changeId }) => !taken.has(changeId))).toEqual([]);
    expect(await incompleteOnFile(place.folder, held)).toEqual([]);
    // Accepted once, in an answer that arrived: nothing is acknowledged again that was told as done.
    const accepted = place.sandbox.monitors.received().filter(({ stage, fault }) => {
      return stage === 'ack' && (fault === null || fault === 'unreadable_2xx');
    });
    expect(new Set(accepted.map(({ id }) => id)).size).toBe(accepted.length);
    expect(accepted).toHaveLength(held.length);
    // There was trouble to get through.
    expect(struck).toBeGreaterThan(10);
    const lists = place.sandbox.monitors.received().filter(({ stage }) => stage === 'list');
    expect(new Set(lists.map(({ fault }) => fault))).toContain('unreadable_2xx');
  });
});
