import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { contradictions, isInFlight, postsOf } from '../support/batch-account';
import { Installation, eventually, readSheetLines } from '../support/diligence-process';
import { sheetOf } from '../support/documents';
import { sized } from '../support/full-size';

const stops = sized(3, 10);
const rows = sized(120, 400);

describe('a worker stopped with SIGTERM', () => {
  let place: Installation;

  beforeAll(async () => {
    place = await Installation.start({ latencyMs: [150, 250] });
    await writeFile(join(place.folder, 'input.csv'), sheetOf(rows));
  }, 60_000);

  afterAll(() => place.stop(), 60_000);

  test('again and again during requests, breaks off none of them and leaves no unknown row', async () => {
    const posts = () => postsOf(place.sandbox);
    let worker = await place.startWorker();
    const command = place.begin(['certificate', 'batch', '--input', 'input.csv', '--out', 'out']);
    const inFlightWhenStopped: number[] = [];
    for (let stop = 0; stop < stops; stop += 1) {
      const before = posts().length;
      await eventually(
        'requests are in flight',
        () => posts().length > before && posts().some(isInFlight),
      );
      inFlightWhenStopped.push(posts().filter(isInFlight).length);
      worker.kill('SIGTERM');
      const [code] = (await once(worker, 'exit')) as [number | null];
      expect(code).toBe(0);
      expect(posts().filter(isInFlight)).toEqual([]);
      expect(posts().filter(({ abandoned }) => abandoned)).toEqual([]);
      worker = await place.startWorker();
    }
    const requestedUnderFire = posts().length;

    const ended = await command.result;
    const folder = join(place.folder, 'out');
    const lines = await readSheetLines(join(folder, 'results.csv'));
    expect(ended.code).toBe(0);
    expect(inFlightWhenStopped.every((count) => count > 0)).toBe(true);
    expect(requestedUnderFire).toBeLessThan(rows);
    expect(lines.map(({ status }) => status)).toEqual(Array.from({ length: rows }, () => 'issued'));
    expect(await contradictions(place.sandbox, lines, folder)).toEqual([]);
    expect(place.sandbox.counts().every(({ started }) => started === 1)).toBe(true);
  }, 240_000);
});
