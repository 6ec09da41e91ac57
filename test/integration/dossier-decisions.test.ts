import { eventually, type Installation } from '../support/diligence-process';
import {
  dossierInstallation,
  countsOf,
  dossierCommand,
  followDossier,
  holdDossier,
  slow,
} from '../support/dossier-installation';

/** Dossiers in review, and those that somebody wants cancelled. */

jest.setTimeout(180_000);

let place: Installation;
beforeAll(async () => {
  place = await dossierInstallation();
});
afterAll(async () => {
  await place.stop();
});

async function inReview(id: string): Promise<void> {
  await eventually('the dossier is in review', async () => {
    const { stdout } = await place.run(['status', `dossier/${id}`]);
    return stdout.includes('waits for a review');
  });
}

test('a review waits for a person, whose decision is checked and kept', async () => {
  const id = holdDossier(place, { end: ['needs_review', 'completed'] });
  const following = followDossier(place, id);
  await inReview(id);
  const decide = (...words: string[]) =>
    dossierCommand(place, ['decide', '--id', id, '--note', 'seen', ...words]);
  const refused = await decide('--action', 'retry');
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.stderr).toContain('decide with --max-attempts 2');
  expect(await decide('--action', 'retry', '--max-attempts', '2')).toMatchObject({ code: 0 });
  expect(await following).toMatchObject({
    code: 0,
    shown: {
      outcome: {
        status: 'completed',
        caused: 1,
        review: { action: 'retry', note: 'seen', by: 'tester' },
        filed: [{ type: 'dossie_pdf' }],
      },
    },
  });
  expect(countsOf(place, id)).toMatchObject({ attempt: 2, retried: 1 });
  const late = await decide('--action', 'accept');
  expect(late.code).toBe(1);
  expect(late.stderr).toContain('has ended (completed)');
});

test('a review is accepted, failed or left by the policy, and has its report filed', async () => {
  const [accepted, failed, undecided] = await Promise.all([
    followDossier(place, holdDossier(place, { end: 'needs_review' }), '--on-review', 'accept'),
    followDossier(place, holdDossier(place, { end: 'needs_review' }), '--on-review', 'fail'),
    followDossier(place, holdDossier(place, { end: 'needs_review' }), '--deadline', '6s'),
  ]);
  expect(accepted).toMatchObject({
    code: 0,
    shown: { outcome: { status: 'completed', remote: 'needs_review', review: { by: 'policy' } } },
  });
  expect(failed.code).toBe(1);
  expect(failed.shown?.outcome).toMatchObject({
    status: 'failed',
    filed: [{ type: 'dossie_pdf' }],
  });
  // Nobody decided: at the deadline it is left as what it is.
  expect(undecided).toMatchObject({ code: 3, shown: { outcome: { status: 'needs_review' } } });
});

test('a dossier is cancelled at the service, through who follows it or without', async () => {
  const alone = holdDossier(place, slow);
  const cancelled = { code: 0, shown: { outcome: { status: 'cancelled', remote: 'cancelled' } } };
  expect(await dossierCommand(place, ['cancel', '--id', alone, '--json'])).toMatchObject(cancelled);
  const followed = holdDossier(place, slow);
  const following = followDossier(place, followed);
  await eventually('it is read', () => (countsOf(place, followed)?.statusReads ?? 0) > 0);
  expect(await dossierCommand(place, ['cancel', '--id', followed, '--json'])).toMatchObject(
    cancelled,
  );
  expect(await following).toMatchObject(cancelled);
  expect(countsOf(place, followed)).toMatchObject({ cancelRequests: 1 });
});

test('a work that is cancelled leaves the dossier alone, unless it is told otherwise', async () => {
  for (const [more, requests] of [
    [[], 0],
    [['--cancel-remote'], 1],
  ] as const) {
    const id = holdDossier(place, slow);
    const following = followDossier(place, id);
    await eventually('it is read', () => (countsOf(place, id)?.statusReads ?? 0) > 0);
    const { code } = await place.run(['cancel', `dossier/${id}`, ...more]);
    expect(code).toBe(0);
    expect((await following).shown?.outcome).toMatchObject({
      status: 'cancelled',
      cancelRequested: requests === 1,
    });
    expect(countsOf(place, id)).toMatchObject({ cancelRequests: requests });
  }
});

test('the state that is reached is told when the service does not cancel', async () => {
  const refusing = holdDossier(place, { ...slow, cancelling: 'refused' });
  const deaf = holdDossier(place, { processingMs: [4_000, 4_000], cancelling: 'runs_on' });
  const cancel = (id: string) => dossierCommand(place, ['cancel', '--id', id, '--json']);
  const [refused, completed] = await Promise.all([cancel(refusing), cancel(deaf)]);
  expect(refused).toMatchObject({
    code: 1,
    shown: { outcome: { status: 'refused', remote: 'running' } },
  });
  expect(completed).toMatchObject({
    code: 0,
    shown: { outcome: { status: 'completed', remote: 'completed', cancelRequested: true } },
  });
});
