import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { contradictions, postsOf } from '../support/batch-account';
import { Installation, eventually, readSheetLines } from '../support/diligence-process';
import { cnpj, sheetOf } from '../support/documents';

const rows = 80;
const concurrency = 16;

describe('a batch broken off in the middle of its requests and started again', () => {
  let place: Installation;
  /** Number of the first document of a test. */
  let first = 1;

  beforeAll(async () => {
    place = await Installation.startAlone({
      issuance: { waitingMs: [20, 50], processingMs: [500, 1_500], distribution: 'uniform' },
      latencyMs: [20, 50],
    });
    await place.startWorker();
  }, 60_000);

  beforeEach(async () => {
    place.sandbox.reset();
    first += rows;
    await writeFile(join(place.folder, 'input.csv'), sheetOf(rows, first));
  });

  afterAll(() => place.stop(), 60_000);

  const posts = () => postsOf(place.sandbox);
  const batch = (...more: string[]) =>
    place.run([
      'certificate',
      'batch',
      '--input',
      'input.csv',
      '--lane-rows',
      '20',
      '--concurrency',
      String(concurrency),
      '--json',
      ...more,
    ]);

  async function startAndWait(): Promise<string> {
    const { stdout } = await batch('--detach');
    await eventually('the batch is under way', () => posts().length > rows / 4);
    return (JSON.parse(stdout) as { id: string }).id;
  }

  async function expectTheSameEnd(id: string): Promise<void> {
    const ended = await batch('--out', 'out');
    expect({ code: ended.code, stderr: ended.code === 0 ? '' : ended.stderr }).toEqual({
      code: 0,
      stderr: '',
    });
    expect((JSON.parse(ended.stdout) as { id: string }).id).toBe(id);
    const folder = join(place.folder, 'out');
    const lines = await readSheetLines(join(folder, 'results.csv'));
    expect(lines.map(({ document, status }) => `${document} ${status}`)).toEqual(
      Array.from({ length: rows }, (_, index) => `${cnpj(first + index)} issued`),
    );
    expect(await contradictions(place.sandbox, lines, folder)).toEqual([]);
    expect(posts()).toHaveLength(rows);
  }

  /** Issuances that the service had begun and not ended, at the fullest instant. */
  function mostInFlight(): number {
    const changes = place.sandbox.state().certificates.flatMap(({ certificate }) => [
      { at: Date.parse(String(certificate['created_at'])), by: 1 },
      { at: Date.parse(String(certificate['completed_at'])), by: -1 },
    ]);
    let inFlight = 0;
    let most = 0;
    for (const { by } of changes.toSorted((a, b) => a.at - b.at || a.by - b.by)) {
      inFlight += by;
      most = Math.max(most, inFlight);
    }
    return most;
  }

  test('by termination: takes over from its lanes, buys nothing twice, and keeps to its places', async () => {
    const id = await startAndWait();
    await (await place.client()).workflow.getHandle(id).terminate('by the test');
    const requestedBefore = posts().length;
    await expectTheSameEnd(id);
    expect(requestedBefore).toBeLessThan(rows);
    expect(mostInFlight()).toBeLessThanOrEqual(concurrency);
  }, 120_000);

  test('by the loss of the engine: goes on from its claims, and buys nothing twice', async () => {
    const id = await startAndWait();
    await place.stopWorkers();
    const requestedBefore = posts().length;
    await place.server.stop();
    await place.restartServer('server-anew');
    await place.startWorker();
    await expectTheSameEnd(id);
    expect(requestedBefore).toBeLessThan(rows);
  }, 120_000);
});
