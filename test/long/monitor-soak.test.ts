import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededMonitorId } from '../../src/sandbox';
import { anyCallFaults } from '../support/any-call-faults';
import { eventually, Installation } from '../support/diligence-process';
import { FaultyReceiver } from '../support/faulty-receiver';
import { sized } from '../support/full-size';
import { incompleteOnFile } from '../support/monitor-account';
import type { MonitorSection } from '../support/monitor-installation';
import { configured } from '../support/configured';

jest.setTimeout(45 * 60_000);

const monitors = sized(24, 200);
const changesEach = sized(25, 100);
const workerKills = sized(2, 5);
const total = monitors * changesEach;
const faultRate = 0.1;
/** Changes go on arriving while workers and the server are killed. */
const arrivalMs = Math.max(sized(20_000, 60_000), total * 10);

/**
 * Everything that a call can come to but a refusal that is about the monitor or the change itself:
 * a 404 on an acknowledgement means that nobody knows the change.
 */
const background: MonitorSection['background'] = {
  rate: faultRate,
  kinds: [
    ...anyCallFaults,
    '429_bare',
    { kind: '404', stages: ['list', 'read'] },
    '405',
    { kind: '409', stages: ['ack'] },
    'bad_item',
    'repeated_cursor',
    'unknown_status',
  ],
};

/** The workers, one after the other, and the server, each killed in the middle of its work. */
async function killThemAll(place: Installation, first: ChildProcess): Promise<void> {
  const serverTurn = Math.ceil(workerKills / 2);
  let worker = first;
  for (let turn = 0; turn <= workerKills; turn += 1) {
    await sleep(arrivalMs / (workerKills + 2));
    if (turn === serverTurn) {
      process.kill(place.server.pid, 'SIGKILL');
      await place.server.exited;
      await place.restartServer();
    } else {
      const exited = once(worker, 'exit');
      worker.kill('SIGKILL');
      await exited;
      worker = await place.startWorker();
    }
  }
}

test(`${total} changes of ${monitors} monitors under faults, with workers and the server killed, are delivered and then acknowledged`, async () => {
  const receiver = await FaultyReceiver.start(faultRate);
  const place = await Installation.startAlone(
    {
      monitors: {
        cursors: 'shifting',
        seeded: { monitors, changes: changesEach, overMs: arrivalMs },
        background,
      },
    },
    {
      ...receiver.settings,
      MONITOR_SINKS: 'file,webhook',
      INVESTIGATION_RPS: '2000',
      ...configured({ investigation: { timeoutSeconds: 2 }, webhook: { timeoutSeconds: 2 } }),
    },
  );
  const held = () => place.sandbox.monitors.changes();
  const seconds = (since: number) => Math.round((Date.now() - since) / 1_000);
  try {
    const startedAt = Date.now();
    const worker = await place.startWorker();
    const ids = Array.from({ length: monitors }, (_, n) => seededMonitorId(n + 1));
    await writeFile(join(place.folder, 'ids.txt'), ids.join('\n'));
    const words = ['monitor', 'schedule', '--every', '10s', '--monitors', 'ids.txt'];
    expect(await place.run(words)).toMatchObject({ code: 0 });

    await killThemAll(place, worker);
    await eventually(
      'every change is acknowledged',
      () => place.sandbox.monitors.counts().acknowledged === total,
      arrivalMs + 15 * 60_000,
    );
    const wholeAfter = seconds(startedAt);
    // Nobody asks for a walk: the schedule finds what a killed worker did not put down, again and again where walks fail.
    let incomplete: string[] = [];
    await eventually(
      'the store is complete',
      async () => (incomplete = await incompleteOnFile(place.folder, held())).length === 0,
      sized(90_000, 8 * 60_000),
    ).catch(() => undefined);

    const { takenAt } = receiver;
    const early = held().filter(({ changeId, acknowledgedAt }) => {
      const taken = takenAt.get(changeId);
      return taken === undefined || Date.parse(acknowledgedAt ?? '') < taken;
    });
    const { list, ack, read } = place.sandbox.monitors.counts();
    const struck = place.sandbox.monitors.received().filter(({ fault }) => fault !== null);
    const lines = [
      `${total} changes of ${monitors} monitors, arriving over ${arrivalMs / 1_000} s: acknowledged after ${wholeAfter} s, on file after ${seconds(startedAt)} s`,
      `killed: ${workerKills} workers, 1 server`,
      `service: ${list} lists, ${ack} acknowledgements, ${read} reads, ${struck.length} of them struck by ${new Set(struck.map(({ fault }) => fault)).size} kinds of faults`,
      `receiver: ${receiver.deliveries} deliveries, struck ${JSON.stringify(receiver.struck)}`,
      `changes taken: ${takenAt.size}, taken twice and dropped: ${receiver.duplicates} (answers lost: ${receiver.lostAnswers})`,
      `acknowledged before delivery: ${early.length}; incomplete on file: ${incomplete.length}`,
    ];
    process.stderr.write(`${lines.join('\n')}\n`);
    expect([...takenAt.keys()].toSorted()).toEqual(
      held()
        .map(({ changeId }) => changeId)
        .toSorted(),
    );
    expect(receiver.misnamed).toEqual([]);
    expect(early).toEqual([]);
    expect(incomplete).toEqual([]);
    expect(held().filter(({ acknowledgedBy }) => acknowledgedBy !== 'client')).toEqual([]);
  } finally {
    await place.stop();
    await receiver.close();
  }
});
