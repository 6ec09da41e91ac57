import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSandbox, type Sandbox } from '../../src/sandbox';
import { configured } from '../support/configured';

const main = join(__dirname, '..', '..', 'dist', 'main.js');
const creditToken = 'credito-do-sandbox-4711';

/** As processes of their own, with nothing but the command to keep them alive. */
describe('commands that speak to the credit service', () => {
  let sandbox: Sandbox;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'diligence-engines-'));
    sandbox = await startSandbox({
      creditToken,
      creditNames: { filePart: 'remessa', enginePart: 'motor', idField: 'protocolo' },
    });
  });
  afterAll(async () => {
    await sandbox.close();
    await rm(folder, { recursive: true });
  });

  async function run(words: string[], env: Record<string, string> = {}) {
    const options = {
      cwd: folder,
      env: {
        PATH: process.env['PATH'] ?? '',
        CREDIT_BASE_URL: sandbox.creditBaseUrl,
        CREDIT_TOKEN: creditToken,
        ...env,
      },
    };
    return new Promise<{ code: number; stdout: string; stderr: string }>((ended) => {
      const child = execFile('node', [main, ...words], options, (_error, stdout, stderr) => {
        ended({ code: child.exitCode ?? -1, stdout, stderr });
      });
    });
  }

  test('an engine is created, seen, changed and removed', async () => {
    const created = await run([
      'engine',
      'create',
      '--clone-from',
      'Padrao',
      '--name',
      'Fundo A',
      '--json',
    ]);
    expect(created).toMatchObject({ code: 0, stderr: '' });
    const { engine } = JSON.parse(created.stdout) as { engine: { id: string } };
    expect(await run(['engine', 'get', 'Fundo A'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(engine.id),
    });
    expect(
      await run(['engine', 'create', '--clone-from', 'Padrao', '--name', 'Fundo A']),
    ).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(engine.id),
    });
    expect(await run(['engine', 'update', 'Fundo A', '--description', 'D'])).toMatchObject({
      code: 0,
    });
    expect(await run(['engine', 'delete', 'Fundo A'])).toMatchObject({ code: 2 });
    expect(await run(['engine', 'delete', 'Fundo A', '--yes'])).toMatchObject({ code: 0 });
    expect(await run(['engine', 'delete', engine.id, '--yes'])).toMatchObject({ code: 1 });
  }, 120_000);

  test('a refused token is exit code 1, a missing service 2, and no token is shown', async () => {
    const refused = await run(['engine', 'list'], { CREDIT_TOKEN: 'outro-segredo-0815' });
    expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('401') });
    expect(refused.stderr).not.toContain('segredo');
    const missing = await run(['engine', 'list'], { CREDIT_BASE_URL: '', CREDIT_TOKEN: '' });
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('CREDIT_BASE_URL') });
  }, 60_000);

  test('the doctor prints what was found of the names, and what is assumed', async () => {
    const { stdout } = await run(['doctor'], configured({ credit: { statusField: 'status' } }));
    expect(stdout).toMatch(/^ok +credit service: .*takes the token/m);
    expect(stdout).toMatch(
      /^ok +credit names: .*file part "remessa" \(from the document\).*status "status" \(configured\)/m,
    );
  }, 60_000);
});
