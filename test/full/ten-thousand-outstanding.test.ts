import { setTimeout as sleep } from 'node:timers/promises';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { postsOf } from '../support/batch-account';
import { Installation, eventually } from '../support/diligence-process';
import { cnpj, sheetOf } from '../support/documents';
import { historiesOf, largestEventBytes } from '../support/histories';
import { MachineLoad } from '../support/machine-load';

/** Lanes of 2,000, all full: each has the same share of what may be outstanding. */
const rows = 10_000;
const workerMemoryBytes = 1_024 ** 3;
const payloadLimitBytes = 256 * 1_024;

describe(`${rows} rows outstanding at once`, () => {
  let place: Installation;

  beforeAll(async () => {
    place = await Installation.start(
      {
        issuance: { waitingMs: [0, 0], processingMs: [3_600_000, 7_200_000] },
      },
      { CERTIFICATES_RPS: '200', NODE_OPTIONS: '--max-old-space-size=700' },
    );
    await writeFile(join(place.folder, 'input.csv'), sheetOf(rows));
  }, 60_000);

  afterAll(() => place.stop(), 60_000);

  /** The most that the process ever had in memory, all of it. */
  async function peakBytes(pid: number): Promise<number> {
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1_024;
  }

  test('fit into a worker of 1 GiB, which still settles a fresh one promptly, and come home', async () => {
    const worker = await place.startWorker();
    const started = await place.run([
      'certificate',
      'batch',
      '--input',
      'input.csv',
      '--concurrency',
      String(rows),
      '--detach',
      '--json',
    ]);
    const { id } = JSON.parse(started.stdout) as { id: string };
    await eventually(
      'all are outstanding',
      async () => {
        // A look at all of them costs the sandbox, which answers from this process.
        await sleep(1_000);
        if (place.sandbox.counts().length < rows) return false;
        const { stdout } = await place.run(['show', id, '--json']);
        const { progress } = JSON.parse(stdout) as { progress: { outstanding: number } | null };
        return progress?.outstanding === rows;
      },
      1_200_000,
    );

    place.sandbox.configure({ issuance: { waitingMs: [0, 0], processingMs: [100, 200] } });
    const load = new MachineLoad();
    const issueStartedAt = Date.now();
    const issued = await place.run([
      'certificate',
      'issue',
      '--type',
      'cnpj',
      '--document',
      cnpj(90_001),
    ]);
    expect(issued.code).toBe(0);
    const tookMs = Date.now() - issueStartedAt;
    expect(tookMs).toBeLessThan(15_000 * load.slowness());

    place.sandbox.clock.advance(7_200_000);
    const { workflow } = await place.client();
    const home = eventually(
      'all are home',
      async () => {
        await sleep(1_000);
        return place.sandbox.counts().filter(({ pdfs }) => pdfs > 0).length === rows + 1;
      },
      1_200_000,
    );
    await home;
    await workflow.getHandle(id).result();
    expect(await peakBytes(worker.pid ?? 0)).toBeLessThan(workerMemoryBytes);
    expect(worker.exitCode).toBeNull();
    expect(postsOf(place.sandbox)).toHaveLength(rows + 1);
    const status = await place.run(['show', id, '--json']);
    expect(JSON.parse(status.stdout)).toMatchObject({
      status: 'issued',
      outcome: { counts: { issued: rows } },
    });
    expect(largestEventBytes(await historiesOf(await place.client(), id))).toBeLessThan(
      payloadLimitBytes,
    );
  }, 2_700_000);
});
