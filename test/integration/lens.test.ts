import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LensOutcome, LensStatus } from '../../src/domain/lens/analyze';
import { Installation, eventually } from '../support/diligence-process';

/** Analyses from a file to what was found in it, with the sandbox and a real server. */

interface Shown {
  id: string;
  exitCode: number;
  folder: string | null;
  files: string[];
  outcome: LensOutcome;
}

type FileScript = NonNullable<
  NonNullable<
    NonNullable<Parameters<Installation['sandbox']['configure']>[0]['lens']>['files']
  >[string]
>;

const soon: FileScript = { waitingMs: [0, 0], processingMs: [200, 400] };
const png = Buffer.from('89504e470d0a1a0a', 'hex');
const troubles = [
  '429',
  '503',
  '502',
  '504_after',
  'reset_before',
  'reset_after',
  'cut_answer',
  '500_html',
  '500_html_after',
  'unreadable_2xx',
  'missing_id',
  'unknown_status',
  '409_retryable',
  'empty_pdf',
  'expired_link',
] as const;
let installation: Installation;
let folder: string;

jest.setTimeout(180_000);
beforeAll(async () => {
  installation = await Installation.start(
    { lens: { pollAfterSeconds: 1 } },
    { INVESTIGATION_RPS: '400', LENS_MAX_BYTES: '3000000' },
  );
  folder = join(installation.folder, 'pictures');
  await mkdir(folder);
  await installation.startWorker();
});
afterAll(() => installation.stop());

let nth = 0;
/** A picture of its own, whose analysis goes as the script says. */
async function picture(script: FileScript, bytes = 20_000) {
  nth += 1;
  const body = Buffer.concat([png, randomBytes(bytes - png.length)]);
  const sha256 = createHash('sha256').update(body).digest('hex');
  const path = join(folder, `picture-${nth}.jpg`);
  await writeFile(path, body);
  installation.sandbox.configure({ lens: { files: { [sha256]: { ...soon, ...script } } } });
  return { path, sha256, body };
}

async function analyze(path: string, ...more: string[]) {
  const out = `out-${nth}-${more.length}`;
  const words = ['lens', 'analyze', '--json', '--file', path, '--out', out, ...more];
  const { code, stdout, stderr } = await installation.run(words);
  return { code, stderr, shown: (stdout.startsWith('{') ? JSON.parse(stdout) : null) as Shown };
}

const counted = (sha256: string) =>
  installation.sandbox.lens.counts().items.find((item) => item.sha256 === sha256);

test('a file is handed in once from its archived copy, and what was found is filed with its artifacts', async () => {
  const { path, sha256, body } = await picture({}, 2_500_000);
  const first = await analyze(path, '--mode', 'face');
  expect({ code: first.code, stderr: first.stderr }).toMatchObject({ code: 0 });
  const { outcome, files, id } = first.shown;
  expect(outcome).toMatchObject({
    status: 'completed',
    replaced: [],
    seen: { mode: 'face', hasResult: true, billing: { status: 'charged', amount: 20 } },
    files: { filed: [{ mediaType: 'application/pdf' }], unfiled: [] },
  });
  expect(files).toEqual(['lens.json', 'artifact-1.pdf']);
  expect(counted(sha256)).toMatchObject({ requested: 1, created: 1, uploads: 1 });
  const again = await analyze(path, '--mode', 'face', '--by', 'somebody else');
  expect(again.stderr).toContain('is shown as it stands');
  expect(again.shown.outcome).toEqual(outcome);
  expect(counted(sha256)).toMatchObject({ requested: 1, created: 1, uploads: 1 });
  expect(await installation.workerLog()).not.toMatch(/picture-\d|X-Amz|signature=/i);
  const status = await installation.run(['status', id]);
  expect(status.stdout).toContain('completed');
  const list = await installation.run(['list']);
  expect(list.stdout).toContain(`image/png, ${body.length} bytes`);
  expect(list.stdout).not.toContain('picture-');
});

test('one analysis is made and paid for, whatever is lost on the way', async () => {
  const { path, sha256, body } = await picture({
    create: ['504_after', 'reset_after'],
    upload: ['reset_before', '502', 'expired_link', 'reset_after'],
    read: ['404', '502', 'unreadable_2xx'],
    artifact: ['expired_link', 'cut_answer'],
  });
  const { code, stderr, shown } = await analyze(path);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(shown.outcome).toMatchObject({ status: 'completed', replaced: [] });
  expect(shown.outcome.files).toMatchObject({ unfiled: [] });
  expect(counted(sha256)).toMatchObject({ requested: 3, created: 1, uploads: 1 });
  const written = await readdir(shown.folder ?? '');
  expect(written.sort()).toEqual(['artifact-1.png', 'artifact-2.pdf', 'lens.json']);
  expect(await readFile(join(shown.folder ?? '', 'artifact-1.png'))).toEqual(body);
});

test('an upload that expires is followed by another analysis, and the one before is on record', async () => {
  const { path, sha256 } = await picture({ uploadMs: [0, 600_000] });
  const { code, shown, stderr } = await analyze(path);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  const { analysisId, replaced, status } = shown.outcome;
  expect(status).toBe('completed');
  expect(replaced).toEqual([
    {
      attempt: 1,
      analysisId: expect.any(String),
      billing: { status: 'not_charged', amount: 0, unit: 'tokens' },
    },
  ]);
  expect(replaced[0]?.analysisId).not.toBe(analysisId);
  expect(counted(sha256)).toMatchObject({ created: 2, uploads: 1 });
});

