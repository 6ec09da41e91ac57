import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sandboxCommand, startSandbox } from '../../../src/sandbox';

const root = path.resolve(__dirname, '../../..');
const program = `
  const { sandboxCommand } = require('./src/sandbox');
  void sandboxCommand().parseAsync(process.argv.slice(1), { from: 'user' });
`;

interface Ended {
  code: number | null;
  out: string;
  err: string;
}

/** Given what was printed so far; `stop` ends the command as Ctrl-C does. */
type OnOutput = (out: string, stop: () => void) => void;

/** Runs the command in a process of its own. */
function spawned(args: readonly string[], onOutput: OnOutput): Promise<Ended> {
  const child = spawn(process.execPath, ['--import', 'tsx', '-e', program, '--', ...args], {
    cwd: root,
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
    onOutput(out, () => child.kill('SIGTERM'));
  });
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ code, out, err }));
  });
}

/** What the command has set meanwhile. */
const exitCodeNow = (): number => Number(process.exitCode ?? 0);

/** Runs the command in this process, as the one above would. */
async function run(
  args: readonly string[],
  onOutput: OnOutput = (_, stop) => stop(),
): Promise<Ended> {
  const ended: Ended = { code: 0, out: '', err: '' };
  class Exit extends Error {}
  const spies = [
    jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
      ended.out += String(text);
      // The command hears it from its next turn on.
      setImmediate(() => onOutput(ended.out, () => void process.emit('SIGTERM')));
      return true;
    }),
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
      ended.err += String(text);
      return true;
    }),
    jest.spyOn(process, 'exit').mockImplementation((code) => {
      ended.code = Number(code);
      throw new Exit();
    }),
  ];
  const exitCode = process.exitCode;
  process.exitCode = undefined;
  try {
    await sandboxCommand().parseAsync(args, { from: 'user' });
    ended.code = exitCodeNow();
  } catch (error) {
    if (!(error instanceof Exit)) throw error;
  } finally {
    process.exitCode = exitCode;
    for (const spy of spies) spy.mockRestore();
  }
  return ended;
}

describe('diligence sandbox', () => {
  test('prints the addresses as one JSON document, answers, and stops when told to', async () => {
    let health: Promise<Response> | undefined;
    const { code, out } = await spawned(['--port', '0', '--json'], (text, stop) => {
      const { control } = JSON.parse(text) as { control: string };
      health = fetch(`${control}/health`).finally(stop);
    });
    expect((await health)?.status).toBe(200);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      environment: {
        INVESTIGATION_BASE_URL: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/api\/v1$/),
        INVESTIGATION_TOKEN: 'sandbox-token',
        CREDIT_BASE_URL: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/credit\/api\/v1$/),
        CREDIT_TOKEN: 'credit-sandbox-token',
      },
    });
  });

  test('says on a terminal which variables to set', async () => {
    const { code, out } = await run(['--port', '0', '--token', 'mine'], (_, stop) => stop());
    expect(code).toBe(0);
    expect(out).toMatch(/export INVESTIGATION_BASE_URL=http:/);
    expect(out).toContain('export INVESTIGATION_TOKEN=mine');
  });

  test('names the origin of files as clients reach it', async () => {
    const args = ['--port', '0', '--json', '--files-origin', 'http://sandbox:4011'];
    const { out } = await run(args, (_, stop) => stop());
    expect(JSON.parse(out)).toMatchObject({ filesOrigin: 'http://sandbox:4011' });
    const wrong = await run(['--files-origin', 'sandbox:4011']);
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('--files-origin')]);
  });

  test.each([
    [['--port', '70000'], /--port.*70000.*from 0 to 65535/],
    [['--seed', 'x'], /--seed.*'x'.*whole number/],
    [['--token', ''], /--token.*Expected some text/],
    [['--credit-token', ''], /--credit-token.*Expected some text/],
    [['--colour'], /unknown option '--colour'/],
    [['extra'], /too many arguments/],
    [['--scenario', '/none.json'], /--scenario \/none\.json: .*no such file/],
  ])('wrong usage %j ends with 2 and says why', async (args, message) => {
    const { code, out, err } = await run(args);
    expect(code).toBe(2);
    expect(err).toMatch(message);
    expect(out).toBe('');
  });

  test('a scenario that cannot be used ends with 2 and names the path in it', async () => {
    const file = path.join(mkdtempSync(path.join(tmpdir(), 'scenario-')), 'wrong.json');
    writeFileSync(file, '{"latencyMs": [2, 1]}');
    const { code, err } = await run(['--scenario', file]);
    expect(code).toBe(2);
    expect(err).toBe(`sandbox: --scenario ${file}: latencyMs: expected [shortest, longest]\n`);
  });

  test('a port that is taken ends with 2 and names it', async () => {
    const taken = await startSandbox();
    try {
      const { code, err } = await spawned(['--port', String(taken.port)], () => undefined);
      expect(code).toBe(2);
      expect(err).toContain(`--port ${taken.port} --files-port 0: listen EADDRINUSE`);
    } finally {
      await taken.close();
    }
  });
});
