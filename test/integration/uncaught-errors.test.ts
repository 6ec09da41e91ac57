import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const dist = join(__dirname, '..', '..', 'dist');
/** V8 quotes what it could not parse; the address holds a token. */
const fault = `setTimeout(() => JSON.parse('Maria 12345678909 ?token=abc4711'), 300);`;

describe('an error that nobody caught', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'diligence-errors-'));
    await writeFile(join(folder, 'fault.cjs'), fault);
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function run(args: string[]): Promise<{ code: number | null; stderr: string }> {
    const child = spawn(process.execPath, args, {
      cwd: folder,
      env: { PATH: process.env.PATH ?? '' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, stderr };
  }

  test('ends a command with its name and place, and without what it quotes', async () => {
    const faulty = ['--require', join(folder, 'fault.cjs')];
    const ended = await run([...faulty, join(dist, 'main.js'), 'sandbox', '--port', '0']);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain('diligence: SyntaxError');
    expect(ended.stderr).toContain('fault.cjs');
    expect(ended.stderr).not.toMatch(/Maria|12345678909|4711/);
  }, 60_000);

  test('is the last line of a worker, as JSON, and without what it quotes', async () => {
    const log = JSON.stringify(join(dist, 'workers', 'log.js'));
    const ended = await run(['-e', `require(${log}).installLog('info'); ${fault}`]);
    expect(ended.code).toBe(1);
    const last = JSON.parse(ended.stderr.trimEnd().split('\n').at(-1) ?? '') as object;
    expect(last).toMatchObject({ level: 'fatal', err: { name: 'SyntaxError', message: null } });
    expect(ended.stderr).not.toMatch(/Maria|12345678909|4711/);
  }, 60_000);

  test('of the command line is told without the document that it quotes', async () => {
    const args = ['certificate', 'batch', '--input', 'x.csv', '--deadline', '12345678909'];
    const ended = await run([join(dist, 'main.js'), ...args]);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain('--deadline');
    expect(ended.stderr).not.toContain('12345678909');
  }, 60_000);
});
