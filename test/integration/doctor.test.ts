import { chmod, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Installation, sandboxToken } from '../support/diligence-process';

interface Finding {
  check: string;
  state: 'ok' | 'warn' | 'fail';
  detail: string;
  fix: string | null;
}

describe('diligence doctor', () => {
  let place: Installation;
  /** It looks for its server for ten seconds, beside the other tests. */
  let away: ReturnType<typeof examine>;

  beforeAll(async () => {
    place = await Installation.start({});
    away = examine({ TEMPORAL_ADDRESS: '127.0.0.1:1' });
  }, 60_000);

  afterAll(() => place.stop(), 60_000);

  async function examine(env: Record<string, string> = {}) {
    const { stdout, stderr, code } = await place.run(['doctor', '--json'], env);
    expect(stderr).toBe('');
    const { findings } = JSON.parse(stdout) as { findings: Finding[] };
    const about = (check: string): Finding | undefined =>
      findings.find((finding) => finding.check.startsWith(check));
    return { code, findings, about };
  }

  test('finds a new installation in order but for its worker, and makes nothing', async () => {
    const embedded = {
      TEMPORAL_ADDRESS: '',
      TEMPORAL_CLI_PATH: process.env.TEMPORAL_CLI_PATH ?? '',
    };
    const { code, findings, about } = await examine(embedded);
    expect(findings.filter(({ state }) => state === 'fail')).toEqual([]);
    expect(code).toBe(0);
    expect(about('Temporal CLI')?.state).toBe('ok');
    expect(about('service')?.detail).toContain('takes the token');
    expect(about('clock')?.state).toBe('ok');
    expect(await readdir(place.folder)).not.toContain('data');
  }, 60_000);

  test('counts the workers, looks at the rights of keys, and names the fix', async () => {
    await place.startWorkerHere();
    await chmod(join(place.folder, 'data', 'id-key'), 0o644);
    const { code, about } = await examine();
    expect(code).toBe(0);
    expect(about('id key')).toMatchObject({
      state: 'warn',
      fix: expect.stringMatching(/^chmod 600 /),
    });
    expect(about('queue diligence-certificate-requests')?.detail).toBe('1 worker(s) poll it');
    expect(about('queue diligence-workflows')).toMatchObject({ state: 'ok' });
    expect(about('engine')?.detail).toMatch(/server 1\.\d+/);
    expect(about('store')?.state).toBe('ok');
    expect(about('public key')?.detail).toMatch(/^ed25519:[0-9a-f]{64};/);
    await chmod(join(place.folder, 'data', 'id-key'), 0o600);
  }, 60_000);

  test('knows of a retention that is too short', async () => {
    const client = await place.client();
    const retention = (seconds: number) =>
      client.workflowService.updateNamespace({
        namespace: place.namespace,
        config: { workflowExecutionRetentionTtl: { seconds } as never },
      });
    await retention(86_400);
    expect((await examine()).about('namespace')).toMatchObject({
      state: 'warn',
      fix: expect.stringContaining('--retention 30d'),
    });
    await retention(30 * 86_400);
  }, 60_000);

  test('ends with 2 for settings that cannot be read, and says which', async () => {
    const wrong = await examine({ CERTIFICATES_RPS: 'many' });
    expect(wrong.code).toBe(2);
    expect(wrong.findings).toMatchObject([
      { check: 'environment', state: 'fail', fix: expect.stringContaining('CERTIFICATES_RPS') },
    ]);
  }, 60_000);

  test('misses the key of a store that is there, and makes no other', async () => {
    const elsewhere = join(place.folder, 'elsewhere');
    const env = {
      DILIGENCE_DATA_DIR: elsewhere,
      DILIGENCE_STORE_URL: join(place.folder, 'data', 'store'),
    };
    const { about } = await examine(env);
    expect(about('store')).toMatchObject({
      state: 'fail',
      fix: expect.stringContaining('id-key'),
    });
    expect(await readdir(place.folder)).not.toContain('elsewhere');
  }, 60_000);

  test('a sheet that cannot be read leaves no trace either', async () => {
    await writeFile(join(place.folder, 'bad.csv'), 'nothing\nof ours\n');
    const env = { DILIGENCE_DATA_DIR: join(place.folder, 'untouched') };
    const ended = await place.run(['certificate', 'batch', '--input', 'bad.csv'], env);
    expect(ended.code).toBe(2);
    expect(await readdir(place.folder)).not.toContain('untouched');
  }, 60_000);

  test('fails for a token that is refused, a server that is away, a namespace that is not there', async () => {
    const withoutServer = await away;
    expect([withoutServer.code, withoutServer.about('engine')?.state]).toEqual([1, 'fail']);
    place.sandbox.setToken(sandboxToken, false);
    const refused = await examine();
    place.sandbox.setToken(sandboxToken, true);
    expect(refused.code).toBe(1);
    expect(refused.about('service')).toMatchObject({
      state: 'fail',
      fix: expect.stringContaining('INVESTIGATION_TOKEN'),
    });
    const nowhere = await examine({ TEMPORAL_NAMESPACE: 'elsewhere' });
    expect(nowhere.about('namespace elsewhere')).toMatchObject({ state: 'fail' });
  }, 60_000);
});
