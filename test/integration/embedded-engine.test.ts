import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSandbox, type Sandbox } from '../../src/sandbox';
import { engineLogPath } from '../../src/temporal/engine-record';
import { readSheetLines } from '../support/diligence-process';
import { sheetOf } from '../support/documents';

const main = join(__dirname, '..', '..', 'dist', 'main.js');

describe('the embedded engine', () => {
  let folder: string;
  let sandbox: Sandbox;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'diligence-embedded-'));
    sandbox = await startSandbox({
      seed: 3,
      scenario: {
        issuance: { waitingMs: [20, 50], processingMs: [50, 300], distribution: 'uniform' },
      } as never,
    });
  });

  afterAll(async () => {
    await run(['stop']);
    await sandbox.close();
    await rm(folder, { recursive: true, force: true });
  }, 60_000);

  async function run(args: string[], service = true) {
    const child = spawn(process.execPath, [main, ...args], {
      cwd: folder,
      env: {
        PATH: process.env.PATH ?? '',
        HOME: process.env.HOME ?? '',
        TEMPORAL_CLI_PATH: process.env.TEMPORAL_CLI_PATH ?? '',
        ...(service && {
          INVESTIGATION_BASE_URL: sandbox.baseUrl,
          INVESTIGATION_TOKEN: 'sandbox-token',
        }),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number];
    return { code, stdout, stderr };
  }

  /** Everything in a folder, and the folder itself. */
  async function modesBelow(root: string): Promise<[path: string, mode: number][]> {
    const entries = await readdir(root, { recursive: true, withFileTypes: true });
    const paths = [root, ...entries.map(({ parentPath, name }) => join(parentPath, name))];
    const found = await Promise.all(
      // The database's journal comes and goes.
      paths.map(async (path) => ({ path, mode: (await stat(path).catch(() => null))?.mode })),
    );
    return found.flatMap(({ path, mode }) => (mode === undefined ? [] : [[path, mode & 0o777]]));
  }

  test('a command without a service says which variable is missing, and starts nothing', async () => {
    await writeFile(join(folder, 'input.csv'), sheetOf(8));
    const ended = await run(['certificate', 'batch', '--input', 'input.csv'], false);
    expect(ended).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('INVESTIGATION_BASE_URL'),
    });
  }, 60_000);

  test('is started on demand', async () => {
    const batch = await run(['certificate', 'batch', '--input', 'input.csv', '--out', 'out']);
    expect(batch.stderr).toContain('starting the background engine');
    expect({ code: batch.code, stderr: batch.code === 0 ? '' : batch.stderr }).toEqual({
      code: 0,
      stderr: '',
    });
    const lines = await readSheetLines(join(folder, 'out', 'results.csv'));
    expect(lines.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 'issued'));
  }, 120_000);

  test('is shared by the next commands, and shut to others', async () => {
    await writeFile(join(folder, 'more.csv'), sheetOf(12));
    const [doctor, more] = await Promise.all([
      run(['doctor']),
      run(['certificate', 'batch', '--input', 'more.csv', '--out', 'more']),
    ]);
    expect(more.code).toBe(0);
    expect(more.stderr).not.toContain('starting');
    expect(doctor).toMatchObject({ code: 0, stdout: expect.not.stringContaining('fail') });
    expect(doctor.stdout).toContain('takes the token');
    const kept = await modesBelow(join(folder, 'data'));
    const parts = [
      /temporal\.db$/,
      /worker\.log$/,
      /payload-keys$/,
      /store\.db$/,
      /blobs\/[\d-]+\/[0-9a-f-]+$/,
    ];
    expect(parts.filter((part) => !kept.some(([path]) => part.test(path)))).toEqual([]);
    expect(kept.filter(([, mode]) => (mode & 0o077) !== 0)).toEqual([]);
  }, 120_000);

  test('is stopped, and what has ended is read from the store without it', async () => {
    const stopped = await run(['stop']);
    expect(stopped.stdout).toBe('stopped\n');
    const [again, listed] = await Promise.all([run(['stop']), run(['list', '--json'], false)]);
    expect(again.stdout).toBe('nothing was running\n');
    const log = await readFile(engineLogPath(join(folder, 'data'), 'engine'), 'utf8');
    expect(log).toContain('stopping');
    expect(log).not.toContain('cannot be kept running');
    expect((JSON.parse(listed.stdout) as { jobs: unknown[] }).jobs).toHaveLength(2);
  }, 120_000);

  test('brings no sandbox where a service is configured, and says why', async () => {
    const started = await run(['dev', '--background']);
    expect(started).toMatchObject({
      code: 0,
      stdout: expect.not.stringContaining('export '),
      stderr: expect.stringContaining('no sandbox: INVESTIGATION_BASE_URL is set'),
    });
    expect(await run(['dev', '--background', '--scenario', 'other.json'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('already (`diligence stop` ends it)'),
    });
    expect((await run(['stop'])).stdout).toBe('stopped\n');
  }, 120_000);

  test('keeps its secrets to the user: files 0600', async () => {
    expect((await stat(join(folder, 'data', 'id-key'))).mode & 0o777).toBe(0o600);
    expect(await readFile(join(folder, 'data', 'logs', 'worker.log'), 'utf8')).not.toContain(
      'sandbox-token',
    );
  });
});
