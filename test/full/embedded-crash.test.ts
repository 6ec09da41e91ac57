import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { allAttempts, storeAt } from '../support/temporary-store';
import { startSandbox, type Sandbox } from '../../src/sandbox';
import { runningEngine } from '../../src/temporal/engine-record';
import { hasEnded } from '../../src/temporal/processes';
import { eventually, readSheetLines, type CommandResult } from '../support/diligence-process';
import { cnpj, sheetOf } from '../support/documents';

const main = join(__dirname, '..', '..', 'dist', 'main.js');
const rows = 24;

describe('the embedded engine, when its processes die', () => {
  let folder: string;
  let dataDir: string;
  let sandbox: Sandbox;
  let retention = '';

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'diligence-crash-'));
    dataDir = join(folder, 'data');
    await writeFile(join(folder, 'input.csv'), sheetOf(rows));
    sandbox = await startSandbox({
      seed: 5,
      scenario: {
        issuance: { waitingMs: [20, 50], processingMs: [1_000, 2_500], distribution: 'uniform' },
      } as never,
    });
  });

  afterEach(async () => {
    await run(['stop']);
    await sandbox.close();
    await rm(folder, { recursive: true, force: true });
  }, 60_000);

  function begin(args: string[]): { process: ChildProcess; result: Promise<CommandResult> } {
    const child = spawn(process.execPath, [main, ...args], {
      cwd: folder,
      env: {
        PATH: process.env.PATH ?? '',
        HOME: process.env.HOME ?? '',
        TEMPORAL_CLI_PATH: process.env.TEMPORAL_CLI_PATH ?? '',
        CERTIFICATES_RPS: '40',
        DILIGENCE_RETENTION: retention,
        INVESTIGATION_BASE_URL: sandbox.baseUrl,
        INVESTIGATION_TOKEN: 'sandbox-token',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const result = once(child, 'close').then(([code]) => ({
      code: code as number | null,
      stdout,
      stderr,
    }));
    return { process: child, result };
  }

  const run = (args: string[]): Promise<CommandResult> => begin(args).result;
  const batch = ['certificate', 'batch', '--input', 'input.csv', '--out', 'out'];
  const posts = (): number => sandbox.received().filter(({ method }) => method === 'POST').length;
  const receipts = async (): Promise<number> => {
    const all = await allAttempts(storeAt(join(dataDir, 'store')));
    return all.filter(({ receipt }) => receipt !== null).length;
  };
  const log = (name: string) => readFile(join(dataDir, 'logs', `${name}.log`), 'utf8');

  async function enginePid(): Promise<number> {
    const record = await runningEngine(dataDir);
    if (record === null) throw new Error('no engine runs');
    return record.pid;
  }

  async function serverPid(): Promise<number> {
    const text = await readFile(join(dataDir, 'temporal-server.json'), 'utf8');
    return (JSON.parse(text) as { pid: number }).pid;
  }

  async function detachedBatch(): Promise<string> {
    const started = await run([...batch, '--detach']);
    expect(started.code).toBe(0);
    return started.stdout.trim();
  }

  async function expectAllIssuedOnce(): Promise<void> {
    const lines = await readSheetLines(join(folder, 'out', 'results.csv'));
    expect(lines.map(({ status }) => status)).toEqual(Array.from({ length: rows }, () => 'issued'));
    expect(sandbox.counts().map(({ started }) => started)).toEqual(
      Array.from({ length: rows }, () => 1),
    );
  }

  test('killed in mid-batch, it is started by the next command, and the work goes on', async () => {
    const id = await detachedBatch();
    await eventually('requests are under way', () => posts() > 10);
    process.kill(await enginePid(), 'SIGKILL');

    const shown = await run(['show', id]);
    expect(shown.stderr).not.toContain('starting the background engine');
    expect(shown.stdout).toContain(`${id}: waiting`);

    // The same command attaches.
    const again = await run(batch);
    expect(again.code).toBe(0);
    expect(again.stderr).toContain('starting the background engine');
    await expectAllIssuedOnce();
  }, 120_000);

  test('killed under a command that follows, it is started again by that command', async () => {
    const command = begin(batch);
    await eventually('requests are under way', () => posts() > 10);
    process.kill(await enginePid(), 'SIGKILL');
    const { code, stderr } = await command.result;
    expect(stderr).toContain('the engine has ended unexpectedly');
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    await expectAllIssuedOnce();
  }, 120_000);

  test('keeps its Temporal server and its worker: either killed, the batch comes to its end', async () => {
    const command = begin(batch);
    await eventually('requests are under way', () => posts() > 10);
    const engine = await enginePid();
    const server = await serverPid();
    process.kill(server, 'SIGKILL');
    await eventually('another server is there', async () => {
      const now = await serverPid().catch(() => server);
      return now !== server;
    });
    const parts = [await serverPid()];
    // With their answers on file: a request whose worker is killed has an unknown outcome.
    await eventually('all are requested', async () => (await receipts()) === rows);
    const children = await readFile(`/proc/${engine}/task/${engine}/children`, 'utf8');
    const worker = children
      .trim()
      .split(' ')
      .map(Number)
      .find((pid) => !parts.includes(pid));
    if (worker === undefined) throw new Error('no worker');
    process.kill(worker, 'SIGKILL');

    expect(await command.result).toMatchObject({ code: 0 });
    await expectAllIssuedOnce();
    expect(await enginePid()).toBe(engine);
    expect(await log('engine')).toContain('the worker has ended unexpectedly');
  }, 120_000);

  test('is one, whoever asks for it at once, though a dead one left its record', async () => {
    // Our own process stands for one that got the pid of an engine that is no more.
    const start = 'another boot/1';
    const left = { pid: process.pid, start, address: '127.0.0.1:1', namespace: 'default' };
    const rest = { uiUrl: null, sandboxUrl: null, investigationBaseUrl: sandbox.baseUrl };
    await run(['list']);
    await writeFile(
      join(dataDir, 'engine.json'),
      JSON.stringify({ ...left, ...rest, startedAt: new Date().toISOString() }),
    );
    const issue = (number: number) =>
      run([
        'certificate',
        'issue',
        '--type',
        'cnpj',
        '--document',
        cnpj(number),
        '--out',
        `o${number}`,
      ]);
    const ended = await Promise.all([issue(1), issue(2), issue(3)]);
    expect(ended.map(({ code, stderr }) => (code === 0 ? 0 : stderr))).toEqual([0, 0, 0]);
    expect((await log('engine')).match(/^ready$/gm)).toHaveLength(1);
    expect((await log('worker')).match(/worker is ready/g)).toHaveLength(1);
  }, 120_000);

  test('stopped, it lets its followers go, and brings the batch home at its next start', async () => {
    const slow = { processingMs: [6_000, 7_000], distribution: 'uniform' };
    sandbox.configure({ issuance: slow } as never);
    const command = begin(batch);
    await eventually('requests are under way', () => posts() > 10);
    expect((await run(['stop'])).stdout).toBe('stopped\n');
    expect(await command.result).toMatchObject({
      code: 130,
      stderr: expect.stringContaining('the engine was stopped'),
    });
    const listed = await run(['list', '--json']);
    expect(JSON.parse(listed.stdout)).toMatchObject({
      jobs: [{ kind: 'certificate-batch', status: null, input: 'input.csv' }],
    });
    expect(await run(batch)).toMatchObject({ code: 0 });
    await expectAllIssuedOnce();
  }, 120_000);

  test('closes when it has been idle, not before, though retention is scheduled', async () => {
    retention = 'trace=90d';
    expect((await run(['dev', '--background', '--idle-minutes', '0.15'])).code).toBe(0);
    const [engine, server] = [await enginePid(), await serverPid()];
    const id = await detachedBatch();
    await eventually('it has closed', () => hasEnded(engine));
    expect(hasEnded(server)).toBe(true);
    const status = await run(['show', id, '--json']);
    expect(JSON.parse(status.stdout)).toMatchObject({ outcome: { counts: { issued: rows } } });
    expect(await run(['stop'])).toMatchObject({ stdout: 'nothing was running\n' });
  }, 120_000);

  test('stop ends a server that a crash has left alone', async () => {
    await run(['dev', '--background']);
    const server = await serverPid();
    process.kill(await enginePid(), 'SIGKILL');
    expect((await run(['stop'])).stdout).toBe('stopped\n');
    expect(hasEnded(server)).toBe(true);
  }, 120_000);
});
