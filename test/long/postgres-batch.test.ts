import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { contradictions, explainedByDeath, postsOf } from '../support/batch-account';
import { Installation, eventually, readSheetLines } from '../support/diligence-process';
import { cnpj, sheetOf } from '../support/documents';
import { sized } from '../support/full-size';
import { PostgresServer } from '../support/postgres-server';

const rows = sized(200, 5_000);
const batch = ['certificate', 'batch', '--input', 'input.csv', '--out', 'out', '--deadline', '5m'];

describe('two workers of two data directories on one PostgreSQL', () => {
  let database: PostgresServer;
  let place: Installation;

  beforeAll(async () => {
    database = await PostgresServer.start();
    place = await Installation.start(
      {
        latencyMs: [20, 60],
        issuance: { waitingMs: [20, 50], processingMs: [500, 1_500], distribution: 'uniform' },
      },
      {
        DILIGENCE_STORE_URL: database.url(),
        DILIGENCE_BLOBS_URL: join(database.shared, 'blobs'),
        DILIGENCE_ID_KEY: 'ab'.repeat(32),
      },
    );
  }, 60_000);

  afterAll(async () => {
    await place.stop();
    await database.stop();
  }, 60_000);

  const bought = (): number => postsOf(place.sandbox).filter(({ accepted }) => accepted).length;

  test('drive one batch, one of them killed and the database killed in the middle, and buy nothing twice', async () => {
    await writeFile(join(place.folder, 'input.csv'), sheetOf(rows));
    const [first] = await Promise.all([
      place.startWorker(),
      place.startWorker({ DILIGENCE_DATA_DIR: join(place.folder, 'data-2') }),
    ]);
    const command = place.begin(batch);
    await eventually('a part is bought', () => bought() > 30);
    await database.down('SIGKILL');
    await database.up();
    await eventually('it goes on', () => bought() > rows / 2, 300_000);
    first.kill('SIGKILL');
    await once(first, 'exit');

    const { code } = await command.result;
    const folder = join(place.folder, 'out');
    const lines = await readSheetLines(join(folder, 'results.csv'));
    expect(lines.map(({ document }) => document)).toEqual(
      Array.from({ length: rows }, (_, index) => cnpj(index + 1)),
    );
    const { died, wrong } = explainedByDeath(await contradictions(place.sandbox, lines, folder));
    expect(wrong).toEqual([]);
    const unknown = lines.filter(({ status }) => status === 'unknown_outcome');
    // One of each run that the killed worker had in flight.
    expect(unknown.length).toBeLessThanOrEqual(3);
    expect(died.length).toBeLessThanOrEqual(unknown.length);
    expect(code).toBe(unknown.length === 0 ? 0 : 3);
  }, 900_000);

  test('show the job, its end and its audit trail to any process', async () => {
    const { stdout } = await place.run(['list', '--json']);
    const { jobs } = JSON.parse(stdout) as { jobs: { kind: string; status: string | null }[] };
    expect(jobs).toMatchObject([{ kind: 'certificate-batch', status: expect.any(String) }]);
    const verified = await place.run(['audit', 'verify']);
    expect([verified.code, verified.stdout]).toEqual([0, expect.stringContaining('intact')]);
    const doctor = await place.run(['doctor']);
    expect(doctor.stdout).toMatch(/PostgreSQL 18/);
    expect(doctor.stdout).not.toContain('diligence@');
  }, 60_000);
});
