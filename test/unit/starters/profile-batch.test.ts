import { jobFolder } from '../../../src/domain/job';
import { readerOf } from '../../../src/report/reader';
import { ProfileRepository } from '../../../src/store/profiles/profiles';
import { type ProfileOutcome } from '../../../src/domain/profiles/lookup';
import { rowsBy } from '../../../src/starters/jobs/begin/same-request';
import { profileKind } from '../../../src/starters/profiles/kind';
import { lookups } from '../../../src/store/profiles/profiles';
import type { CommandContext } from '../../../src/starters/jobs/context';
import { TemporaryStore, testIdKey } from '../../support/temporary-store';

const cpf = '52998224725';
const name = testIdKey.nameOf('document', cpf);
const jobId = `profile/${name}/20260105T101530123Z`;
const settledAt = '2026-01-05T10:15:31.000Z';

let place: TemporaryStore;
beforeEach(() => {
  place = new TemporaryStore();
});
afterEach(() => place.remove());

/** What a batch would reuse for a person whose lookup has ended like this. */
async function standing(outcome: Partial<ProfileOutcome>, retryRural = false) {
  const file = new ProfileRepository(place.store);
  const record = {
    jobId: jobId,
    name,
    cpf,
    retryRural: false,
    createdAt: settledAt,
    createdBy: 'x',
  };
  await place.store.subjects.add(jobFolder(jobId), [name]);
  await file.putRecord(jobFolder(jobId), record);
  const end = { status: 'found', rural: 'reported', call: 1, settledAt, ...outcome };
  await file.putOutcome(jobFolder(jobId), end as ProfileOutcome);
  const ctx = {
    store: place.store,
    idKey: testIdKey,
    reader: readerOf('en'),
    environment: { language: 'en' },
  } as unknown as CommandContext;
  return rowsBy(ctx, profileKind, lookups(ctx, retryRural), undefined).existing(cpf);
}

test.each<[string, Partial<ProfileOutcome>, boolean]>([
  ['was answered', {}, true],
  ['knows nobody', { status: 'not_found', rural: null, call: null }, true],
  ['was refused', { status: 'refused', rural: null, call: null }, false],
  ['was answered, and erased since', { rural: null, erased: true }, false],
])('a lookup that %s is reused: %#', async (_, outcome, isReused) => {
  expect(await standing(outcome)).toEqual(isReused ? { jobId, ended: true, terms: {} } : null);
});

test.each<[string, Partial<ProfileOutcome>, boolean]>([
  ['failed, and was asked for once', { rural: 'failed' }, false],
  ['failed, and was asked for twice', { rural: 'failed', call: 2 }, true],
  ['came', {}, true],
])('a rural part that %s is asked for again with --retry-rural: %#', async (_, outcome, stands) => {
  expect(await standing(outcome, true)).toEqual(stands ? { jobId, ended: true, terms: {} } : null);
});
