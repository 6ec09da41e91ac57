import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { contradictions, isInFlight, postsOf } from '../support/batch-account';
import { Installation, eventually, readSheetLines } from '../support/diligence-process';
import { sheetOf } from '../support/documents';
import { configured } from '../support/configured';

const rows = 20;
/** Longer than a run takes new rows. */
const answeredAfterMs = 2_000;

describe('requests that the service answers slowly', () => {
  let place: Installation;
  let worker: ChildProcess;

  beforeAll(async () => {
    const request = [{ kind: 'slow', delayMs: answeredAfterMs, times: 'forever' } as const];
    place = await Installation.start(
      {
        issuance: { waitingMs: [20, 50], processingMs: [200, 500], distribution: 'uniform' },
        documents: { '*': { request } },
      },
      configured({ certificates: { timeoutSeconds: 10 } }),
    );
    await writeFile(join(place.folder, 'input.csv'), sheetOf(rows));
    worker = await place.startWorker();
  }, 60_000);

  afterAll(() => place.stop(), 60_000);

  test('are waited for when the worker is told to stop, however long they take', async () => {
    const posts = () => postsOf(place.sandbox);
    const command = place.run(['certificate', 'batch', '--input', 'input.csv', '--out', 'out']);
    await eventually('requests are in flight', () => posts().some(isInFlight));
    worker.kill('SIGTERM');
    const [code] = (await once(worker, 'exit')) as [number | null];
    expect(code).toBe(0);
    expect(posts().every(({ status }) => status === 202)).toBe(true);
    expect(posts().filter(({ abandoned }) => abandoned)).toEqual([]);

    const requested = posts().length;
    place.sandbox.configure({ documents: { '*': {} } });
    await place.startWorkerHere();
    expect((await command).code).toBe(0);
    const folder = join(place.folder, 'out');
    const lines = await readSheetLines(join(folder, 'results.csv'));
    expect(lines).toHaveLength(rows);
    expect(await contradictions(place.sandbox, lines, folder)).toEqual([]);
    expect(requested).toBeLessThan(rows);
    expect(lines.every(({ status }) => status === 'issued')).toBe(true);
  }, 120_000);
});
