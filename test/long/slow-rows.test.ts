import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { postsOf } from '../support/batch-account';
import { Installation, eventually, readSheetLines } from '../support/diligence-process';
import { cnpj, sheetOf } from '../support/documents';
import { sized } from '../support/full-size';
import { eventCount, historiesOf } from '../support/histories';
import { MachineLoad } from '../support/machine-load';

const rows = sized(105, 300);
const stuckRows = sized(7, 20);
const stuck = Array.from({ length: stuckRows }, (_, index) => cnpj(index * 15 + 1));
/** Three runs at a time, each waiting this long for an answer: four requests a second. */
const requestMs = 740;

describe(`${rows} rows at four requests a second, ${stuckRows} of which never settle`, () => {
  let place: Installation;

  beforeAll(async () => {
    const request = [{ kind: 'slow', delayMs: requestMs, times: 'forever' } as const];
    place = await Installation.start({
      issuance: { waitingMs: [100, 300], processingMs: [800, 2_500], distribution: 'uniform' },
      documents: {
        '*': { request },
        ...Object.fromEntries(
          stuck.map((one) => [one, { request, end: 'never_settles' as const }]),
        ),
      },
    });
    await place.startWorker();
    await writeFile(join(place.folder, 'input.csv'), sheetOf(rows));
  }, 60_000);

  afterAll(() => place.stop(), 60_000);

  /** From the end of each issuance to the fetch of its PDF, in the order of the requests. */
  function lags(): { document: string; ageMs: number; lagMs: number }[] {
    const fetchedAt = new Map<string, number>();
    for (const { path, subject: document, at } of place.sandbox.received()) {
      if (path.endsWith('/pdf') && document !== null && !fetchedAt.has(document)) {
        fetchedAt.set(document, Date.parse(at));
      }
    }
    return place.sandbox
      .state()
      .certificates.filter(({ document }) => !stuck.includes(document))
      .map(({ document, certificate }) => {
        const { created_at: createdAt, completed_at: completedAt } = certificate as {
          created_at: string;
          completed_at: string;
        };
        const endedAt = Date.parse(completedAt);
        const lagMs = (fetchedAt.get(document) ?? Infinity) - endedAt;
        return { document, ageMs: endedAt - Date.parse(createdAt), lagMs };
      });
  }

  test('settles the others as if those were not there', async () => {
    const load = new MachineLoad();
    const started = await place.run([
      'certificate',
      'batch',
      '--input',
      'input.csv',
      '--concurrency',
      `${sized(30, 60)}`,
      '--detach',
      '--json',
    ]);
    const { id } = JSON.parse(started.stdout) as { id: string };
    await eventually(
      'every other row has its PDF',
      () => place.sandbox.counts().filter(({ pdfs }) => pdfs > 0).length === rows - stuck.length,
      180_000,
    );

    const slowness = load.slowness();
    const settled = lags();
    expect(settled).toHaveLength(rows - stuck.length);
    // A read is due a quarter of the age after the last one; the rest is for a slow machine.
    const late = settled.filter(({ ageMs, lagMs }) => lagMs > ageMs / 2 + 2_000 * slowness);
    expect(late.length).toBeLessThanOrEqual(settled.length * 0.05);
    // None had to wait until a watch over rows that do not settle came to its bound, and once more.
    expect(late.filter(({ lagMs }) => lagMs > 8_000 * slowness)).toEqual([]);
    // With all of those under watch no worse than with the first few.
    const third = Math.floor(settled.length / 3);
    const few = median(settled.slice(0, third).map(({ lagMs }) => lagMs));
    const all = median(settled.slice(-third).map(({ lagMs }) => lagMs));
    expect(all).toBeLessThan(few * 1.5 + 200 * slowness);
    const arrivals = postsOf(place.sandbox).map(({ at }) => Date.parse(at));
    const seconds = ((arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0)) / 1_000;
    // What the service's answers allow, less a fifth for the gaps between runs.
    expect(rows / seconds).toBeGreaterThan(((3_000 / requestMs) * 0.8) / slowness);

    expect(eventCount(await historiesOf(await place.client(), id)) / rows).toBeLessThanOrEqual(12);

    expect((await place.run(['cancel', id, '--now'])).code).toBe(0);
    await eventually('the batch has ended', async () => {
      const { stdout } = await place.run(['show', id, '--json']);
      return (JSON.parse(stdout) as { outcome: unknown }).outcome !== null;
    });
    await place.run(['result', id, '--out', 'out']);
    const lines = await readSheetLines(join(place.folder, 'out', 'results.csv'));
    const left = lines.filter(({ status }) => status === 'cancelled');
    expect(left.map(({ document }) => document)).toEqual(stuck);
    expect(left.every(({ certidao_id: certidaoId }) => certidaoId !== '')).toBe(true);
    expect(lines.filter(({ status }) => status === 'issued')).toHaveLength(rows - stuck.length);
  }, 300_000);
});

/** Calls a second. */
const rate = sized(6, 4);

describe(`60 rows at a rate of ${rate} calls a second`, () => {
  let place: Installation;

  beforeAll(async () => {
    place = await Installation.start(
      { issuance: { waitingMs: [0, 500], processingMs: [500, 4_000], distribution: 'uniform' } },
      { CERTIFICATES_RPS: `${rate}` },
    );
    await place.startWorker();
    await writeFile(join(place.folder, 'input.csv'), sheetOf(60));
  }, 60_000);

  afterAll(() => place.stop(), 60_000);

  test('write at most twelve events a row', async () => {
    const ended = await place.run([
      'certificate',
      'batch',
      '--input',
      'input.csv',
      '--out',
      'out',
      '--json',
    ]);
    const { id } = JSON.parse(ended.stdout) as { id: string };
    expect(ended.code).toBe(0);
    expect(eventCount(await historiesOf(await place.client(), id)) / 60).toBeLessThanOrEqual(12);
  }, 240_000);
});

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Infinity;
}
