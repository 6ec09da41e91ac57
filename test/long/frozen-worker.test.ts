import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { allAttempts, storeIn } from '../support/temporary-store';
import { isInFlight, postsOf } from '../support/batch-account';
import { Installation, eventually, readSheetLines } from '../support/diligence-process';
import { sheetOf } from '../support/documents';

const rows = 60;
const runsInFlight = 3;
const hourMs = 3_600_000;

describe('a worker frozen in the middle of its runs, and thawed when another has recovered them', () => {
  let place: Installation;

  beforeAll(async () => {
    place = await Installation.start({
      issuance: { waitingMs: [0, 0], processingMs: [hourMs, hourMs], distribution: 'uniform' },
      latencyMs: [300, 400],
    });
    await writeFile(join(place.folder, 'input.csv'), sheetOf(rows));
  }, 60_000);

  afterAll(() => place.stop(), 60_000);

  /** Claims under which something may have been sent, each with the receipt that stands. */
  async function claims(): Promise<{ receipt: string | null }[]> {
    const all = await allAttempts(storeIn(place.folder));
    return all
      .filter(({ claim }) => claim.kind === 'send')
      .map(({ receipt }) => ({ receipt: receipt?.kind ?? null }));
  }

  test('takes no further claim, and its late receipts are taken up before the batch ends', async () => {
    const frozen = await place.startWorker();
    const command = place.begin([
      'certificate',
      'batch',
      '--input',
      'input.csv',
      '--out',
      'out',
      '--deadline',
      '10m',
    ]);
    const posts = () => postsOf(place.sandbox);
    await eventually('runs are under way', () => posts().length > 8 && posts().some(isInFlight));
    frozen.kill('SIGSTOP');
    const sentBefore = posts().length;
    expect(sentBefore).toBeLessThan(rows - 10);

    await place.startWorker();
    const listed = await place.run(['list', '--json']);
    const { id } = (JSON.parse(listed.stdout) as { jobs: [{ id: string }] }).jobs[0];
    interface Progress {
      counts: { unknown: number };
      outstanding: number;
    }
    let unknown = 0;
    await eventually(
      'every row is requested or of unknown outcome',
      async () => {
        const { stdout } = await place.run(['show', id, '--json']);
        const { progress } = JSON.parse(stdout) as { progress: Progress | null };
        unknown = progress?.counts.unknown ?? 0;
        return progress !== null && unknown + progress.outstanding === rows;
      },
      240_000,
    );
    const claimed = await claims();
    const withoutReceipt = claimed.filter(({ receipt }) => receipt === null).length;
    expect(unknown).toBe(withoutReceipt);
    expect(unknown).toBeGreaterThanOrEqual(1);
    expect(unknown).toBeLessThanOrEqual(runsInFlight);
    const sentByThen = posts().length;

    frozen.kill('SIGCONT');
    await eventually('every claim has its receipt', async () =>
      (await claims()).every(({ receipt }) => receipt !== null),
    );
    // Whoever would take a claim now has had the time to.
    await sleep(5_000);
    const settled = await claims();
    expect(settled).toHaveLength(claimed.length);
    expect(posts().length - sentByThen).toBeLessThanOrEqual(withoutReceipt);
    expect(posts().length).toBeLessThanOrEqual(rows);

    place.sandbox.clock.advance(2 * hourMs);
    const ended = await command.result;
    const lines = await readSheetLines(join(place.folder, 'out', 'results.csv'));
    const accepted = settled.filter(({ receipt }) => receipt === 'accepted').length;
    expect(lines.filter(({ status }) => status === 'issued')).toHaveLength(accepted);
    const left = lines.filter(({ status }) => status === 'unknown_outcome');
    expect(left).toHaveLength(rows - accepted);
    expect(ended.code).toBe(left.length === 0 ? 0 : 3);
    expect(place.sandbox.counts().every(({ started }) => started <= 1)).toBe(true);
  }, 420_000);
});
