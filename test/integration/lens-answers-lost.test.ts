import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LensInstallation, type FileScript } from '../support/lens-installation';

/** Analyses whose calls are lost, each in another way. All of them in one: `long/lens-under-faults`. */

const answersLost = [
  { create: ['504_after', 'reset_after'], artifact: ['expired_link', 'cut_answer'] },
  { upload: ['reset_before', '502', 'expired_link', 'reset_after'] },
  { read: ['404', '502', 'unreadable_2xx'] },
] satisfies FileScript[];
let installation: LensInstallation;

jest.setTimeout(180_000);
beforeAll(async () => {
  installation = await LensInstallation.start();
});
afterAll(() => installation.place.stop());

test('one analysis is made and paid for, whatever is lost on the way', async () => {
  const pictures = [];
  for (const script of answersLost) pictures.push(await installation.picture(script));
  const ends = await Promise.all(pictures.map(({ path }) => installation.analyze(path)));
  const counts = pictures.map(({ sha256 }) => installation.counted(sha256));
  expect(counts).toMatchObject([
    { requested: 3, created: 1, uploads: 1 },
    { requested: 1, created: 1, uploads: 1 },
    { requested: 1, created: 1, uploads: 1 },
  ]);
  for (const [place, { code, stderr, shown }] of ends.entries()) {
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(shown.outcome).toMatchObject({ status: 'completed', replaced: [] });
    expect(shown.outcome.files).toMatchObject({ notStored: [] });
    const written = await readdir(shown.folder ?? '');
    expect(written.sort()).toEqual([
      '.job',
      'artifact-1.png',
      'artifact-2.pdf',
      'lens.json',
      'report.html',
    ]);
    const first = await readFile(join(shown.folder ?? '', 'artifact-1.png'));
    expect(first).toEqual(pictures[place]?.body);
  }
});
