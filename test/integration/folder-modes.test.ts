import { readdir, stat, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { Installation } from '../support/diligence-process';
import { sheetOf } from '../support/documents';

/** Whatever is written tells of people: results, store, keys, backups. */

let place: Installation;
const umask = process.umask();

beforeAll(async () => {
  process.umask(0o022);
  place = await Installation.start(
    { issuance: { waitingMs: [0, 0], processingMs: [10, 20] }, profiles: {} },
    {},
  );
}, 60_000);
afterAll(async () => {
  await place.stop();
  process.umask(umask);
}, 60_000);

/** What somebody else on the machine could read, or enter. */
async function openToOthers(folder: string): Promise<string[]> {
  const open: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const mode = (await stat(path)).mode & 0o777;
    if ((mode & 0o077) !== 0) open.push(`${relative(folder, path)} ${mode.toString(8)}`);
  }
  return open;
}

test('what a batch, its report, an export and a backup write is for its owner alone', async () => {
  await place.startWorker();
  await writeFile(join(place.folder, 'rows.csv'), sheetOf(3));
  const out = ['--out', 'results/of/today'];
  const batch = await place.run(['certificate', 'batch', '--input', 'rows.csv', ...out, '--json']);
  expect(batch).toMatchObject({ code: 0 });
  const { id } = JSON.parse(batch.stdout) as { id: string };
  await writeFile(join(place.folder, 'person.csv'), 'cpf\n52998224725\n');
  const profiles = ['profile', 'batch', '--input', 'person.csv', '--out', 'results/profiles'];
  await place.run(profiles);
  expect(await place.run(['result', id, '--out', 'results/again'])).toMatchObject({ code: 0 });
  expect(await place.run(['audit', 'export', '--out', 'results/audit.jsonl'])).toMatchObject({
    code: 0,
  });
  expect(await place.run(['backup', 'results/backup'])).toMatchObject({ code: 0 });
  for (const folder of ['results', 'data']) {
    expect((await stat(join(place.folder, folder))).mode & 0o777).toBe(0o700);
    expect(await openToOthers(join(place.folder, folder))).toEqual([]);
  }
  const written = await readdir(join(place.folder, 'results'), { recursive: true });
  expect(written.length).toBeGreaterThan(10);
}, 120_000);
