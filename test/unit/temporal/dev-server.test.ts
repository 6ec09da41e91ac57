import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdtempSync, rmSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { startDevServer } from '../../../src/temporal/dev-server';
import type { DevServer, DevServerOptions } from '../../../src/temporal/dev-server';
import { findTemporalCli } from '../../../src/temporal/tools-cli';

let executable: string;
let folder: string;
const started: DevServer[] = [];

beforeAll(async () => {
  executable = await findTemporalCli({
    env: process.env,
    say: (line) => void process.stderr.write(`${line}\n`),
  });
}, 600_000);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'diligence-dev-'));
});
afterEach(async () => {
  await Promise.all(started.splice(0).map((server) => server.stop()));
  rmSync(folder, { recursive: true, force: true });
});

const recordPath = () => join(folder, 'data', 'temporal-server.json');
const readRecord = () => JSON.parse(readFileSync(recordPath(), 'utf8')) as Record<string, unknown>;

async function start(more: Partial<DevServerOptions> = {}): Promise<DevServer> {
  const server = await startDevServer({
    executable,
    dataDir: join(folder, 'data'),
    logFile: join(folder, 'log', 'temporal.log'),
    env: process.env,
    ...more,
  });
  started.push(server);
  return server;
}

/** A CLI that claims the version, and does as told instead of serving. */
function fakeCli(version: string, serves = 'exit 0'): string {
  const path = join(folder, `temporal-${version}`);
  writeFileSync(
    path,
    `#!/bin/sh
if [ "$1" = --version ]; then echo 'temporal version 1.5.1 (Server ${version}, UI 2.42.1)'; exit; fi
${serves}
`,
    { mode: 0o755 },
  );
  return path;
}

async function asking<T>(server: DevServer, ask: (connection: Connection) => Promise<T>) {
  const connection = await Connection.connect({ address: server.address });
  try {
    return await ask(connection);
  } finally {
    await connection.close();
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const startRequest = (workflowId: string) => ({
  namespace: 'default',
  workflowId,
  workflowType: { name: 'none' },
  taskQueue: { name: 'none' },
  requestId: workflowId,
});

describe('a server on a data directory', () => {
  it('answers, keeps what has ended for 30 days, and records itself for its owner only', async () => {
    const server = await start();
    const described = await asking(server, ({ workflowService }) =>
      workflowService.describeNamespace({ namespace: 'default' }),
    );
    expect(Number(described.config?.workflowExecutionRetentionTtl?.seconds)).toBe(2_592_000);
    expect(readRecord()).toMatchObject({
      pid: server.pid,
      port: server.port,
      uiPort: null,
      serverVersion: server.serverVersion,
    });
    expect(server.adopted).toBe(false);
    expect(statSync(recordPath()).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'data', 'temporal.db')).mode & 0o777).toBe(0o600);
  });

  it('is the leader of its own process group, so that Ctrl-C does not reach it', async () => {
    const server = await start();
    const status = readFileSync(`/proc/${server.pid}/stat`, 'utf8');
    const [, , group] = status.slice(status.lastIndexOf(')') + 2).split(' ');
    expect(Number(group)).toBe(server.pid);
  });

  it('refuses an id that the service would refuse for its length', async () => {
    const server = await start();
    await asking(server, async ({ workflowService }) => {
      await workflowService.startWorkflowExecution(startRequest('x'.repeat(255)));
      await expect(
        workflowService.startWorkflowExecution(startRequest('x'.repeat(256))),
      ).rejects.toThrow(/length/);
    });
  });

  it('removes the record when it is stopped, and knows its version afterwards', async () => {
    const server = await start();
    await server.stop();
    await server.exited;
    expect(isAlive(server.pid)).toBe(false);
    expect(readdirSync(join(folder, 'data')).sort()).toEqual(['temporal-db.json', 'temporal.db']);
  });

  it('serves the web interface when it is asked to', async () => {
    const server = await start({ uiPort: 0 });
    const page = await fetch(`http://127.0.0.1:${server.uiPort}/`);
    expect(page.status).toBe(200);
  });
});

