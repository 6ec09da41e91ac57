import { existsSync } from 'node:fs';
import { readdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Installation, eventually, readSheetLines } from '../support/diligence-process';
import { cnpj, sheetOf } from '../support/documents';

/** What was bought after a backup is not bought again unseen, and what was erased does not come back. */

const early = 10;
const late = 100;
const under = { first: 5_000, rows: 60 };
const erased = cnpj(1_003);

let place: Installation;
let backup: string;
const posts = (): number =>
  place.sandbox.received().filter(({ method }) => method === 'POST').length;
const batch = (name: string, ...more: string[]) =>
  place.run(['certificate', 'batch', '--input', `${name}.csv`, ...more]);
const idOf = (stdout: string): string => (JSON.parse(stdout) as { id: string }).id;
const statuses = async (folder: string): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const { status = '' } of await readSheetLines(join(place.folder, folder, 'results.csv')))
    counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

jest.setTimeout(180_000);
beforeAll(async () => {
  place = await Installation.start(
    { issuance: { waitingMs: [10, 20], processingMs: [20, 60], distribution: 'uniform' } },
    { CERTIFICATES_RPS: '200' },
  );
  backup = join(place.folder, 'copies', 'monday');
  await place.startWorker();
});
afterAll(() => place.stop());

test('a backup is made while a batch runs, and nowhere but in a new folder', async () => {
  await writeFile(join(place.folder, 'early.csv'), sheetOf(early, 1_000));
  await writeFile(join(place.folder, 'late.csv'), sheetOf(late, 3_000));
  await writeFile(join(place.folder, 'under.csv'), sheetOf(under.rows, under.first));
  expect((await batch('early')).code).toBe(0);
  const id = idOf((await batch('under', '--concurrency', '2', '--detach', '--json')).stdout);
  await eventually('some of it is requested', () => posts() >= early + 5);
  expect((await place.run(['pause', id])).code).toBe(0);

  expect(await place.run(['backup', place.folder])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is not empty'),
  });
  const made = await place.run(['backup', backup]);
  expect(made).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`${backup}: the store as of`),
  });
  expect(made.stderr).toContain(
    `${join(place.folder, 'data', 'id-key')} and DILIGENCE_PAYLOAD_KEYS`,
  );
  expect((await place.run(['resume', id])).code).toBe(0);
  expect((await batch('under')).code).toBe(0);
});

test('one a day is kept in the data directory, for seven days', async () => {
  const daily = async (): Promise<string> => (await place.run(['backup', '--daily'])).stdout;
  const folder = join(place.folder, 'data', 'backups');
  expect(await daily()).toContain(`${folder}/`);
  expect(await daily()).toContain('nothing to do');
  const [first = ''] = await readdir(folder);
  const yesterday = (Date.now() - 25 * 3_600_000) / 1_000;
  const earlier = join(folder, '2020-01-01T030000Z');
  await rename(join(folder, first), earlier);
  await utimes(earlier, yesterday, yesterday);
  expect(await daily()).toContain(`${folder}/`);
  // The older one is gone, and the new one is there.
  expect(await readdir(folder)).toEqual([expect.not.stringContaining('2020')]);
  await rm(folder, { recursive: true });
});

