import type { LensStatus } from '../../src/domain/lens/analyze';
import { LensInstallation, type FileScript } from '../support/lens-installation';

/** The ends that an analysis can come to. */

let installation: LensInstallation;

jest.setTimeout(180_000);
beforeAll(async () => {
  installation = await LensInstallation.start();
});
afterAll(() => installation.place.stop());

test.each<[string, FileScript, LensStatus]>([
  ['failed', { end: ['failure_permanent'] }, 'failed'],
  ['cancelled', { end: ['cancelled'] }, 'cancelled'],
  ['expired', { end: ['expired'] }, 'expired'],
  ['refused', { create: ['400_refused'] }, 'refused'],
  ['known by a key that is refused', { create: ['504_after', '409'] }, 'unknown_outcome'],
])('an analysis that is %s ends so', async (_, script, status) => {
  const { path, sha256 } = await installation.picture(script);
  const { shown } = await installation.analyze(path);
  expect(shown.outcome).toMatchObject({ status });
  expect(installation.counted(sha256)?.created).toBe(status === 'refused' ? 0 : 1);
});

test('an analysis that the service lets expire is asked for twice more, by the same command', async () => {
  const { path, sha256 } = await installation.picture({ end: ['expired'] });
  const told: string[] = [];
  for (const made of [1, 2, 3, 3]) {
    const { code, shown, stderr } = await installation.analyze(path);
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