describe('a server that was left behind', () => {
  it('is adopted when it answers', async () => {
    const first = await start();
    const second = await start();
    expect(second).toMatchObject({ adopted: true, pid: first.pid, port: first.port });
    await second.stop();
    await first.exited;
    await second.exited;
    expect(isAlive(first.pid)).toBe(false);
  });

  it('is given the namespace asked for when it is adopted', async () => {
    await start();
    const second = await start({ namespace: 'other' });
    const described = await asking(second, ({ workflowService }) =>
      workflowService.describeNamespace({ namespace: 'other' }),
    );
    expect(Number(described.config?.workflowExecutionRetentionTtl?.seconds)).toBe(2_592_000);
  });

  it('is ended by its pid when it does not answer', async () => {
    const first = await start();
    writeFileSync(recordPath(), JSON.stringify({ ...readRecord(), port: 1 }));
    const second = await start();
    await first.exited;
    expect(second.adopted).toBe(false);
    expect(second.pid).not.toBe(first.pid);
  }, 30_000);

  it('is not missed when it was killed: the next start opens the same file', async () => {
    const first = await start();
    await asking(first, ({ workflowService }) =>
      workflowService.registerNamespace({
        namespace: 'kept',
        workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
      }),
    );
    first.kill('SIGKILL');
    await first.exited;
    const second = await start();
    expect(second.adopted).toBe(false);
    await asking(second, ({ workflowService }) =>
      workflowService.describeNamespace({ namespace: 'kept' }),
    );
  });

  it('is never mistaken for another process that got its pid', async () => {
    const stranger = spawn('sleep', ['60']);
    await once(stranger, 'spawn');
    const first = await start();
    writeFileSync(recordPath(), JSON.stringify({ ...readRecord(), pid: stranger.pid }));
    first.kill('SIGKILL');
    await first.exited;
    const second = await start();
    expect(second.adopted).toBe(false);
    expect(stranger.exitCode ?? stranger.signalCode).toBeNull();
    stranger.kill();
  });
});

describe('a start that must fail', () => {
  it('names both versions and leaves the file alone when another version wrote it', async () => {
    await (await start()).stop();
    const database = join(folder, 'data', 'temporal.db');
    const before = statSync(database).mtimeMs;
    const other = fakeCli('1.31.2', `echo opened >> ${folder}/opened`);
    const failure = start({ executable: other });
    await expect(failure).rejects.toMatchObject({ code: 'DEV_SERVER_VERSION' });
    await expect(failure).rejects.toThrow(
      /written by Temporal server 1\.29\.1, but .*temporal-1\.31\.2 is server 1\.31\.2: set TEMPORAL_CLI_PATH/,
    );
    expect(statSync(database).mtimeMs).toBe(before);
    expect(readdirSync(folder)).not.toContain('opened');
  });

  it('carries the end of the log, of this start only', async () => {
    await expect(start({ executable: fakeCli('1.29.1', 'echo earlier; exit 1') })).rejects.toThrow(
      'earlier',
    );
    const failing = fakeCli('1.29.2', 'echo starting; echo "disk full" >&2; exit 7');
    const failure = start({ executable: failing });
    await expect(failure).rejects.toMatchObject({ code: 'DEV_SERVER_FAILED' });
    await expect(failure).rejects.toThrow(
      /ended with exit code 7 while it started\. The end of .*temporal\.log:\nstarting\ndisk full$/,
    );
    expect(readdirSync(join(folder, 'data'))).not.toContain('temporal-server.json');
  });

  it('is bounded when the server never answers, and leaves no process', async () => {
    const pidFile = join(folder, 'pid');
    const silent = fakeCli('1.29.1', `echo $$ > ${pidFile}; echo waiting; exec sleep 60`);
    await expect(start({ executable: silent, startTimeoutMs: 500 })).rejects.toThrow(
      /did not answer on 127\.0\.0\.1:\d+ within 0\.5 s .*\nwaiting$/s,
    );
    expect(isAlive(Number(readFileSync(pidFile, 'utf8')))).toBe(false);
  });

  it('says so when the executable is no Temporal CLI', async () => {
    await expect(start({ executable: '/bin/true' })).rejects.toThrow(
      /\/bin\/true does not run as a Temporal CLI: it prints no server version/,
    );
  });
});

it('keeps nothing on disk without a data directory', async () => {
  const options: DevServerOptions = {
    executable,
    logFile: join(folder, 'temporal.log'),
    env: process.env,
  };
  const server = await startDevServer(options);
  started.push(server);
  expect(readdirSync(folder)).toEqual(['temporal.log']);
});
