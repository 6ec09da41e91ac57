import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { withLock } from '../../../src/temporal/tools-lock';

let folder: string;
let lock: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'diligence-lock-'));
  lock = join(folder, 'tool.lock');
});
afterEach(() => rmSync(folder, { recursive: true }));

const heldBy = (holder: { pid: number; host?: string }) =>
  writeFileSync(lock, JSON.stringify({ host: hostname(), nonce: 'theirs', ...holder }));
const deadPid = () => spawnSync('true').pid;

it('lets nobody in beside the holder', async () => {
  let inside = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 8 }, () =>
      withLock(lock, { pollIntervalMs: 5 }, async () => {
        most = Math.max(most, ++inside);
        await sleep(5);
        inside--;
      }),
    ),
  );
  expect(most).toBe(1);
  expect(existsSync(lock)).toBe(false);
});

it('is let go when the work fails', async () => {
  await expect(withLock(lock, {}, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(existsSync(lock)).toBe(false);
});

it('takes over the lock of a dead process without waiting', async () => {
  heldBy({ pid: deadPid() });
  const waits: number[] = [];
  expect(await withLock(lock, { onWait: (pid) => waits.push(pid) }, () => Promise.resolve(1))).toBe(
    1,
  );
  expect(waits).toEqual([]);
});

it('lets one of many take over a dead lock', async () => {
  heldBy({ pid: deadPid() });
  let inside = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 8 }, () =>
      withLock(lock, { pollIntervalMs: 5 }, async () => {
        most = Math.max(most, ++inside);
        await sleep(10);
        inside--;
      }),
    ),
  );
  expect(most).toBe(1);
});

it('takes over a lock that its holder has not touched for a minute', async () => {
  heldBy({ pid: process.pid });
  const longAgo = new Date(Date.now() - 61_000);
  utimesSync(lock, longAgo, longAgo);
  expect(await withLock(lock, {}, () => Promise.resolve(1))).toBe(1);
});

it('waits for a holder on another machine, whose process it cannot see', async () => {
  heldBy({ pid: deadPid(), host: 'elsewhere' });
  const waits: number[] = [];
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 100);
  await expect(
    withLock(lock, { signal: stop.signal, onWait: (pid) => waits.push(pid) }, () =>
      Promise.resolve(1),
    ),
  ).rejects.toMatchObject({ name: 'AbortError' });
  expect(waits).toHaveLength(1);
  expect(existsSync(lock)).toBe(true);
});
