import type { Installation } from '../support/diligence-process';
import {
  countsOf,
  dossierInstallation,
  followDossier,
  holdDossier,
} from '../support/dossier-installation';

/** A dossier that failed is tried again as often as was asked for, and never twice for once. */

jest.setTimeout(180_000);

let place: Installation;
beforeAll(async () => {
  place = await dossierInstallation();
});
afterAll(async () => {
  await place.stop();
});

/** What can happen to the retry of an attempt; only the first may begin one. */
const lossesOfRetry = [
  ['its answer is lost', ['504_after']],
  ['its answer is cut', ['cut_answer']],
  ['its answer cannot be read', ['unreadable_2xx']],
  ['it is lost on the way, and its answer the next time', ['reset_before', 'reset_after']],
  ['it is turned away for a while', ['429', '503', '409_retryable']],
  ['the service breaks before and after it', ['500_html', '500_html_after']],
] as const;

test('one attempt is begun whatever is lost on the way', async () => {
  const ids = lossesOfRetry.map(([, faults]) =>
    holdDossier(place, { end: ['failure_retryable', 'completed'], retry: [...faults] }),
  );
  const ends = await Promise.all(ids.map((id) => followDossier(place, id, '--max-attempts', '2')));
  for (const [nth, id] of ids.entries()) {
    const [how] = lossesOfRetry[nth] ?? [];
    const end = ends[nth];
    expect({ how, code: end?.code, outcome: end?.shown?.outcome }).toMatchObject({
      how,
      code: 0,
      outcome: {
        status: 'completed',
        caused: 1,
        possibleAttempt: false,
        attempts: [{ number: 1 }, { number: 2 }],
      },
    });
    expect({ how, ...countsOf(place, id) }).toMatchObject({ how, attempt: 2, retried: 1 });
    const keys = place.sandbox.dossiers
      .received()
      .filter(({ path }) => path.includes(`${id}/retry`))
      .map(({ key }) => key);
    expect(new Set(keys)).toEqual(new Set([expect.stringMatching(/^dossier-retry-[0-9a-f]{64}$/)]));
  }
});

test('a dossier that fails is not tried again unasked, nor beyond the bound', async () => {
  const alone = holdDossier(place, { end: 'failure_retryable' });
  const again = holdDossier(place, { end: [{ kind: 'failure_retryable', times: 3 }] });
  const [unasked, bounded] = await Promise.all([
    followDossier(place, alone),
    followDossier(place, again, '--max-attempts', '2'),
  ]);
  expect(unasked).toMatchObject({
    code: 1,
    shown: { outcome: { status: 'failed', caused: 0, error: { code: 'fonte_indisponivel' } } },
  });
  expect(countsOf(place, alone)).toMatchObject({ retryRequests: 0 });
  expect(bounded?.shown?.outcome).toMatchObject({
    status: 'failed',
    caused: 1,
    attempts: [{ number: 1 }, { number: 2 }],
  });
  expect(countsOf(place, again)).toMatchObject({ attempt: 2, retried: 1 });
});

test('what the service refuses to try again ends with its reason', async () => {
  const permanent = holdDossier(place, { end: 'failure_permanent' });
  const custom = holdDossier(place, {
    mode: 'modular',
    end: 'failure_retryable',
    retry: ['403_custom_not_enabled'],
  });
  const [first, second] = await Promise.all(
    [permanent, custom].map((id) => followDossier(place, id, '--max-attempts', '3')),
  );
  expect(first?.shown?.outcome).toMatchObject({ status: 'failed', caused: 0 });
  expect(countsOf(place, permanent)).toMatchObject({ retryRequests: 0 });
  expect(second).toMatchObject({
    code: 1,
    shown: {
      outcome: { status: 'failed', caused: 0, error: { code: 'dossie_custom_not_enabled' } },
    },
  });
  expect(countsOf(place, custom)).toMatchObject({ attempt: 1, retryRequests: 1 });
});
