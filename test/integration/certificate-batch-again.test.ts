import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Installation, readSheetLines } from '../support/diligence-process';
import { cnpj, sheetOf } from '../support/documents';

const started = (place: Installation): number[] =>
  place.sandbox.counts().map((count) => count.started);

describe('one command given more than once', () => {
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

  test('one command run twice at once and once later is one batch', async () => {
    await writeFile(join(place.folder, 'input.csv'), sheetOf(16));
    const [first, second] = await Promise.all([
      place.begin(batch('input.csv', 'a')).result,
      place.run(batch('input.csv', 'b')),
    ]);
    const later = await place.run(batch('input.csv', 'c'));

    expect([first.code, second.code, later.code]).toEqual([0, 0, 0]);
    const ids = [first, second, later].map(
      ({ stdout }) => (JSON.parse(stdout) as { id: string }).id,
    );
    expect(new Set(ids).size).toBe(1);
    expect(started(place)).toEqual(Array.from({ length: 16 }, () => 1));
    const lines = await readSheetLines(join(place.folder, 'c', 'results.csv'));
    expect(lines.every(({ status, attempts }) => status === 'issued' && attempts === '1')).toBe(
      true,
    );
  }, 120_000);

  test('--rerun buys again, on purpose', async () => {
    place.sandbox.reset();
    await writeFile(join(place.folder, 'fresh.csv'), `cnpj,tipo\n${cnpj(7_000)},cnpj\n`);
    await place.run(batch('fresh.csv', 'fresh-1'));
    await place.run(batch('fresh.csv', 'fresh-2', '--rerun'));
    // A reset sandbox counts from nothing: both issuances were started since.
    expect(started(place)).toEqual([2]);
  }, 120_000);
});
