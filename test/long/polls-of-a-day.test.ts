import { fork } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sized } from '../support/full-size';
import { memoryOf, tellsMemory, type Memory } from '../support/memory';

/** As many polls as a busy worker has in a day, or enough of them that what each leaves would show. */
const polls = sized(40_000, 100_000);

jest.setTimeout(300_000);

test(`${polls} polls under faults leave nothing behind`, async () => {
  let asked = 0;
  const server = createServer((request, response) => {
    asked += 1;
    if (asked % 17 === 0) request.socket.resetAndDestroy();
    else if (asked % 13 === 0) response.writeHead(500).end();
    else if (asked % 997 !== 0) response.end('{}');
    // Else it is silent until the call is out of time.
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  const script = join(__dirname, '../support/poll-in-fast-motion.ts');
  const child = fork(script, [`http://127.0.0.1:${port}`, String(polls)], {
    env: { ...process.env, ...tellsMemory },
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  }
  try {
    const isDone = new Promise<true>((done) => {
      child.on('message', (message) => message === 'done' && done(true));
    });
    let first: Memory | null = null;
    while (!(await Promise.race([isDone, sleep(200, false)]))) {
      const memory = await memoryOf(child);
      if (memory.reads >= polls / 10) first ??= memory;
    }
    const last = await memoryOf(child);
    const mib = (bytes = 0) => Math.round(bytes / 1024 ** 2);
    process.stderr.write(
      `${last.reads} polls: heap ${mib(first?.heapBytes)} to ${mib(last.heapBytes)} MiB, resident ${mib(first?.rssBytes)} to ${mib(last.rssBytes)} MiB\n`,
    );
    expect(last.reads).toBeGreaterThanOrEqual(polls);
    expect(last.heapBytes).toBeLessThan((first?.heapBytes ?? 0) * 1.1);
    expect(last.rssBytes).toBeLessThan((first?.rssBytes ?? 0) * 1.1);
    expect(printed).toBe('');
  } finally {
    child.kill();
    server.closeAllConnections();
    server.close();
  }
});
