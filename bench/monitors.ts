import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { Pool } from 'undici';
import { seededMonitorId } from '../src/sandbox';
import { Parts } from './parts';
import type { Samples } from './run';

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
 * Monitors with 1,000 open changes each, by one scan, against a loop that does the same calls. A scan before it has found
 * the rate of the service.
 */
export async function sweptChanges(): Promise<Samples> {
  const [warmUp, measured, each] = [8, 8, 1_000];
  const all = warmUp + 2 * measured;
  return withParts({ seeded: { monitors: all, changes: each, overMs: 0 } }, async (parts, url) => {
    const ids = Array.from({ length: all }, (_, place) => seededMonitorId(place + 1));
    const floorMs = await runFloor(parts, url, ids.slice(warmUp + measured));
    await parts.startEngine();
    await sweepAll(parts, ids.slice(0, warmUp));
    const before = parts.processorMs();
    const { outcome } = await sweepAll(parts, ids.slice(warmUp, warmUp + measured));
    const after = parts.processorMs();
    const changes = measured * each;
    if (outcome.counts.acknowledged !== changes) throw new Error(JSON.stringify(outcome));
    const tookMs = Date.parse(outcome.endedAt) - Date.parse(outcome.startedAt);
    const spent = after.worker + after.server - before.worker - before.server;
    return {
      'changes of monitors: of the loop': floorMs / tookMs,
      'changes of monitors: a second': changes / (tookMs / 1_000),
      'changes of monitors: processor ms a change': spent / changes,
    };
  });
}

async function sweepAll(parts: Parts, ids: readonly string[]): Promise<WatchShown> {
  const list = join(parts.folder, 'monitors.txt');
  await writeFile(list, ids.join('\n'));
  const words = ['monitor', 'sweep', '--monitors', list, '--json'];
  return JSON.parse(await parts.run(words)) as WatchShown;
}

async function withParts<T>(
  monitors: object,
  work: (parts: Parts, url: string) => Promise<T>,
): Promise<T> {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', join(__dirname, 'changes-receiver.ts')],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  try {
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const url = `http://127.0.0.1:${line.toString().trim()}/changes`;
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
      return await work(parts, url);
    } finally {
      await parts.stop();
    }
  } finally {
    child.kill('SIGKILL');
  }
}

interface Page {
  data: { id: string; severity: string }[];
  page: { has_more: boolean; next_cursor: string | null };
}

/**
 * What somebody would write in an hour: a page, a line each in a file, a signed POST and an
 * acknowledgement for each, `floorWidth` at a time; then, as the first sweep of a monitor, the pages of all states, for
 * what somebody else has acknowledged. Nothing is flushed, and whatever dies is lost.
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
  const listed = async (id: string, query = ''): Promise<Page> => {
    const path = `${root}/${id}/changes?limit=100${query}`;
    const { body, statusCode } = await service.request({ method: 'GET', path, headers });
    if (statusCode !== 200) throw new Error(`${statusCode}: ${await body.text()}`);
    return (await body.json()) as Page;
  };
  const pages = async function* () {
    for (const id of ids) {
      for (let hasMore = true; hasMore;) {
        const page = await listed(id, '&status=open');
        hasMore = page.page.has_more;
        yield { id, page };
      }
      let { page } = await listed(id);
      while (page.next_cursor !== null)
        ({ page } = await listed(id, `&cursor=${page.next_cursor}`));
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
