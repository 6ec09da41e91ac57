import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectClient } from '../../src/temporal/connection';
import { startDevServer, type DevServer } from '../../src/temporal/dev-server';
import { DevServers, askServer, isAlive } from '../support/dev-servers';

let place: DevServers;
beforeAll(() => {
  place = new DevServers();
});
afterAll(() => place.stop());

const startRequest = (workflowId: string) => ({
  namespace: 'default',
  workflowId,
  workflowType: { name: 'none' },
  taskQueue: { name: 'none' },
  requestId: workflowId,
});

/** One server after another on the same data, as on the days of an installation. */
describe('a server on a data directory', () => {
  let server: DevServer;
  beforeAll(async () => {
    server = await place.start();
  });

  it('answers, keeps what has ended for 30 days, and records itself for its owner only', async () => {
    const described = await askServer(server, ({ workflowService }) =>
      workflowService.describeNamespace({ namespace: 'default' }),
    );
    expect(Number(described.config?.workflowExecutionRetentionTtl?.seconds)).toBe(2_592_000);
    expect(place.record()).toMatchObject({
      pid: server.pid,
      port: server.port,
    });
    expect(statSync(place.recordPath).mode & 0o777).toBe(0o600);
    expect(statSync(join(place.data, 'temporal.db')).mode & 0o777).toBe(0o600);
  });

  it('is the leader of its own process group, so that Ctrl-C does not reach it', () => {
    const status = readFileSync(`/proc/${server.pid}/stat`, 'utf8');
    const [, , group] = status.slice(status.lastIndexOf(')') + 2).split(' ');
    expect(Number(group)).toBe(server.pid);
  });

  it('refuses an id that the service would refuse for its length', async () => {
    await askServer(server, async ({ workflowService }) => {
      await workflowService.startWorkflowExecution(startRequest('x'.repeat(255)));
      await expect(
        workflowService.startWorkflowExecution(startRequest('x'.repeat(256))),
      ).rejects.toThrow(/length/);
    });
  });

  it('leaves its database and its record when it is stopped, and ends no process that still asks it', async () => {
    const { address } = server;
    const engine = await connectClient({
      connectionOptions: {},
      namespace: 'default',
      address,
      dataConverter: {},
    });
    await server.stop();
    await server.exited;
    // It is tried again, on a timer that outlives the connection.
    const asked = engine.client.workflow.getHandle('x').describe();
    await sleep(300);
    await engine.close();
    await expect(asked).rejects.toMatchObject({ cause: { code: 1 } });
    expect(isAlive(server.pid)).toBe(false);
    expect(readdirSync(place.data)).toEqual(
      expect.arrayContaining(['temporal-server.json', 'temporal.db']),
    );
  });

  it('is not opened by another version, which names both and leaves the file alone', async () => {
    const database = join(place.data, 'temporal.db');
    const before = statSync(database).mtimeMs;
    const other = place.fakeCli('1.31.2', `echo opened >> ${place.folder}/opened`);
    const failure = place.start({ executable: other });
    await expect(failure).rejects.toMatchObject({ name: 'DevServerError' });
    await expect(failure).rejects.toThrow(
      /written by Temporal server 1\.29\.1, but .*temporal-1\.31\.2 is server 1\.31\.2: set TEMPORAL_CLI_PATH/,
    );
    expect(statSync(database).mtimeMs).toBe(before);
    expect(readdirSync(place.folder)).not.toContain('opened');
  });
});

describe('a server without a data directory', () => {
  it('keeps nothing on disk, and serves the web interface when it is asked to', async () => {
    const other = new DevServers();
    const server = await startDevServer({
      executable: process.env.TEMPORAL_CLI_PATH ?? '',
      logFile: join(other.folder, 'temporal.log'),
      env: process.env,
      uiPort: 0,
    });
    try {
      expect(readdirSync(other.folder)).toEqual(['temporal.log']);
      const page = await fetch(`http://127.0.0.1:${server.uiPort}/`);
      expect(page.status).toBe(200);
    } finally {
      await server.stop();
      await other.stop();
    }
  });
});

it('tells of its end though nothing else keeps the process alive that stops it', () => {
  const program = `
    const { startDevServer } = require('./dist/temporal/dev-server.js');
    const [executable, logFile] = process.argv.slice(1);
    startDevServer({ executable, logFile, env: process.env })
      .then((server) => server.stop())
      .then(() => console.log('it has ended'));
  `;
  const words = ['-e', program, process.env.TEMPORAL_CLI_PATH ?? '', join(place.folder, 'own.log')];
  const printed = execFileSync(process.execPath, words, { timeout: 30_000 }).toString();
  expect(printed).toBe('it has ended\n');
});
