import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { Pool } from 'undici';
import { seededMonitorId } from '../src/sandbox';
import { histories } from './histories';
import { Parts, peakMibOf } from './parts';

export interface SweepFigures {
  changes: number;
  floorMs: number;
  /** Processor time of the loop. */
  floorProcessorMs: number;
  /** From the start of the watch to its end. */
  watchMs: number;
  processorMs: { worker: number; server: number };
  calls: { ack: number; list: number; delivery: number };
  /** Of the watch and of its sweeps. */
  events: number;
}

/** A pass over monitors where nothing is open. */
export interface IdleFigures {
  monitors: number;
  calls: number;
  sweeps: number;
  events: number;
}

export interface BacklogFigures {
  changes: number;
  sweepMs: number;
  idleWorkerMib: number;
  workerPeakMib: number;
  commandPeakMib: number;
  events: number;
  runs: number;
  mostEventsInARun: number;
  /** Severities in the order in which the receiver got them, each with how many in a row. */
  arrived: { severity: string; changes: number }[];
  /** Lines that told how far it was. */
  linesOfProgress: number;
}

interface Counts {
  list: number;
  ack: number;
}

interface WatchShown {
  outcome: {
    watch: string;
    startedAt: string;
    endedAt: string;
    counts: { sweeps: number; looked: number; acknowledged: number };
  };
}

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
/** Of the loop: changes that are being told or acknowledged at once. */
const floorWidth = 16;

/**
 * Many monitors, all of them by one watch, against a loop that does the same calls.
 *
 * @param each changes of every monitor
 */
export async function measureSweeps(
  { warmUp, measured }: { warmUp: number; measured: number },
  each: number,
): Promise<SweepFigures> {
  const all = warmUp + 2 * measured;
  return withParts({ seeded: { monitors: all, changes: each, overMs: 0 } }, async (parts, told) => {
    const ids = Array.from({ length: all }, (_, place) => seededMonitorId(place + 1));
    const ours = ids.slice(warmUp, warmUp + measured);
    const theirs = ids.slice(warmUp + measured);
    const ranAt = process.cpuUsage();
    const floorMs = await runFloor(parts, told.url, theirs);
    const { user, system } = process.cpuUsage(ranAt);
    await parts.startEngine();
    await sweepAll(parts, ids.slice(0, warmUp));
    const before = { calls: await countsOf(parts), told: await told.received() };
    const ranBefore = parts.processorMs();
    const { outcome } = await sweepAll(parts, ours);
    const ranAfter = parts.processorMs();
    const calls = await countsOf(parts);
    const delivered = (await told.received()).received - before.told.received;
    if (outcome.counts.acknowledged !== measured * each) throw new Error(JSON.stringify(outcome));
    const { events } = await histories(parts.address, outcome.watch);
    return {
      changes: measured * each,
      floorMs,
      floorProcessorMs: (user + system) / 1_000,
      watchMs: Date.parse(outcome.endedAt) - Date.parse(outcome.startedAt),
      processorMs: {
        worker: ranAfter.worker - ranBefore.worker,
        server: ranAfter.server - ranBefore.server,
      },
      calls: {
        ack: calls.ack - before.calls.ack,
        list: calls.list - before.calls.list,
        delivery: delivered,
      },
      events,
    };
  });
}

/** The first pass leaves nothing open, and looks for what others acknowledged. */
export async function measureIdle(monitors: number): Promise<IdleFigures> {
  return withParts({ seeded: { monitors, changes: 1, overMs: 0 } }, async (parts) => {
    await parts.startEngine();
    const ids = Array.from({ length: monitors }, (_, place) => seededMonitorId(place + 1));
    await sweepAll(parts, ids);
    const before = await countsOf(parts);
    const { outcome } = await sweepAll(parts, ids);
    const { events } = await histories(parts.address, outcome.watch);
    return {
      monitors: outcome.counts.looked,
      calls: (await countsOf(parts)).list - before.list,
      sweeps: outcome.counts.sweeps,
      events,
    };
  });
}

/** One monitor that nobody looked at for long, the gravest first, by a worker that is new. */
export async function measureBacklog(changes: number): Promise<BacklogFigures> {
  const monitors = { seeded: { monitors: 1, changes, overMs: 0 } };
  return withParts(monitors, async (parts, told) => {
    await parts.startEngine();
    const idleWorkerMib = parts.workerPeakMib();
    const words = ['--monitors', seededMonitorId(1), '--order', 'severity', '--json'];
    const command = parts.begin(['monitor', 'sweep', ...words], 'pipe');
    const { output, lines, peakMib } = await heard(command);
    const { outcome } = JSON.parse(output) as {
      outcome: { startedAt: string; endedAt: string; counts: { acknowledged: number } };
    };
    if (outcome.counts.acknowledged !== changes) throw new Error(output);
    const { events, runs, mostInARun } = await histories(
      parts.address,
      `monitor-sweep/${seededMonitorId(1)}`,
    );
    return {
      changes,
      sweepMs: Date.parse(outcome.endedAt) - Date.parse(outcome.startedAt),
      idleWorkerMib,
      workerPeakMib: parts.workerPeakMib(),
      commandPeakMib: peakMib,
      events,
      runs,
      mostEventsInARun: mostInARun,
      arrived: (await told.received()).runs,
      linesOfProgress: lines.filter((line) => line.startsWith('sweeping')).length,
    };
  });
}