test('after three uploads that expired it ends, and the same command begins a fourth', async () => {
  const { path, sha256 } = await picture({ uploadMs: [0, 0, 0, 600_000] });
  const first = await analyze(path);
  expect(first.shown).toMatchObject({
    exitCode: 3,
    outcome: { status: 'expired', error: { code: 'upload_expired' } },
  });
  expect(first.shown.outcome.replaced).toHaveLength(3);
  expect(counted(sha256)).toMatchObject({ created: 3, uploads: 0 });
  const second = await analyze(path);
  expect(second.shown.outcome).toMatchObject({ status: 'completed', replaced: [] });
  expect(counted(sha256)).toMatchObject({ created: 4, uploads: 1 });
});

test('an analysis that the service lets expire is asked for twice more, by the same command', async () => {
  const { path, sha256 } = await picture({ end: ['expired'] });
  const told: string[] = [];
  for (const made of [1, 2, 3, 3]) {
    const { code, shown, stderr } = await analyze(path);
    expect({ code, status: shown.outcome.status }).toEqual({ code: 3, status: 'expired' });
    expect(counted(sha256)).toMatchObject({ created: made, uploads: made });
    told.push(stderr);
  }
  expect(told.map((text) => text.includes('is shown as it stands'))).toEqual([
    false,
    false,
    false,
    true,
  ]);
});

test.each<[string, FileScript, LensStatus]>([
  ['failed', { end: ['failure_permanent'] }, 'failed'],
  ['cancelled', { end: ['cancelled'] }, 'cancelled'],
  ['expired', { end: ['expired'] }, 'expired'],
  ['refused', { create: ['400_refused'] }, 'refused'],
  ['known by a key that is refused', { create: ['504_after', '409'] }, 'unknown_outcome'],
])('an analysis that is %s ends so', async (_, script, status) => {
  const { path, sha256 } = await picture(script);
  const { shown } = await analyze(path);
  expect(shown.outcome).toMatchObject({ status });
  expect(counted(sha256)?.created).toBe(status === 'refused' ? 0 : 1);
});

test('a file that cannot be sent is refused before anything is', async () => {
  const empty = join(folder, 'empty.png');
  const large = join(folder, 'large.png');
  await writeFile(empty, '');
  await writeFile(large, Buffer.alloc(3_000_001));
  const before = installation.sandbox.lens.counts().calls;
  for (const [path, why] of [
    [empty, 'is empty'],
    [folder, 'is a directory'],
    [large, 'is larger than 3000000 bytes'],
    [join(folder, 'none.png'), 'ENOENT'],
  ] as const) {
    const { code, stderr } = await analyze(path);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(why) });
  }
  expect(installation.sandbox.lens.counts().calls).toEqual(before);
});

test('while its request is turned away an analysis can be cancelled: nothing was made', async () => {
  const { path, sha256 } = await picture({
    create: Array.from({ length: 60 }, () => '401' as const),
  });
  const { stdout } = await installation.run(['lens', 'analyze', '--file', path, '--detach']);
  await eventually('the request was turned away', () => (counted(sha256)?.requested ?? 0) > 0);
  const id = stdout.trim();
  expect((await installation.run(['cancel', id])).stdout).toContain('cancelling');
  const handle = (await installation.client()).workflow.getHandle(id.replace(/\/\d{8}T\w+$/, ''));
  expect(await handle.result()).toMatchObject({ status: 'cancelled', analysisId: null });
  expect(counted(sha256)?.created).toBe(0);
});

test('under faults of every kind and a kill each file has one analysis, and all of it on file', async () => {
  const { sandbox } = installation;
  const files: Awaited<ReturnType<typeof picture>>[] = [];
  for (let count = 0; count < 6; count += 1)
    files.push(await picture({ processingMs: [2_000, 4_000] }));
  sandbox.configure({ lens: { background: { rate: 0.15, kinds: [...troubles] } } });
  const analysing = files.map(async ({ path }, place) => {
    const words = ['lens', 'analyze', '--json', '--file', path, '--out', `out-many-${place}`];
    const { code, stdout } = await installation.run(words);
    return { code, shown: JSON.parse(stdout) as Shown };
  });
  const uploads = () => files.filter(({ sha256 }) => (counted(sha256)?.uploads ?? 0) > 0).length;
  await eventually('some files were handed in', () => uploads() > 1);
  await installation.stopWorkers('SIGKILL');
  await installation.startWorker();
  for (const { code, shown } of await Promise.all(analysing)) {
    expect({ code, outcome: shown.outcome }).toMatchObject({
      code: 0,
      outcome: { status: 'completed', replaced: [], files: { unfiled: [] } },
    });
    expect(shown.files).toHaveLength(3);
  }
  for (const { sha256 } of files) expect(counted(sha256)).toMatchObject({ created: 1 });
  sandbox.configure({ lens: { background: { rate: 0, kinds: [] } } });
});

test('where an upload by itself starts nothing, the analysis is asked for once it is there', async () => {
  await installation.stopWorkers('SIGTERM');
  await installation.startWorker({ LENS_SUBMIT_PATH: '/lente/analyses/{id}/submit' });
  installation.sandbox.configure({ lens: { submit: true } });
  const { path, sha256 } = await picture({ submit: ['reset_after'] });
  const { code, shown, stderr } = await analyze(path);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(shown.outcome.status).toBe('completed');
  expect(counted(sha256)).toMatchObject({ created: 1, uploads: 1 });
});