test('restored, nothing that was bought since is bought again unseen', async () => {
  expect((await batch('late')).code).toBe(0);
  const words = ['erase', '--document', erased, '--reason', 'request 7', '--yes'];
  const gone = await place.run(words);
  expect(gone).toMatchObject({ code: 0, stdout: expect.stringContaining('the backup at') });
  const bought = posts();
  expect(bought).toBe(early + under.rows + late);

  await place.stopWorkers();
  const store = join(place.folder, 'data', 'store');
  expect(await place.run(['restore', backup])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('holds a store: move it away first'),
  });
  await rename(store, `${store}-lost`);
  const restored = await place.run(['restore', backup, '--json']);
  expect(JSON.parse(restored.stdout)).toMatchObject({ openJobs: 1, erasures: 1 });
  await place.startWorker();

  const waiting = async (): Promise<string[]> => {
    const { stdout } = await place.run(['inbox', '--json']);
    return (JSON.parse(stdout) as { jobs: { id: string }[] }).jobs.map(({ id }) => id);
  };
  expect(await waiting()).toHaveLength(1);
  const again = await batch('late', '--out', 'late-again');
  expect(again.code).toBe(3);
  expect(await statuses('late-again')).toEqual({ unknown_outcome: late });
  const [line] = await readSheetLines(join(place.folder, 'late-again', 'results.csv'));
  expect(JSON.stringify(line)).toContain('restored from a backup');
  const goneOn = await batch('under', '--out', 'under-again');
  expect(goneOn.code).toBe(3);
  // Both have ended, with rows that nobody has decided about.
  expect(await waiting()).toHaveLength(2);
  const counts = await statuses('under-again');
  expect((counts['issued'] ?? 0) + (counts['unknown_outcome'] ?? 0)).toBe(under.rows);
  expect(counts['issued']).toBeGreaterThanOrEqual(5);
  expect((await batch('early')).code).toBe(0);
  expect(posts()).toBe(bought);
});

test('what was erased after the backup does not come back', async () => {
  const left = await place.run(['erase', '--document', erased, '--dry-run', '--json']);
  expect(JSON.parse(left.stdout)).toMatchObject({ rows: 0, jobs: [] });
  expect((await place.run(['audit', 'verify'])).code).toBe(0);
  // The next restore from it erases what is erased from now on, too.
  const later = ['erase', '--document', cnpj(1_004), '--reason', 'request 8', '--yes'];
  expect((await place.run(later)).stdout).toContain('the backup at');
  expect(await readdir(join(backup, 'erasures'))).toHaveLength(2);
});

test('a person decides about each, or says that all was looked up', async () => {
  const before = posts();
  const [, id = ''] = /(certificate-batch\/\w+)/.exec((await batch('late')).stderr) ?? [];
  const some = ['--line', '2,3', '--action', 'reissue', '--note', 'not at the service'];
  const decided = await place.run(['resolve', id, ...some]);
  expect(decided.code).toBe(3);
  expect(posts()).toBe(before + 2);

  await writeFile(join(place.folder, 'new.csv'), sheetOf(3, 9_000));
  expect((await batch('new')).code).toBe(3);
  expect(posts()).toBe(before + 2);
  expect(await place.run(['restore', '--settled'])).toMatchObject({ code: 2 });
  const doubt = expect.stringContaining('it was restored: what it has no record of');
  expect((await place.run(['doctor'])).stdout).toEqual(doubt);
  const settled = ['restore', '--settled', '--note', 'the list of the service was read'];
  expect((await place.run(settled)).code).toBe(0);
  expect((await place.run(['doctor'])).stdout).not.toEqual(doubt);
  await writeFile(join(place.folder, 'newer.csv'), sheetOf(3, 9_100));
  expect((await batch('newer')).code).toBe(0);
  expect(posts()).toBe(before + 5);
});

test('a store that other tools brought back begins a new epoch in its place', async () => {
  await place.stopWorkers();
  const begun = await place.run(['restore', '--in-place']);
  expect(begun).toMatchObject({ code: 0, stdout: expect.stringContaining('unknown_outcome') });
  await place.startWorker();
  const before = posts();
  await writeFile(join(place.folder, 'newest.csv'), sheetOf(3, 9_200));
  expect((await batch('newest')).code).toBe(3);
  expect(posts()).toBe(before);
});

test('a backup that is damaged, or of other keys, is refused, and nothing stays of it', async () => {
  const nowhere = join(place.folder, 'elsewhere');
  const env = { DILIGENCE_DATA_DIR: nowhere };
  const otherKey = { ...env, DILIGENCE_ID_KEY: 'ab'.repeat(32) };
  expect(await place.run(['restore', backup], env)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`put back ${join(nowhere, 'id-key')}`),
  });
  expect(await place.run(['restore', join(place.folder, 'data')], otherKey)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is no backup'),
  });
  expect(await place.run(['restore', backup], otherKey)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('was made with another id key'),
  });
  expect(existsSync(join(nowhere, 'store'))).toBe(false);
});
