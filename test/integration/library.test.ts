import { execFile } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { connect, type Diligence } from '../../src';
import { Installation, eventually } from '../support/diligence-process';
import { cnpj, cpf } from '../support/documents';

/** What programs call, in a process that is theirs. */
let place: Installation;
let diligence: Diligence;
const written: string[] = [];

jest.setTimeout(60_000);
beforeAll(async () => {
  const quick = { waitingMs: [0, 0] as [number, number], processingMs: [0, 0] as [number, number] };
  place = await Installation.start(
    {
      issuance: { ...quick, distribution: 'uniform' },
      traces: {
        pollAfterSeconds: 1,
        targets: {
          'slow@example.com': { waitingMs: [0, 0], processingMs: [600_000, 600_000] },
          'refused@example.com': { ...quick, create: ['400_refused', 'ok'] },
          '*': quick,
        },
      },
    },
    { INVESTIGATION_RPS: '400' },
  );
  await place.startWorkerHere();
  for (const stream of [process.stdout, process.stderr])
    jest.spyOn(stream, 'write').mockImplementation((text) => {
      written.push(String(text));
      return true;
    });
  diligence = await connect({ env: { ...place.env }, by: 'program' });
});
afterAll(async () => {
  await diligence.close();
  jest.restoreAllMocks();
  await place.stop();
});

test('a job is started, followed and read, and the same again is the same job', async () => {
  const signals = () => process.eventNames().map((name) => process.listenerCount(name));
  const before = signals();
  const asked = { target: 'ana@example.com', label: 'first' };
  const job = await diligence.start('trace', asked);
  for await (const { total } of job.follow()) expect(total).toBeNull();
  const folder = join(place.folder, 'of-a-program');
  const { cost, exitCode, outcome, status } = await job.result({ folder });
  expect({ exitCode, status, seen: outcome.seen?.type }).toEqual({
    exitCode: 0,
    status: 'completed',
    seen: 'email',
  });
  expect(outcome.findings?.sections.map(({ name }) => name)).toContain('ocorrencias');
  expect(cost).toMatchObject([{ status: 'charged', unit: 'tokens' }]);
  expect((await readdir(folder)).sort()).toEqual(['report.html', 'trace.json']);
  const again = await diligence.start('trace', { target: ' ana@example.com' });
  expect([again.id, (await again.show()).outcome]).toEqual([job.id, outcome]);
  const { jobs } = await diligence.list({ kind: 'trace', label: 'first' });
  expect(jobs).toMatchObject([{ id: job.id, createdBy: 'program', status: 'completed' }]);
  expect([signals(), written]).toEqual([before, []]);
});

test('many at once are jobs of one process: batches, a certificate, a lookup, an investigation', async () => {
  const input = join(place.folder, 'subjects.csv');
  await writeFile(input, `cnpj\n${cnpj(4)}\n`);
  const jobs = await Promise.all([
    diligence.start('certificate-batch', { input: join(process.cwd(), 'examples/suppliers.csv') }),
    diligence.start('certificate', { type: 'cnpj', document: cnpj(1) }),
    diligence.start('profile', { cpf: cpf(1) }),
    diligence.start('investigation', { plan: 'supplier', cnpj: [cnpj(2)], maxAge: '1d' }),
    diligence.start('investigation-batch', { plan: 'supplier', input, budget: 9 }),
  ]);
  const ends = await Promise.all(jobs.map(async (job) => job.result()));
  expect(ends.map(({ kind, status }) => [kind, status])).toEqual([
    ['certificate-batch', 'invalid'],
    ['certificate', 'issued'],
    ['profile', 'found'],
    ['investigation', 'completed'],
    ['investigation-batch', 'completed'],
  ]);
});

test('what is wrong with a request is named, and nothing is recorded', async () => {
  const asked = { target: 'x@example.com', strategy: 'quick', colour: 'red' };
  const refused = diligence.start('trace', asked as never);
  await expect(refused).rejects.toThrow(/^trace: strategy: .*; request: .*nothing was sent$/);
  await expect(diligence.start('profile', { cpf: '11111111111' })).rejects.toMatchObject({
    name: 'UsageError',
  });
  await expect(diligence.get('trace/none')).rejects.toMatchObject({ name: 'CommandError' });
  expect((await diligence.list({ subject: 'x@example.com' })).jobs).toEqual([]);
});

test('a job is cancelled, and another term of one that runs is refused', async () => {
  const job = await diligence.start('trace', { target: 'slow@example.com' });
  const other = diligence.start('trace', { target: 'slow@example.com', deadline: '1h' });
  await expect(other).rejects.toThrow('deadline would be ignored');
  // Who leaves the loop leaves the job alone.
  for await (const { cancelling } of job.follow()) {
    expect(cancelling).toBe(false);
    break;
  }
  await job.cancel({ now: true });
  expect((await job.result()).status).toBe('cancelled');
});

test('a person decides, and what goes on is a job', async () => {
  const job = await diligence.start('trace', { target: 'refused@example.com' });
  expect((await job.result()).status).toBe('refused');
  const next = await diligence.resolve(job.id, { action: 'reissue', note: 'they say it works' });
  expect([next.id === job.id, (await next.result()).status]).toEqual([false, 'completed']);
});

test('the example of the package does what it says', async () => {
  const out = join(place.folder, 'example');
  const root = join(__dirname, '..', '..');
  const words = ['--import', 'tsx', 'examples/investigate.ts', cnpj(3), out];
  const env = { ...place.env, PATH: process.env.PATH ?? '' };
  const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: root, env });
  expect(stdout).toMatch(/^started investigation\//);
  expect(stdout).toContain(`completed: ${out}/report.html\n  registration: answered`);
  await eventually('the report is there', async () => (await readdir(out)).includes('report.html'));
});
