import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { lockHolder, withLock } from '../../../src/store/process-lock';

let folder: string;
let path: string;
let other: ChildProcess | null = null;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'diligence-lock-'));
  path = join(folder, 'engine.lock');
});
afterEach(() => {
  other?.kill('SIGKILL');
  other = null;
  rmSync(folder, { recursive: true });
});

/** Another process that holds the lock until it is killed. */
async function heldElsewhere(): Promise<ChildProcess> {
  const script = join(folder, 'holder.ts');
  const module = join(__dirname, '../../../src/store/process-lock');
  writeFileSync(
    script,
    `import { withLock } from ${JSON.stringify(module)};
     void withLock(process.argv[2] ?? '', {}, () => new Promise(() => process.send?.('in')));
     setInterval(() => undefined, 1_000);`,
  );
  const tsx = require.resolve('tsx', { paths: [__dirname] });
  const holder = (other = fork(script, [path], { execArgv: ['--import', tsx] }));
  await once(holder, 'message');
  return holder;
}

it('lets nobody in beside the holder', async () => {
  let inside = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 8 }, () =>
      withLock(path, {}, async () => {
        most = Math.max(most, ++inside);
        await sleep(5);
        inside--;
      }),
    ),
  );
  expect(most).toBe(1);
  expect(await lockHolder(path)).toBeNull();
});

it('is let go when the work fails', async () => {
  await expect(withLock(path, {}, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await lockHolder(path)).toBeNull();
});

it('has no holder before anybody took it, and asking makes no file', async () => {
  expect(await lockHolder(path)).toBeNull();
  expect(() => rmSync(path)).toThrow('ENOENT');
});

it('names the process that holds it, and is free as soon as that is killed', async () => {
  const holder = await heldElsewhere();
  expect(await lockHolder(path)).toBe(holder.pid);
  const waited: number[] = [];
  const taken = withLock(path, { onWait: (pid) => waited.push(pid) }, () => lockHolder(path));
  await sleep(50);
  holder.kill('SIGKILL');
  expect(await taken).toBe(process.pid);
  expect(waited).toEqual([holder.pid]);
  expect(await lockHolder(path)).toBeNull();
}, 30_000);

it('is waited for no longer than asked', async () => {
  await withLock(path, {}, async () => {
    const signal = AbortSignal.timeout(50);
    const waiting = withLock(path, { signal }, () => Promise.resolve(1));
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
  });
});
