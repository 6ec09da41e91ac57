import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { archiveAsItIs } from '../../src/archive/open-archive';
import { MonitorRecords } from '../../src/archive/monitor-records';
import { seededMonitorId } from '../../src/sandbox';
import { ChangesReceiver } from '../support/changes-receiver';
import { eventually, Installation } from '../support/diligence-process';

jest.setTimeout(45 * 60_000);

/** `SOAK_MONITORS` and `SOAK_CHANGES` make it smaller, for a look at it. */
const monitors = Number(process.env['SOAK_MONITORS'] ?? 200);
const changesEach = Number(process.env['SOAK_CHANGES'] ?? 100);
const total = monitors * changesEach;
/** Changes go on arriving while workers and the server are killed. */
const arrivalMs = Math.max(60_000, total * 15);
const workerKills = 5;

test(`${total} changes of ${monitors} monitors under faults, with workers and the server killed, are delivered and then acknowledged`, async () => {
  const receiver = await ChangesReceiver.start();
  const seconds = (ms: number) => Math.round(ms / 1_000);
  const place = await Installation.start(
    {
      monitors: {
        cursors: 'shifting',
        seeded: { monitors, changes: changesEach, overMs: arrivalMs },
        background: {
          rate: 0.1,
          kinds: ['500_html', '429', 'reset_after', { kind: 'no_answer', stages: ['ack'] }],
        },
      },
    },
    {
      ...receiver.settings,
      MONITOR_SINKS: 'file,webhook',
      INVESTIGATION_RPS: '2000',
      INVESTIGATION_TIMEOUT_SECONDS: '2',
      MONITOR_ESCALATE_AFTER: '50',
    },
  );
  try {
    let faults = 0;
    receiver.answer = ({ id }) => {
      const isFaulty = Math.random() < 0.1;
      if (isFaulty) faults += 1;
      else if (!takenAt.has(id)) takenAt.set(id, Date.now());
      return isFaulty ? 503 : 200;
    };
    const takenAt = new Map<string, number>();
    const startedAt = Date.now();
    let worker: ChildProcess = await place.startWorker();
    const ids = Array.from({ length: monitors }, (_, n) => seededMonitorId(n + 1));
    await writeFile(join(place.folder, 'ids.txt'), ids.join('\n'));
    const scheduled = await place.run([
      'monitor',
      'schedule',
      '--every',
      '10s',
      '--monitors',
      'ids.txt',
    ]);
    expect(scheduled).toMatchObject({ code: 0 });

    const killEveryMs = arrivalMs / (workerKills + 2);
    for (let kill = 1; kill <= workerKills + 1; kill += 1) {
      await sleep(killEveryMs);
      if (kill === 3) {
        place.server.kill('SIGKILL');
        await place.server.exited;
        await place.restartServer();
        continue;
      }
      const exited = once(worker, 'exit');
      worker.kill('SIGKILL');
      await exited;
      worker = await place.startWorker();
    }
    const states = () => place.sandbox.monitors.changes();
    await eventually(
      'every change is acknowledged',
      () => {
        const all = states();
        return all.length === total && all.every(({ acknowledgedAt }) => acknowledgedAt !== null);
      },
      arrivalMs + 15 * 60_000,
    );
    const wholeMs = Date.now() - startedAt;

    // What a killed worker had acknowledged and not put down is found by a walk over all states.
    await place.run(['monitor', 'unschedule']);
    const reconciled = async () =>
      (await place.run(['monitor', 'reconcile', '--monitors', 'ids.txt'])).code === 0;
    await eventually('all monitors are walked', reconciled, 10 * 60_000);

    const held = states();
    const early = held.filter(({ changeId, acknowledgedAt }) => {
      const taken = takenAt.get(changeId);
      return taken === undefined || Date.parse(acknowledgedAt ?? '') < taken;
    });
    const records = new MonitorRecords(
      archiveAsItIs(join(place.folder, 'data', 'archive')),
      (name) => name,
    );
    const missing: string[] = [];
    for (const { monitorId, changeId } of held) {
      const file = await records.file(monitorId, changeId, ['file', 'webhook']);
      const isWhole =
        file?.delivered['file'] !== undefined &&
        file.delivered['webhook'] !== undefined &&
        file.acknowledged?.by === 'us';
      if (!isWhole) missing.push(changeId);
    }
    const counts = place.sandbox.monitors.counts();
    const lines = [
      `${total} changes of ${monitors} monitors, arriving over ${seconds(arrivalMs)} s, all acknowledged after ${seconds(wholeMs)} s`,
      `${workerKills} workers and 1 server killed; ${faults} faults of the receiver`,
      `deliveries ${receiver.received.length}, distinct ${takenAt.size}, acknowledged before delivery ${early.length}`,
      `calls: ${counts.list} lists, ${counts.ack} acknowledgements; not whole in the archive: ${missing.length}`,
    ];
    process.stderr.write(`${lines.join('\n')}\n`);
    expect(takenAt.size).toBe(total);
    expect(early).toEqual([]);
    expect(missing).toEqual([]);
  } finally {
    await place.stop();
    await receiver.close();
  }
});
