import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Token } from '../../../src/apis/http/token';
import { TemporaryStore } from '../../support/temporary-store';
import { MonitorBench, monitorId } from './monitor-bench';

const change = '11111111-1111-4111-8111-111111111111';
const due = { monitorId, reconcile: true };

describe('activities of monitors in trouble', () => {
  let bench: MonitorBench;
  afterEach(() => bench.close());

  const acknowledgement = async () =>
    (await bench.records.changes.get(monitorId, change))?.acknowledged ?? null;
  const markOf = async (): Promise<string | undefined> => (await acknowledgement())?.by;

  test('an acknowledgement whose answer was lost, and that is refused when sent again, is looked up', async () => {
    bench = await MonitorBench.start({ changes: [{ id: change }], ack: ['reset_after', '409'] });
    await bench.walk('an earlier sweep');
    expect(await bench.sweep()).toMatchObject({ unsure: true, backlog: { undelivered: 1 } });
    expect(await markOf()).toBeUndefined();
    // Whether or not this pass can: the next one owes it.
    expect(await bench.probe()).toMatchObject({ due: [due] });
    expect(await bench.walk('sweep-2')).toMatchObject({
      counts: { acknowledged: 1, elsewhere: 0 },
    });
    expect(await acknowledgement()).toMatchObject({ by: 'us', required: ['file'] });
    expect(await bench.probe()).toMatchObject({ due: [] });
  });

  test('an acknowledgement that fails four times in a row is tried again in the same sweep', async () => {
    bench = await MonitorBench.start({
      changes: [{ id: change }],
      ack: ['502', 'reset_before', '502', 'reset_before'],
    });
    expect(await bench.sweep()).toMatchObject({
      counts: { acknowledged: 1 },
      backlog: { undelivered: 0 },
    });
  });

  test('an acknowledgement tells which sinks had to have the change before it', async () => {
    bench = await MonitorBench.start({ changes: [{ id: change }] });
    await bench.sweepPages();
    expect(await acknowledgement()).toMatchObject({ by: 'us', required: ['file'] });
  });

  test('an acknowledgement that is refused, and did not arrive before, is looked up by nobody', async () => {
    const busy = { kind: '429', retryAfterSeconds: 0 } as const;
    bench = await MonitorBench.start({ changes: [{ id: change }], ack: [busy, '503', '409'] });
    await bench.walk('an earlier sweep');
    expect(await bench.sweep()).toMatchObject({ unsure: false, backlog: { undelivered: 1 } });
    expect(await bench.probe()).toMatchObject({ due: [{ reconcile: false }] });
  });

  test('a service that answers no acknowledgement for days is not walked through at every sweep', async () => {
    const sixTimes = Array.from({ length: 6 }, () => ['500_html', '409'] as const).flat();
    bench = await MonitorBench.start({ changes: [{ id: change }], ack: sixTimes });
    const unsure: boolean[] = [];
    for (let pass = 1; pass <= 6; pass += 1) {
      unsure.push((await bench.sweepPages(`sweep-${pass}`)).unsure);
    }
    expect(unsure).toEqual([true, true, true, true, false, false]);
  });

  test('what an attempt before this one may have acknowledged is looked up', async () => {
    bench = await MonitorBench.start({ changes: [{ id: change }] });
    await bench.walk('an earlier sweep');
    expect(await bench.probe()).toMatchObject({ due: [{ reconcile: false }] });
    expect(await bench.sweepPages('sweep-1', 2)).toMatchObject({ unsure: true });
    expect(await bench.probe()).toMatchObject({ due: [due] });
  });

  test('a sweep counts what an attempt did whose worker was lost', async () => {
    bench = await MonitorBench.start({ changes: [{ id: change }] });
    await bench.sweepPages();
    const { counts } = await bench.sweepPages('sweep-1', 2);
    const did = { stored: 1, delivered: 1, acknowledged: 1, elsewhere: 0 };
    expect(await bench.finalize('sweep-1', { counts })).toMatchObject({ counts: did });
  });

  test('a token that was just replaced in its file ends no pass', async () => {
    const place = new TemporaryStore();
    const file = join(place.folder, 'token');
    await writeFile(file, 'sandbox-token');
    bench = await MonitorBench.start({ changes: [{ id: change }] }, Token.fromFile(file));
    expect(await bench.probe()).toMatchObject({ failing: 0, isCredentials: false });
    await writeFile(file, 'the-next-one');
    bench.sandbox.setToken('sandbox-token', false);
    bench.sandbox.setToken('the-next-one', true);
    expect(await bench.probe()).toMatchObject({ failing: 0, isCredentials: false });
    place.remove();
  });

  test('a token that is refused twice ends the pass', async () => {
    bench = await MonitorBench.start({ list: ['401', '403_unauthorized'] });
    expect(await bench.probe()).toMatchObject({ failing: 1, isCredentials: true });
    expect(bench.sandbox.monitors.counts().list).toBe(2);
  });
});