async function heard(command: ChildProcess) {
  let output = '';
  let told = '';
  let peakMib = 0;
  command.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  command.stderr?.on('data', (chunk: Buffer) => (told += chunk.toString()));
  const looks = setInterval(() => {
    if (command.exitCode === null) peakMib = peakMibOf(command.pid) || peakMib;
  }, 250);
  const [code] = (await once(command, 'close')) as [number];
  clearInterval(looks);
  if (code !== 0) throw new Error(`ended with ${code}: ${output}${told}`);
  return { output, lines: told.split('\n'), peakMib };
}

async function sweepAll(parts: Parts, ids: readonly string[]): Promise<WatchShown> {
  const list = join(parts.folder, 'monitors.txt');
  await writeFile(list, ids.join('\n'));
  const words = ['monitor', 'sweep', '--monitors', list, '--json'];
  return JSON.parse(await parts.run(words)) as WatchShown;
}

function countsOf(parts: Parts): Promise<Counts> {
  return parts.ask<Counts>('monitors/counts');
}

interface Told {
  received: number;
  different: number;
  runs: BacklogFigures['arrived'];
}

interface Receiver {
  url: string;
  received: () => Promise<Told>;
}

async function withParts<T>(
  monitors: object,
  work: (parts: Parts, told: Receiver) => Promise<T>,
): Promise<T> {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', join(__dirname, 'changes-receiver.ts')],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  try {
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const url = `http://127.0.0.1:${line.toString().trim()}/changes`;
    const received = async (): Promise<Told> => (await (await fetch(url)).json()) as Told;
    const parts = await Parts.start({
      processingMs: [1, 1],
      monitors,
      env: {
        INVESTIGATION_RPS: '10000',
        MONITOR_SINKS: 'webhook',
        MONITOR_WEBHOOK_URL: url,
        MONITOR_WEBHOOK_SECRET: secret,
        DILIGENCE_ALLOWED_HOSTS: '127.0.0.1',
      },
    });
    try {
      return await work(parts, { url, received });
    } finally {
      await parts.stop();
    }
  } finally {
    child.kill('SIGKILL');
  }
}

interface Page {
  data: { id: string; severity: string }[];
  page: { has_more: boolean };
}

/**
 * What somebody would write in an hour: a page, a line each in a file, a signed POST and an
 * acknowledgement for each, `floorWidth` at a time. Nothing is flushed, and whatever dies is lost.
 *
 * @returns milliseconds
 */
async function runFloor(parts: Parts, url: string, ids: readonly string[]): Promise<number> {
  const base = new URL(parts.baseUrl);
  const service = new Pool(base.origin, { connections: floorWidth });
  const receiver = new Pool(new URL(url).origin, { connections: floorWidth });
  const signer = new Webhook(secret);
  const headers = { authorization: `Bearer ${parts.token}` };
  const root = `${base.pathname.replace(/\/$/, '')}/monitors`;
  const pages = async function* () {
    for (const id of ids) {
      for (let hasMore = true; hasMore;) {
        const path = `${root}/${id}/changes?status=open&limit=100`;
        const { body, statusCode } = await service.request({ method: 'GET', path, headers });
        if (statusCode !== 200) throw new Error(`${statusCode}: ${await body.text()}`);
        const page = (await body.json()) as Page;
        hasMore = page.page.has_more;
        yield { id, page };
      }
    }
  };
  const bringThrough = async (id: string, change: Page['data'][number]): Promise<void> => {
    const at = new Date();
    const body = JSON.stringify({ type: 'monitor.change', data: change });
    const posted = await receiver.request({
      method: 'POST',
      path: new URL(url).pathname,
      headers: {
        'content-type': 'application/json',
        'webhook-id': change.id,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
        'webhook-signature': signer.sign(change.id, at, body),
      },
      body,
    });
    await posted.body.dump();
    const path = `${root}/${id}/changes/${change.id}/ack`;
    const told = await service.request({ method: 'POST', path, headers });
    if (told.statusCode >= 300) throw new Error(`${told.statusCode}: ${await told.body.text()}`);
    await told.body.dump();
  };
  const startedAt = performance.now();
  for await (const { id, page } of pages()) {
    const lines = page.data.map((change) => `${JSON.stringify(change)}\n`).join('');
    await appendFile(join(parts.folder, 'floor.ndjson'), lines);
    const queue = page.data.values();
    const lane = async (): Promise<void> => {
      for (const change of queue) await bringThrough(id, change);
    };
    await Promise.all(Array.from({ length: floorWidth }, lane));
  }
  const took = performance.now() - startedAt;
  await Promise.all([service.close(), receiver.close()]);
  return took;
}
