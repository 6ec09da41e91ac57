import { LensInstallation } from '../support/lens-installation';

/** A store in the house, which the service names: refused and told, and reached once it is allowed. */

let installation: LensInstallation;

beforeAll(async () => {
  installation = await LensInstallation.start({ DILIGENCE_ALLOWED_HOSTS: '' });
}, 60_000);
afterAll(() => installation.place.stop(), 60_000);

test('what was refused is taken up by the same command once its host is allowed, and bought once', async () => {
  const { place } = installation;
  const { path, sha256 } = await installation.picture({});
  const refused = await installation.analyze(path);
  expect(refused).toMatchObject({ code: 1, shown: { outcome: { status: 'refused' } } });
  expect(refused.shown.outcome.error).toEqual({
    code: 'address_refused',
    message:
      'the address at 127.0.0.1 is not followed: it has an address that is not public (DILIGENCE_ALLOWED_HOSTS=127.0.0.1 allows it)',
  });
  expect(installation.counted(sha256)).toMatchObject({ created: 1, uploads: 0 });

  await place.endCommands();
  await place.startWorkerHere({ DILIGENCE_ALLOWED_HOSTS: '127.0.0.1' });
  const allowed = await installation.analyze(path);
  expect(allowed).toMatchObject({
    code: 0,
    shown: { outcome: { status: 'completed', files: { notStored: [] } } },
  });
  expect(installation.counted(sha256)).toMatchObject({ created: 1, uploads: 1 });
}, 120_000);
