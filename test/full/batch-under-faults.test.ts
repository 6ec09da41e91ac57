import { join } from 'node:path';
import { writeFile } from 'node:fs/promises';
import { contradictions, everyFault } from '../support/batch-account';
import {
  Installation,
  eventually,
  readSheetLines,
  sandboxToken,
} from '../support/diligence-process';
import { cnpj, sheetOf } from '../support/documents';

const rows = 300;

const trouble = {
  issuance: { waitingMs: [20, 100], processingMs: [100, 1_500], distribution: 'lognormal' },
  latencyMs: [0, 10],
  background: { rate: 0.1, kinds: everyFault },
} as const;

describe('a batch of 300 rows with 10 % faults of every kind', () => {
  let place: Installation;

  beforeEach(async () => {
    place = await Installation.start(trouble as never);
    await writeFile(join(place.folder, 'input.csv'), sheetOf(rows));
  }, 60_000);

  afterEach(() => place.stop(), 60_000);

  const batch = [
    'certificate',
    'batch',
    '--input',
    'input.csv',
    '--out',
    'out',
    '--deadline',
    '5m',
  ];

  test('accounts for every line, buys nothing twice, and tells exactly the lost answers', async () => {
    await place.startWorker();
    const ended = await place.run(batch);
    const lines = await readSheetLines(join(place.folder, 'out', 'results.csv'));

    expect({ code: ended.code, stderr: ended.code === 3 ? '' : ended.stderr }).toEqual({
      code: 3,
      stderr: '',
    });
    expect(lines.map((line) => line.document)).toEqual(
      Array.from({ length: rows }, (_, index) => cnpj(index + 1)),
    );
    expect(await contradictions(place.sandbox, lines, join(place.folder, 'out'))).toEqual([]);
    const faults = new Set(place.sandbox.received().map(({ fault }) => fault));
    expect(faults.size).toBeGreaterThan(15);

    // Nothing of it may be read where it does not belong.
    const written = [ended.stdout, ended.stderr, await place.workerLog()].join('\n');
    expect(written).not.toContain(sandboxToken);
    for (const { document } of lines) expect(written).not.toContain(document);
  }, 280_000);

  test('comes to the same end when the worker is killed in the middle', async () => {
    const worker = await place.startWorker();
    const command = place.begin(batch);
    await eventually(
      'a third of the rows is requested',
      () => place.sandbox.received().filter(({ method }) => method === 'POST').length > rows / 3,
    );
    worker.kill('SIGKILL');
    const sentBefore = place.sandbox.received().filter(({ method }) => method === 'POST').length;
    await place.startWorker();
    const ended = await command.result;
    const lines = await readSheetLines(join(place.folder, 'out', 'results.csv'));

    expect(ended.code).toBe(3);
    expect(sentBefore).toBeLessThan(rows);
    expect(lines).toHaveLength(rows);
    const wrong = await contradictions(place.sandbox, lines, join(place.folder, 'out'));
    // The answer of at most one row per run in flight (three) died with the worker.
    const diedWithTheWorker = wrong.filter((one) =>
      one.includes('(unknown_outcome): answer was not'),
    );
    expect(wrong).toEqual(diedWithTheWorker);
    expect(diedWithTheWorker.length).toBeLessThanOrEqual(3);
  }, 280_000);
});
