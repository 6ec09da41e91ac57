import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Installation, readSheetLines } from '../support/diligence-process';
import { cnpj, sheetOf } from '../support/documents';
import { sized } from '../support/full-size';

const shared = sized(16, 100);
/** Of each of two files, beside those that they share. */
const ownRows = sized(6, 40);

const started = (place: Installation): number[] =>
  place.sandbox.counts().map((count) => count.started);

describe('the same thing asked for more than once', () => {
  let place: Installation;

  beforeAll(async () => {
    place = await Installation.start({
      issuance: { waitingMs: [20, 50], processingMs: [100, 400], distribution: 'uniform' },
    } as never);
    await place.startWorkerHere();
  }, 60_000);

  afterAll(() => place.stop(), 60_000);

  const batch = (input: string, out: string, ...more: string[]): string[] => [
    'certificate',
    'batch',
    '--input',
    input,
    '--out',
    out,
    '--json',
    ...more,
  ];

  const bought = shared + 2 * ownRows;

  test(`two files that share ${shared} documents buy each once`, async () => {
    await writeFile(join(place.folder, 'left.csv'), sheetOf(shared + ownRows, 1_000));
    await writeFile(join(place.folder, 'right.csv'), sheetOf(shared + ownRows, 1_000 + ownRows));
    const ended = await Promise.all([
      place.run(batch('left.csv', 'left')),
      place.run(batch('right.csv', 'right')),
    ]);
    expect(ended.map(({ code }) => code)).toEqual([0, 0]);
    expect(started(place)).toEqual(Array.from({ length: bought }, () => 1));
  }, 120_000);

  test('a file that was corrected buys only what is new', async () => {
    await writeFile(join(place.folder, 'corrected.csv'), sheetOf(shared, 1_000));
    const dry = await place.run([...batch('corrected.csv', 'dry'), '--dry-run']);
    expect(JSON.parse(dry.stdout)).toMatchObject({ request: 0, reuse: shared, unknown: 0 });
    await writeFile(join(place.folder, 'longer.csv'), sheetOf(bought + 10, 1_000));
    const longer = await place.run(batch('longer.csv', 'longer'));
    expect(longer.code).toBe(0);
    expect(started(place)).toEqual(Array.from({ length: bought + 10 }, () => 1));
    const lines = await readSheetLines(join(place.folder, 'longer', 'results.csv'));
    expect(lines.filter(({ note }) => note.includes('reused'))).toHaveLength(bought);
  }, 120_000);

  test('a single issuance shares what a batch has bought', async () => {
    const args = ['certificate', 'issue', '--type', 'cnpj', '--document', cnpj(1_002), '--json'];
    const issued = await place.run(args);
    expect(issued.code).toBe(0);
    const { outcome } = JSON.parse(issued.stdout) as { outcome: { status: string; note: string } };
    expect(outcome.status).toBe('issued');
    expect(place.sandbox.counts().filter(({ document }) => document === cnpj(1_002))).toEqual([
      expect.objectContaining({ started: 1 }),
    ]);
  }, 60_000);
});
