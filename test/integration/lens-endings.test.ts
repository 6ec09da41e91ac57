import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LensStatus } from '../../src/domain/lens/kinds';
import { LensInstallation, type FileScript, type Picture } from '../support/lens-installation';

/** The ends that an analysis can come to, and calls that are lost. All of them in one: `long/lens-under-faults`. */

type Begun = Picture & { end: ReturnType<LensInstallation['analyze']> };

const endings = {
  failed: { end: ['failure_permanent'] },
  cancelled: { end: ['cancelled'] },
  refused: { create: ['400_refused'] },
  // Known by a key that is refused.
  unknown_outcome: { create: ['504_after', '409'] },
} satisfies Partial<Record<LensStatus, FileScript>>;
const answersLost = [
  { create: ['504_after', 'reset_after'], artifact: ['expired_link', 'cut_answer'] },
  { upload: ['reset_before', '502', 'expired_link', 'reset_after'] },
  { read: ['404', '502', 'unreadable_2xx'] },
] satisfies FileScript[];

let installation: LensInstallation;
/** They wait more than they work: all are begun at once, and each test awaits its own. */
const begun = new Map<FileScript, Begun>();
const expiring: FileScript = { end: ['expired'] };

jest.setTimeout(180_000);
beforeAll(async () => {
  installation = await LensInstallation.start();
  for (const script of [...Object.values(endings), ...answersLost, expiring]) {
    const picture = await installation.picture(script);
    begun.set(script, { ...picture, end: installation.analyze(picture.path) });
  }
});
afterAll(() => installation.place.stop());

function begunWith(script: FileScript): Begun {
  const one = begun.get(script);
  if (one === undefined) throw new Error('it was not begun');
  return one;
}

test.each(Object.entries(endings))('an analysis ends as %s', async (status, script) => {
  const { end, sha256 } = begunWith(script);
  expect((await end).shown.outcome).toMatchObject({ status });
  expect(installation.counted(sha256)?.created).toBe(status === 'refused' ? 0 : 1);
});

test('one analysis is made and paid for, whatever is lost on the way', async () => {
  const pictures = answersLost.map(begunWith);
  const ends = await Promise.all(pictures.map(({ end }) => end));
  const counts = pictures.map(({ sha256 }) => installation.counted(sha256));
  expect(counts).toMatchObject([
    { requested: 3, created: 1, uploads: 1 },
    { requested: 1, created: 1, uploads: 1 },
    { requested: 1, created: 1, uploads: 1 },
  ]);
  for (const [index, { code, stderr, shown }] of ends.entries()) {
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
    expect(first).toEqual(pictures[index]?.body);
  }
});

test('an analysis that the service lets expire is asked for twice more, by the same command', async () => {
  const { end, path, sha256 } = begunWith(expiring);
  const told: string[] = [];
  for (const made of [1, 2, 3, 3]) {
    const { code, shown, stderr } = await (made === 1 ? end : installation.analyze(path));
    expect({ code, status: shown.outcome.status }).toEqual({ code: 3, status: 'expired' });
    expect(installation.counted(sha256)).toMatchObject({ created: made, uploads: made });
    told.push(stderr);
  }
  expect(told.map((text) => text.includes('is shown as it stands'))).toEqual([
    false,
    false,
    false,
    true,
  ]);
});
