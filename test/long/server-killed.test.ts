import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { contradictions, explainedByDeath, isInFlight, postsOf } from '../support/batch-account';
import { Installation, eventually, readSheetLines } from '../support/diligence-process';
import { cnpj, sheetOf } from '../support/documents';

const rows = 150;
const batch = ['certificate', 'batch', '--input', 'input.csv', '--out', 'out', '--deadline', '5m'];

describe('a Temporal server killed with SIGKILL, its file kept', () => {
  let place: Installation;

  beforeEach(async () => {
    place = await Installation.startAlone({
      issuance: { waitingMs: [20, 100], processingMs: [500, 3_000], distribution: 'lognormal' },
      latencyMs: [80, 120],
    });
    await writeFile(join(place.folder, 'input.csv'), sheetOf(rows));
  }, 60_000);

  afterEach(() => place.stop(), 60_000);

  const requesting = (from: number) => (): boolean => {
    const posts = postsOf(place.sandbox);
    return posts.length > from && posts.some(isInFlight);
  };

  async function killServer(outageMs: number): Promise<void> {
    const { server } = place;
    process.kill(server.pid, 'SIGKILL');
    await server.exited;
    await sleep(outageMs);
    await place.restartServer();
  }

  test('in mid-batch, briefly and again past every heartbeat, loses and doubles nothing', async () => {
    await place.startWorker();
    const command = place.begin(batch);
    await eventually('the first rows are requested', requesting(20));
    await killServer(500);
    await eventually('requests go on', requesting(80));
    const requestedBefore = postsOf(place.sandbox).length;
    await killServer(12_000);

    const ended = await command.result;
    const folder = join(place.folder, 'out');
    const lines = await readSheetLines(join(folder, 'results.csv'));
    expect(requestedBefore).toBeLessThan(rows);
    expect(lines.map(({ document }) => document)).toEqual(
      Array.from({ length: rows }, (_, index) => cnpj(index + 1)),
    );
    // The worker lived, and with it every answer: none may be unknown.
    const { died, wrong } = explainedByDeath(await contradictions(place.sandbox, lines, folder));
    expect({ wrong, died }).toEqual({ wrong: [], died: [] });
    expect(lines.every(({ status }) => status === 'issued')).toBe(true);
    expect({ code: ended.code, stderr: ended.code === 0 ? '' : ended.stderr }).toEqual({
      code: 0,
      stderr: '',
    });
  }, 180_000);
});
