import { randomUUID } from 'node:crypto';
import { Token } from '../../../src/apis/http/token';
import { WorkerMetrics } from '../../../src/workers/metrics';
import { samplesOf, sumOf } from '../../support/prometheus-text';
import { MonitorBench, monitorId } from '../activities/monitor-bench';

let metrics: WorkerMetrics;
let bench: MonitorBench | null = null;
beforeEach(() => (metrics = new WorkerMetrics('1.2.3')));
afterEach(async () => {
  await bench?.close();
  bench = null;
});

async function benchOf(script: Parameters<typeof MonitorBench.start>[0]): Promise<MonitorBench> {
  const others = { metrics, escalateAfter: 2 };
  bench = await MonitorBench.start(script, Token.of('sandbox-token'), others);
  return bench;
}

/** The sum of a figure of ours over all labels but those given. */
async function figure(name: string, labels: Record<string, string> = {}): Promise<number> {
  return sumOf(samplesOf(await metrics.page()), `diligence_${name}`, labels);
}

const changes = (event: string): Promise<number> => figure('changes_total', { event });

it('says what is zero of monitors before anything happened', async () => {
  const found = samplesOf(await metrics.page());
  const labelled = (name: string) =>
    found
      .filter((sample) => sample.name === `diligence_${name}` && sample.value === 0)
      .map(({ labels }) => Object.values(labels).join(' '));
  expect(labelled('changes_total').sort()).toEqual([
    'acknowledged',
    'acknowledged_elsewhere',
    'delivered',
    'gone',
    'stored',
    'unreadable',
  ]);
  expect(labelled('monitor_probes_total').sort()).toEqual(['due', 'failing', 'idle']);
  expect(labelled('changes_stuck_total').sort()).toEqual([
    'acknowledge false',
    'acknowledge true',
    'deliver false',
    'deliver true',
  ]);
});

it('counts a change once as stored, delivered and acknowledged, however often it is listed', async () => {
  const desk = await benchOf({ changes: [{}, {}, {}] });
  await desk.sweepPages('pass-1');
  await desk.sweepPages('pass-2');
  await desk.walk('pass-3');
  expect(await changes('stored')).toBe(3);
  expect(await changes('delivered')).toBe(3);
  expect(await changes('acknowledged')).toBe(3);
  expect(await changes('acknowledged_elsewhere')).toBe(0);
  expect(await figure('changes_stuck_total')).toBe(0);
});

it('counts what others acknowledged first as stored, and as theirs', async () => {
  const desk = await benchOf({ changes: [{ acknowledged: true }, { acknowledged: true }] });
  await desk.walk();
  expect(await changes('stored')).toBe(2);
  expect(await changes('delivered')).toBe(0);
  expect(await changes('acknowledged_elsewhere')).toBe(2);
});

it('counts a change that is stuck once a pass, and from the last try allowed on as escalated', async () => {
  const desk = await benchOf({ changes: [{ ack: 'refused' }, { ack: 'gone' }] });
  const stuck = (escalated: string) =>
    figure('changes_stuck_total', { step: 'acknowledge', escalated });
  await desk.sweepPages('pass-1');
  expect([await stuck('false'), await stuck('true')]).toEqual([1, 0]);
  await desk.sweepPages('pass-1');
  expect([await stuck('false'), await stuck('true')]).toEqual([1, 0]);
  expect(await changes('gone')).toBe(1);
  desk.sandbox.monitors.addChanges(monitorId, [{}]);
  await desk.sweepPages('pass-2');
  // The one that was gone is listed all the same, and is stuck for the first time.
  expect([await stuck('false'), await stuck('true')]).toEqual([2, 1]);
  expect(await figure('changes_stuck_total', { step: 'deliver' })).toBe(0);
  expect(await changes('acknowledged')).toBe(1);
});

it('counts an item that cannot be read each time that it is listed', async () => {
  const desk = await benchOf({ changes: [{ answer: 'no_id' }, {}] });
  await desk.sweepPages('pass-1');
  await desk.sweepPages('pass-2');
  expect(await changes('unreadable')).toBe(2);
  expect(await changes('stored')).toBe(1);
});

it('counts looks by what they found', async () => {
  const desk = await benchOf({ changes: [{}] });
  const looks = async () =>
    Promise.all(
      ['idle', 'due', 'failing'].map((result) => figure('monitor_probes_total', { result })),
    );
  await desk.probe([monitorId, randomUUID()]);
  expect(await looks()).toEqual([0, 1, 1]);
  await desk.sweepPages();
  await desk.walk();
  await desk.probe();
  expect(await looks()).toEqual([1, 1, 1]);
});
