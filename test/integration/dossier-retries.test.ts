import type { Installation } from '../support/diligence-process';
import {
  countsOf,
  dossierInstallation,
  followDossier,
  holdDossier,
  type DossierResult,
  type DossierScript,
} from '../support/dossier-installation';

/** A dossier that failed is tried again as often as was asked for, and never twice for once. */

jest.setTimeout(180_000);

/** What can happen to the retry of an attempt; only the first may begin one. */
const lossesOfRetry = [
  ['its answer is lost', ['504_after']],
  ['its answer is cut', ['cut_answer']],
  ['its answer cannot be read', ['unreadable_2xx']],
  ['it is lost on the way, and its answer the next time', ['reset_before', 'reset_after']],
  ['it is turned away for a while', ['429', '503', '409_retryable']],
  ['the service breaks before and after it', ['500_html', '500_html_after']],
] as const;

interface Begun {
  id: string;
  end: Promise<DossierResult>;
}

let place: Installation;
/** They wait more than they work: all are begun at once, and each test awaits its own. */
let lossy: Begun[];
let failing: Record<'alone' | 'again' | 'permanent' | 'custom', Begun>;
beforeAll(async () => {
  place = await dossierInstallation();
  const begin = (script: DossierScript, ...more: string[]): Begun => {
    const id = holdDossier(place, script);
    return { id, end: followDossier(place, id, ...more) };
  };
  lossy = lossesOfRetry.map(([, faults]) => {
    const script: DossierScript = { end: ['failure_retryable', 'completed'], retry: [...faults] };
    return begin(script, '--max-attempts', '2');
  });
  failing = {
    alone: begin({ end: 'failure_retryable' }),
    again: begin({ end: [{ kind: 'failure_retryable', times: 3 }] }, '--max-attempts', '2'),
    permanent: begin({ end: 'failure_permanent' }, '--max-attempts', '3'),
    custom: begin(
      { mode: 'modular', end: 'failure_retryable', retry: ['403_custom_not_enabled'] },
      '--max-attempts',
      '3',
    ),
  };
});
afterAll(async () => {
  await place.stop();
});

test('one attempt is begun whatever is lost on the way', async () => {
  for (const [nth, { id, end: following }] of lossy.entries()) {
    const [how] = lossesOfRetry[nth] ?? [];
    const end = await following;
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
  const { again, alone } = failing;
  expect(await alone.end).toMatchObject({
    code: 1,
    shown: { outcome: { status: 'failed', caused: 0, error: { code: 'fonte_indisponivel' } } },
  });
  expect(countsOf(place, alone.id)).toMatchObject({ retryRequests: 0 });
  expect((await again.end).shown?.outcome).toMatchObject({
    status: 'failed',
    caused: 1,
    attempts: [{ number: 1 }, { number: 2 }],
  });
  expect(countsOf(place, again.id)).toMatchObject({ attempt: 2, retried: 1 });
});

test('what the service refuses to try again ends with its reason', async () => {
  const { custom, permanent } = failing;
  expect((await permanent.end).shown?.outcome).toMatchObject({ status: 'failed', caused: 0 });
  expect(countsOf(place, permanent.id)).toMatchObject({ retryRequests: 0 });
  expect(await custom.end).toMatchObject({
    code: 1,
    shown: {
      outcome: { status: 'failed', caused: 0, error: { code: 'dossie_custom_not_enabled' } },
    },
  });
  expect(countsOf(place, custom.id)).toMatchObject({ attempt: 1, retryRequests: 1 });
});
