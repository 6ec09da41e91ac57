import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '../support/diligence-process';
import { LensInstallation, type Picture, type ShownLens } from '../support/lens-installation';

/** Analyses while calls of every kind are lost, and a worker is killed. */

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

let installation: LensInstallation;

jest.setTimeout(180_000);
beforeAll(async () => {
  installation = await LensInstallation.start();
});
afterAll(() => installation.place.stop());

test('one analysis is made and paid for, whatever is lost on the way', async () => {
  const { path, sha256, body } = await installation.picture({
    create: ['504_after', 'reset_after'],
    upload: ['reset_before', '502', 'expired_link', 'reset_after'],
    read: ['404', '502', 'unreadable_2xx'],
    artifact: ['expired_link', 'cut_answer'],
  });
  const { code, stderr, shown } = await installation.analyze(path);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(shown.outcome).toMatchObject({ status: 'completed', replaced: [] });
  expect(shown.outcome.files).toMatchObject({ unfiled: [] });
  expect(installation.counted(sha256)).toMatchObject({ requested: 3, created: 1, uploads: 1 });
  const written = await readdir(shown.folder ?? '');
  expect(written.sort()).toEqual(['artifact-1.png', 'artifact-2.pdf', 'lens.json']);
  expect(await readFile(join(shown.folder ?? '', 'artifact-1.png'))).toEqual(body);
});

test('under faults of every kind and a kill each file has one analysis, and all of it on file', async () => {
  const { sandbox } = installation.place;
  const files: Picture[] = [];
  for (let count = 0; count < 6; count += 1)
    files.push(await installation.picture({ processingMs: [2_000, 4_000] }));
  sandbox.configure({ lens: { background: { rate: 0.15, kinds: [...troubles] } } });
  const analysing = files.map(async ({ path }, place) => {
    const words = ['lens', 'analyze', '--json', '--file', path, '--out', `out-many-${place}`];
    const { code, stdout } = await installation.place.run(words);
    return { code, shown: JSON.parse(stdout) as ShownLens };
  });
  const uploads = () =>
    files.filter(({ sha256 }) => (installation.counted(sha256)?.uploads ?? 0) > 0).length;
  await eventually('some files were handed in', () => uploads() > 1);
  await installation.place.stopWorkers('SIGKILL');
  await installation.place.startWorker();
  for (const { code, shown } of await Promise.all(analysing)) {
    expect({ code, outcome: shown.outcome }).toMatchObject({
      code: 0,
      outcome: { status: 'completed', replaced: [], files: { unfiled: [] } },
    });
    expect(shown.files).toHaveLength(3);
  }
  for (const { sha256 } of files)
    expect(installation.counted(sha256)).toMatchObject({ created: 1 });
  sandbox.configure({ lens: { background: { rate: 0, kinds: [] } } });
});
