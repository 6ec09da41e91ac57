import { ActivityEnvironment } from '../../support/activity-environment';
import { createDossierBatchActivities } from '../../../src/activities/dossiers/batches';
import type { DossierDependencies } from '../../../src/activities/dependencies';
import { DossierBatchRepository } from '../../../src/store/dossiers/dossier-batches';
import type { Page } from '../../../src/apis/investigation/pages';
import type { Dossier } from '../../../src/domain/dossiers/dossier';
import { newStore } from '../../support/new-store';

const ref = { workId: 'dossier-batch/1', folder: 'dossier-batches/1' };

/** Plans over a list that answers one page for ever. */
async function planned(page: Partial<Page<Dossier>>) {
  const store = newStore();
  const file = new DossierBatchRepository(store);
  await file.putRecord(ref.folder, {
    workId: ref.workId,
    terms: { since: null, limit: 20, maxAttempts: null },
    since: null,
    onReview: 'leave',
    createdAt: 't',
    createdBy: 'p',
  });
  const one = { items: [], nextCursor: null, hasMore: false, ids: 'sum', ...page };
  const { planRetries } = createDossierBatchActivities({
    dossiers: { list: async () => one },
    store,
    stopping: new AbortController().signal,
    warn: () => undefined,
    now: () => 0,
    random: () => 0.5,
  } as unknown as DossierDependencies);
  const order = { ref, deadlineAt: 3_600_000, since: 0, seen: 'planning' };
  const waited = await new ActivityEnvironment().run(() => planRetries(order));
  return { waited, plan: await file.plan(ref.folder) };
}

it.each([
  ['repeats itself', { nextCursor: 'c', hasMore: true }, 'repeated_cursor', /CURSOR_PARAM/],
  ['names no way to what follows', { hasMore: true }, 'no_cursor', /there is more/],
])('a list that %s is told as at fault, and nothing is planned', async (_, page, code, message) => {
  expect(await planned(page)).toMatchObject({
    waited: {
      kind: 'settled',
      value: { fault: { code, message: expect.stringMatching(message) } },
    },
    plan: null,
  });
});

it('what was read to its end is the plan', async () => {
  const { plan, waited } = await planned({});
  expect(waited).toEqual({ kind: 'settled', value: plan });
});
