import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ProfileRepository } from '../../../src/store/profiles/profiles';
import type { ProfileOutcome, ProfileRecord } from '../../../src/domain/profiles/lookup';
import { profileKind } from '../../../src/starters/profiles/kind';
import type { CommandContext } from '../../../src/starters/jobs/context';
import type { EndedJob } from '../../../src/starters/jobs/job-kind';
import { personProfile } from '../../support/profile-answers';
import { TemporaryStore } from '../../support/temporary-store';

let place: TemporaryStore;
beforeEach(() => {
  place = new TemporaryStore();
});
afterEach(() => place.remove());

async function written(person: string, answer: object): Promise<string[]> {
  const { store } = place;
  const outcomesIn = `profiles/${person}/1`;
  await new ProfileRepository(store).putAnswer(outcomesIn, Buffer.from(JSON.stringify(answer)), 1);
  const folder = join(place.folder, 'out');
  await profileKind.export?.(
    { store } as unknown as CommandContext,
    { folder: outcomesIn, outcome: { call: 1 } } as EndedJob<ProfileRecord, ProfileOutcome>,
    folder,
    { lang: 'en', excel: false, html: false, pdfNames: 'id' },
  );
  return (await readdir(folder)).sort();
}

test('a folder that had the profile of one person has nothing of it beside the next one', async () => {
  expect(await written('a', personProfile())).toEqual(
    expect.arrayContaining(['rural_infracoes.csv', 'veiculos.csv']),
  );
  await writeFile(join(place.folder, 'out', 'notes.txt'), 'mine');
  await writeFile(join(place.folder, 'out', 'report.html'), 'of another one');
  const bare = { veiculos: [], rural: null };
  expect(await written('b', bare)).toEqual(['notes.txt', 'profile.json', 'veiculos.csv']);
});

test('an answer that begins with a byte order mark is read as the others are', async () => {
  const body = Buffer.from(`\ufeff${JSON.stringify(personProfile())}`);
  await new ProfileRepository(place.store).putAnswer('profiles/c/1', body, 1);
  const job = { folder: 'profiles/c/1', outcome: { call: 1 } };
  const found = await profileKind.findings?.(job, place.store);
  expect(found?.result).toEqual(personProfile());
});
