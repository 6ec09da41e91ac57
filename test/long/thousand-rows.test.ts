import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { contradictions, everyFault } from '../support/batch-account';
import { Installation, readSheetLines } from '../support/diligence-process';
import { cnpj, sheetOf } from '../support/documents';
import { isFullSize, sized } from '../support/full-size';

const rows = sized(350, 1_000);
const laneRows = rows / 5;

const trouble = {
  issuance: { waitingMs: [20, 100], processingMs: [100, 1_500], distribution: 'lognormal' },
  latencyMs: [0, 10],
  background: { rate: 0.1, kinds: everyFault },
} as const;

describe(`${rows} rows with 10 % faults of every kind`, () => {
  let place: Installation;

  beforeEach(async () => {
    place = await Installation.start(trouble as never);
    await place.startWorker();
    await writeFile(join(place.folder, 'input.csv'), sheetOf(rows));
  }, 60_000);

  afterEach(() => place.stop(), 60_000);

  const laneFlags: [title: string, flags: string[]][] = [
    [`lanes of ${laneRows} rows`, ['--lane-rows', `${laneRows}`]],
    // The same with 300 rows is full/batch-under-faults.
    ...(isFullSize ? [['one lane', []] as [string, string[]]] : []),
  ];
  test.each(laneFlags)(
    'in %s: every line accounted for, in order, and nothing bought twice',
    async (_, flags) => {
      const ended = await place.run([
        'certificate',
        'batch',
        '--input',
        'input.csv',
        '--out',
        'out',
        '--deadline',
        '5m',
        // With so much trouble a person would be waited for.
        '--max-unknown',
        `${rows}`,
        ...flags,
      ]);
      const lines = await readSheetLines(join(place.folder, 'out', 'results.csv'));
      expect(ended.code).toBe(3);
      expect(lines.map((line) => line.document)).toEqual(
        Array.from({ length: rows }, (__, index) => cnpj(index + 1)),
      );
      expect(await contradictions(place.sandbox, lines, join(place.folder, 'out'))).toEqual([]);
    },
    580_000,
  );
});
