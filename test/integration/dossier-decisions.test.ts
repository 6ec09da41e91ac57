import { eventually, type Installation } from '../support/diligence-process';
import {
  dossierInstallation,
  countsOf,
  dossierCommand,
  followDossier,
  holdDossier,
  slow,
  type DossierResult,
  type DossierScript,
} from '../support/dossier-installation';

/** Dossiers in review, and those that somebody wants cancelled. */

jest.setTimeout(180_000);

interface Begun {
  id: string;
  end: Promise<DossierResult>;
}

let place: Installation;
/** They wait more than they work: all are begun at once, and each test awaits its own. */
let reviews: Record<'decided' | 'accepted' | 'failed' | 'undecided', Begun>;
beforeAll(async () => {
  place = await dossierInstallation();
  const hold = (script: DossierScript) => holdDossier(place, script);
  const held = {
    decided: hold({ end: ['needs_review', 'completed'] }),
    accepted: hold({ end: 'needs_review' }),
    failed: hold({ end: 'needs_review' }),
    undecided: hold({ end: 'needs_review' }),
  };
  const begin = (id: string, ...more: string[]) => ({ id, end: followDossier(place, id, ...more) });
  reviews = {
    decided: begin(held.decided),
    accepted: begin(held.accepted, '--on-review', 'accept'),
    failed: begin(held.failed, '--on-review', 'fail'),
    undecided: begin(held.undecided, '--deadline', '6s'),
  };
});
afterAll(async () => {
  await place.stop();
});

async function inReview(id: string): Promise<void> {
  await eventually('the dossier is in review', async () => {
    const { stdout } = await place.run(['show', `dossier/${id}`]);
    return stdout.includes('waits for a review');
  });
}

test('a review waits for a person, whose decision is checked and kept', async () => {
  const { id, end: following } = reviews.decided;
  await inReview(id);
  const job = `dossier/${id}`;
  await eventually('it is in the inbox', async () => {
    const { stdout } = await place.run(['inbox', '--kind', 'dossier', '--json']);
    return stdout.includes(id) && stdout.includes('"waitsFor": "review"');
  });
  const decide = (by: string, ...words: string[]) =>
    place.run(['resolve', job, '--note', 'seen', '--by', by, ...words]);
  const abandoned = await decide('tester', '--action', 'abandon');
  expect(abandoned).toMatchObject({ code: 1 });
  expect(abandoned.stderr).toContain('does not apply (accept, retry does)');
  expect(await decide('tester', '--action', 'retry')).toMatchObject({ code: 0 });
  expect(await following).toMatchObject({
    code: 0,
    shown: {
      outcome: {
        status: 'completed',
        caused: 1,
        review: { action: 'retry', note: 'seen', by: 'tester' },
        stored: [{ type: 'dossie_pdf' }],
      },
    },
  });
  expect(countsOf(place, id)).toMatchObject({ attempt: 2, retried: 1 });
  const late = await decide('ana', '--action', 'accept');
  expect(late.code).toBe(1);
  expect(late.stderr).toContain('is completed: `--action accept` does not apply');
});

test('a review is accepted, failed or left by the policy, and has its report stored', async () => {
  const [accepted, failed, undecided] = await Promise.all([
    reviews.accepted.end,
    reviews.failed.end,
    reviews.undecided.end,
  ]);
  expect(accepted).toMatchObject({
    code: 0,
    shown: { outcome: { status: 'completed', remote: 'needs_review', review: { by: 'policy' } } },
  });
  expect(failed.code).toBe(1);
  expect(failed.shown?.outcome).toMatchObject({
    status: 'failed',
    stored: [{ type: 'dossie_pdf' }],
  });
  // Nobody decided: at the deadline it is left as what it is.
  expect(undecided).toMatchObject({ code: 3, shown: { outcome: { status: 'needs_review' } } });
});

test('a dossier is cancelled at the service, through who follows it or without', async () => {
  const alone = holdDossier(place, slow);
  const followed = holdDossier(place, slow);
  const cancelled = { code: 0, shown: { outcome: { status: 'cancelled', remote: 'cancelled' } } };
  expect(await dossierCommand(place, ['cancel', alone, '--json'])).toMatchObject(cancelled);
  const following = followDossier(place, followed);
  await eventually('it is read', () => (countsOf(place, followed)?.statusReads ?? 0) > 0);
  expect(await dossierCommand(place, ['cancel', followed, '--json'])).toMatchObject(cancelled);
  expect(await following).toMatchObject(cancelled);
  expect(countsOf(place, followed)).toMatchObject({ cancelRequests: 1 });
});

test('a work that is cancelled leaves the dossier alone, unless it is told otherwise', async () => {
  const cancelWork = async (...more: string[]) => {
    const id = holdDossier(place, slow);
    const following = followDossier(place, id);
    await eventually('it is read', () => (countsOf(place, id)?.statusReads ?? 0) > 0);
    const { code } = await place.run(['cancel', `dossier/${id}`, ...more]);
    expect(code).toBe(0);
    const { shown } = await following;
    return { outcome: shown?.outcome, counts: countsOf(place, id) };
  };
  const ends = await Promise.all([cancelWork(), cancelWork('--cancel-remote')]);
  expect(ends).toMatchObject([
    { outcome: { status: 'cancelled', cancelRequested: false }, counts: { cancelRequests: 0 } },
    { outcome: { status: 'cancelled', cancelRequested: true }, counts: { cancelRequests: 1 } },
  ]);
});

test('the state that is reached is told when the service does not cancel', async () => {
  const refusing = holdDossier(place, { ...slow, waitingMs: [0, 0], cancelling: 'refused' });
  const deaf = holdDossier(place, { ...slow, cancelling: 'runs_on' });
  const cancel = (id: string) => dossierCommand(place, ['cancel', id, '--json']);
  const completing = cancel(deaf);
  const refused = await cancel(refusing);
  await eventually('it was asked', () => (countsOf(place, deaf)?.cancelRequests ?? 0) > 0);
  place.sandbox.clock.advance(700_000);
  const completed = await completing;
  expect(refused).toMatchObject({
    code: 1,
    shown: { outcome: { status: 'refused', remote: 'running' } },
  });
  expect(completed).toMatchObject({
    code: 0,
    shown: { outcome: { status: 'completed', remote: 'completed', cancelRequested: true } },
  });
});
