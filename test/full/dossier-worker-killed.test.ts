import { eventually, type Installation } from '../support/diligence-process';
import {
  dossierInstallation,
  countsOf,
  followDossier,
  holdDossier,
} from '../support/dossier-installation';

/** A dossier is tried again while its worker is killed. */

jest.setTimeout(180_000);

let place: Installation;
beforeAll(async () => {
  place = await dossierInstallation({}, 'process');
});
afterAll(async () => {
  await place.stop();
});

test('a worker that is killed while a retry is on its way causes no second attempt', async () => {
  const id = holdDossier(place, {
    end: ['failure_retryable', 'completed'],
    retry: [{ kind: 'no_answer' }],
  });
  const following = followDossier(place, id, '--max-attempts', '2');
  await eventually('the retry has arrived', () => (countsOf(place, id)?.retryRequests ?? 0) > 0);
  await place.stopWorkers('SIGKILL');
  await place.startWorker();
  expect(await following).toMatchObject({
    code: 0,
    shown: { outcome: { status: 'completed', caused: 1, possibleAttempt: false } },
  });
  expect(countsOf(place, id)).toMatchObject({ attempt: 2, retried: 1 });
});
