import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inParallel } from '../../src/store/core/in-parallel';
import { openStore } from '../../src/store/open-store';
import { IdKey } from '../../src/protection/id-key';
import { KeyRing } from '../../src/protection/key-ring';
import { MonitorRepository } from '../../src/store/monitors/monitors';
import { testPayloadKeys } from '../support/temporary-store';
import type { ScanOutcome } from '../../src/domain/monitors/scan';
import { seededMonitorId } from '../../src/sandbox';
import { Installation } from '../support/diligence-process';
import { eventCount, runsOf } from '../support/histories';
import type { MonitorSection } from '../support/monitor-installation';
import { configured } from '../support/configured';

jest.setTimeout(15 * 60_000);

const monitors = 10_000;
/** One of so many has news. */
const oneIn = 40;
const changesEach = 5;
/** Of one list, within a probe. */
const mostTries = 8;
const withNews = monitors / oneIn;
const workerMemoryBytes = 512 * 1_024 ** 2;

const ids = Array.from({ length: monitors }, (_, place) => seededMonitorId(place + 1));
/** In the first page, so that all others come after it. */
const failing = ids[1] ?? '';

function held(): NonNullable<MonitorSection['held']> {
  const news = ids.filter((_, place) => place % oneIn === 0);
  return {
    ...Object.fromEntries(news.map((id) => [id, { seededChanges: changesEach }])),
    [failing]: { list: [{ kind: 'no_answer', times: 'forever' }] },
  };
}

/** The most that the process ever had in memory, all of it. */
async function peakBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1_024;
}

describe(`a scan of ${monitors} monitors`, () => {
  let place: Installation;
  let workerPid = 0;
  beforeAll(async () => {
    place = await Installation.start(
      { monitors: { seeded: { monitors }, held: held() } },
      { INVESTIGATION_RPS: '2000', ...configured({ investigation: { timeoutSeconds: 3 } }) },
    );
    workerPid = (await place.startWorker()).pid ?? 0;
    await writeFile(join(place.folder, 'ids.txt'), ids.join('\n'));
    // Each was read today, and has had its walk over all states, which is due once a week.
    const root = join(place.folder, 'data', 'store');
    const idKey = IdKey.parse(await readFile(join(place.folder, 'data', 'id-key'), 'utf8'));
    const keys = KeyRing.parse(testPayloadKeys);
    const store = await openStore({ storeUrl: root, blobsUrl: '' }, idKey, { keys });
    const known = new MonitorRepository(store, (name) => name);
    const at = new Date().toISOString();
    await inParallel(ids, 16, async (id) => {
      await known.putHealth(id, { kind: 'unknown', at, why: 'no_route', status: 404 });
      await known.putWalk(id, at, true);
    });
  }, 120_000);
  afterAll(() => place.stop(), 60_000);

  async function pass() {
    const startedAt = Date.now();
    const before = place.sandbox.monitors.counts().list;
    const words = ['monitor', 'sweep', '--monitors', 'ids.txt', '--json'];
    const { stdout } = await place.run(words);
    const told = JSON.parse(stdout) as {
      outcome: ScanOutcome & { notes: { monitorId: string; kind: string }[] };
    };
    const workflowId = told.outcome.scan.replace(/\/[^/]+$/, '');
    return {
      ...told,
      seconds: (Date.now() - startedAt) / 1_000,
      lists: place.sandbox.monitors.counts().list - before,
      events: eventCount(await runsOf(await place.client(), workflowId)),
    };
  }

  /** Seconds after the start of a pass at which what a page of the list had was acknowledged. */
  function acknowledgedAfter(outcome: ScanOutcome): number[] {
    const changes = place.sandbox.monitors.changes();
    return changes.map(
      ({ acknowledgedAt }) =>
        (Date.parse(acknowledgedAt ?? '') - Date.parse(outcome.startedAt)) / 1_000,
    );
  }

  test('brings what a few hundred have, whatever one that fails does, in bounded memory and history', async () => {
    const first = await pass();
    expect(first.outcome.counts).toMatchObject({
      probed: monitors,
      sweeps: withNews,
      failing: 1,
      acknowledged: withNews * changesEach,
    });
    expect(first.outcome.notes.filter(({ kind }) => kind === 'failing')).toMatchObject([
      { monitorId: failing },
    ]);
    const after = acknowledgedAfter(first.outcome).toSorted((a, b) => a - b);

    const idle = await pass();
    expect(idle.outcome.counts).toMatchObject({ probed: monitors, sweeps: 0, failing: 1 });
    // One call each, and at most eight tries of the one that does not answer, as many as fit into half a minute.
    expect(idle.lists).toBeGreaterThan(monitors);
    expect(idle.lists).toBeLessThan(monitors + mostTries);
    expect(idle.events).toBeLessThanOrEqual((20 * monitors) / 100);
    const peak = await peakBytes(workerPid);
    expect(peak).toBeLessThan(workerMemoryBytes);

    const lines = [
      `${monitors} monitors, ${withNews} with ${changesEach} changes, one that never answers`,
      `with news: ${first.seconds.toFixed(1)} s, ${first.lists} lists, ${first.events} events; acknowledged after ${after[0]?.toFixed(1)} to ${after.at(-1)?.toFixed(1)} s`,
      `idle: ${idle.seconds.toFixed(1)} s, ${idle.lists} lists, ${idle.events} events`,
      `worker at most ${Math.round(peak / 1_024 ** 2)} MiB`,
    ];
    process.stderr.write(`${lines.join('\n')}\n`);
  });
});
