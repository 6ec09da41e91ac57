import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Installation, eventually, sandboxToken } from '../support/diligence-process';
import { cnpj, sheetOf } from '../support/documents';

const rows = 12;
let place: Installation;

jest.setTimeout(120_000);
beforeAll(async () => {
  place = await Installation.start({
    issuance: { waitingMs: [0, 0], processingMs: [10, 20], distribution: 'uniform' },
    documents: {
      [cnpj(2)]: { request: ['429'] },
      [cnpj(3)]: { request: ['429'] },
      [cnpj(5)]: { request: ['reset_after'] },
      [cnpj(7)]: { request: ['missing_id'] },
    },
  });
  await writeFile(join(place.folder, 'input.csv'), sheetOf(rows));
  await place.startWorker();
});
afterAll(() => place.stop());

type Line = Record<string, unknown> & { level: string; msg: string; time: string };

async function linesOf(): Promise<Line[]> {
  // The tests have it at `debug`.
  const text = await place.workerLog();
  return text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Line)
    .filter(({ level }) => level !== 'debug');
}

test('the log says what became of a batch, a line for each happening', async () => {
  const { code } = await place.run(
    'certificate batch --input input.csv --deadline 5m --out out'.split(' '),
  );
  expect(code).toBe(3);
  const lines = await linesOf();
  const of = (msg: string): Line[] => lines.filter((line) => line.msg === msg);

  const [started] = of('job started');
  expect(of('job started')).toHaveLength(1);
  expect(started).toMatchObject({ level: 'info', kind: 'certificate-batch' });
  expect(started?.time).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  const job = started?.['job'];
  const [ended] = of('job ended');
  expect(of('job ended')).toHaveLength(1);
  expect(ended).toMatchObject({ job, level: 'warn', status: 'unknown_outcome' });
  const unknown = of('outcome unknown');
  expect(unknown).toHaveLength(2);
  for (const line of unknown)
    expect(line).toMatchObject({ job, level: 'warn', row: expect.any(Number) });
  expect(new Set(unknown.map(({ row }) => row)).size).toBe(2);
  const throttled = {
    service: 'investigation',
    status: 429,
    route: expect.stringMatching(/^\/certidoes\//),
  };
  expect(of('throttled')).toMatchObject([throttled]);

  // Nothing for each row, nothing of the SDK.
  expect(lines.length).toBeLessThan(15);
  expect(lines.filter((line) => 'sdkComponent' in line)).toEqual([]);
  const text = await place.workerLog();
  expect(text).not.toContain(sandboxToken);
  for (let row = 1; row <= rows; row += 1) expect(text).not.toContain(cnpj(row));
});

test("a person's orders are in the log with their job", async () => {
  place.sandbox.configure({ issuance: { waitingMs: [8_000, 8_000], processingMs: [0, 0] } });
  await writeFile(join(place.folder, 'slow.csv'), sheetOf(2, 500));
  const words = 'certificate batch --input slow.csv --deadline 5m --detach'.split(' ');
  const id = (await place.run(words)).stdout.trim();
  for (const order of ['pause', 'resume', 'cancel']) {
    expect(await place.run([order, id])).toMatchObject({ code: 0 });
  }
  const told = async (): Promise<string[]> =>
    (await linesOf())
      .filter(({ job, msg }) => job === id && msg.startsWith('job '))
      .map(({ msg }) => msg);
  await eventually('its end is in the log', async () => (await told()).includes('job ended'));
  expect(await told()).toEqual([
    'job started',
    'job paused',
    'job resumed',
    'job cancelled',
    'job ended',
  ]);
});

test('`logs` shows the lines of a job, and says where there are none', async () => {
  const dataDir = join(place.folder, 'embedded');
  const env = { DILIGENCE_DATA_DIR: dataDir };
  const none = await place.run(['logs'], env);
  expect(none).toMatchObject({ code: 1, stdout: '' });
  expect(none.stderr).toContain('no embedded worker has run here');

  await mkdir(join(dataDir, 'logs'), { recursive: true });
  await writeFile(join(dataDir, 'logs', 'worker.log'), await place.workerLog());
  const jobs = new Set(
    (await linesOf()).flatMap(({ job }) => (typeof job === 'string' ? [job] : [])),
  );
  const [first = '', second = ''] = jobs;
  expect(jobs.size).toBe(2);
  const shown = await place.run(['logs', first], env);
  expect(shown.code).toBe(0);
  expect(shown.stdout).toContain('job started');
  expect(shown.stdout).toContain('outcome unknown');
  expect(shown.stdout).not.toContain(second);
  expect((await place.run(['logs', first, '--since', '2100-01-01'], env)).stdout).toBe('');
});
