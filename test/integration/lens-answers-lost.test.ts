import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LensInstallation } from '../support/lens-installation';

/** An analysis whose calls are lost, each in another way. */

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
