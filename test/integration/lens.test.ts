import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LensInstallation } from '../support/lens-installation';

/** Analyses from a file to what was found in it, with the sandbox and a real server. */

let installation: LensInstallation;

jest.setTimeout(180_000);
beforeAll(async () => {
  installation = await LensInstallation.start({ LENS_MAX_BYTES: '3000000' });
});
afterAll(() => installation.place.stop());

test('a file is handed in once from its archived copy, and what was found is filed with its artifacts', async () => {
  const { path, sha256, body } = await installation.picture({}, 2_500_000);
  const first = await installation.analyze(path, '--mode', 'face');
  expect({ code: first.code, stderr: first.stderr }).toMatchObject({ code: 0 });
  const { outcome, files, id } = first.shown;
  expect(outcome).toMatchObject({
    status: 'completed',
    replaced: [],
    seen: { mode: 'face', hasResult: true, billing: { status: 'charged', amount: 20 } },
    files: { filed: [{ mediaType: 'application/pdf' }], unfiled: [] },
  });
  expect(files).toEqual(['lens.json', 'artifact-1.pdf']);
  expect(installation.counted(sha256)).toMatchObject({ requested: 1, created: 1, uploads: 1 });
  const again = await installation.analyze(path, '--mode', 'face', '--by', 'somebody else');
  expect(again.stderr).toContain('is shown as it stands');
  expect(again.shown.outcome).toEqual(outcome);
  expect(installation.counted(sha256)).toMatchObject({ requested: 1, created: 1, uploads: 1 });
  expect(await installation.place.workerLog()).not.toMatch(/picture-\d|X-Amz|signature=/i);
  const status = await installation.place.run(['status', id]);
  expect(status.stdout).toContain('completed');
  const list = await installation.place.run(['list']);
  expect(list.stdout).toContain(`image/png, ${body.length} bytes`);
  expect(list.stdout).not.toContain('picture-');
});

test('an upload that expires is followed by another analysis, and the one before is on record', async () => {
  const { path, sha256 } = await installation.picture({ uploadMs: [0, 600_000] });
  const { code, shown, stderr } = await installation.analyze(path);
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
  expect(installation.counted(sha256)).toMatchObject({ created: 2, uploads: 1 });
});

test('after three uploads that expired it ends, and the same command begins a fourth', async () => {
  const { path, sha256 } = await installation.picture({ uploadMs: [0, 0, 0, 600_000] });
  const first = await installation.analyze(path);
  expect(first.shown).toMatchObject({
    exitCode: 3,
    outcome: { status: 'expired', error: { code: 'upload_expired' } },
  });
  expect(first.shown.outcome.replaced).toHaveLength(3);
  expect(installation.counted(sha256)).toMatchObject({ created: 3, uploads: 0 });
  const second = await installation.analyze(path);
  expect(second.shown.outcome).toMatchObject({ status: 'completed', replaced: [] });
  expect(installation.counted(sha256)).toMatchObject({ created: 4, uploads: 1 });
});

test('a file that cannot be sent is refused before anything is', async () => {
  const { folder } = installation.place;
  const empty = join(folder, 'empty.png');
  const large = join(folder, 'large.png');
  await writeFile(empty, '');
  await writeFile(large, Buffer.alloc(3_000_001));
  const before = installation.place.sandbox.lens.counts().calls;
  for (const [path, why] of [
    [empty, 'is empty'],
    [folder, 'is a directory'],
    [large, 'is larger than 3000000 bytes'],
    [join(folder, 'none.png'), 'ENOENT'],
  ] as const) {
    const { code, stderr } = await installation.analyze(path);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(why) });
  }
  expect(installation.place.sandbox.lens.counts().calls).toEqual(before);
});

test('where an upload by itself starts nothing, the analysis is asked for once it is there', async () => {
  await installation.place.stopWorkers('SIGTERM');
  await installation.place.startWorker({ LENS_SUBMIT_PATH: '/lente/analyses/{id}/submit' });
  installation.place.sandbox.configure({ lens: { submit: true } });
  const { path, sha256 } = await installation.picture({ submit: ['reset_after'] });
  const { code, shown, stderr } = await installation.analyze(path);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(shown.outcome.status).toBe('completed');
  expect(installation.counted(sha256)).toMatchObject({ created: 1, uploads: 1 });
});
