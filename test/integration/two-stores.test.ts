import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { contradictions, postsOf } from '../support/batch-account';
import { Installation, eventually, readSheetLines } from '../support/diligence-process';
import { sheetOf } from '../support/documents';

const rows = 25;

describe('a second data directory on the same Temporal server', () => {
  let place: Installation;

  beforeAll(async () => {
    place = await Installation.start(
      { issuance: { waitingMs: [20, 50], processingMs: [300, 900], distribution: 'uniform' } },
      // The same names for the same documents: only the stores differ.
      { DILIGENCE_ID_KEY: randomBytes(32).toString('hex') },
    );
    await writeFile(join(place.folder, 'input.csv'), sheetOf(rows));
    await place.startWorkerHere();
  }, 60_000);

  afterAll(() => place.stop(), 60_000);

  test('gets no worker and no work: both are refused with the reason, and nothing is sent twice', async () => {
    const elsewhere = { DILIGENCE_DATA_DIR: join(place.folder, 'elsewhere') };
    const batch = ['certificate', 'batch', '--input', 'input.csv'];
    const first = place.run([...batch, '--out', 'out']);
    await eventually('the batch is under way', () => postsOf(place.sandbox).length > 5);

    const [worker, command] = await Promise.all([
      place.begin(['worker'], elsewhere).result,
      place.run([...batch, '--out', 'other'], elsewhere),
    ]);
    const reason = /namespace test-\S+ at \S+ belongs to the store [0-9a-f]{8}, and two stores/;
    for (const refused of [worker, command]) {
      expect(refused).toMatchObject({ code: 2, stderr: expect.stringMatching(reason) });
      expect(refused.stderr).toContain('DILIGENCE_STORE_URL');
    }

    expect((await first).code).toBe(0);
    const folder = join(place.folder, 'out');
    const lines = await readSheetLines(join(folder, 'results.csv'));
    expect(lines.every(({ status }) => status === 'issued')).toBe(true);
    expect(await contradictions(place.sandbox, lines, folder)).toEqual([]);
    expect(postsOf(place.sandbox)).toHaveLength(rows);
  }, 120_000);

  test('serves it once the first store is given', async () => {
    const elsewhere = {
      DILIGENCE_DATA_DIR: join(place.folder, 'elsewhere'),
      DILIGENCE_STORE_URL: join(place.folder, 'data', 'store'),
    };
    await expect(place.startWorker(elsewhere)).resolves.toBeDefined();
  }, 60_000);
});
