import { setTimeout as sleep } from 'node:timers/promises';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { configured } from '../support/configured';
import { Installation, eventually } from '../support/diligence-process';
import { cnpj, sheetOf } from '../support/documents';
import { historiesOf, largestEventBytes } from '../support/histories';
import { MachineLoad } from '../support/machine-load';

/** Each batch has as many rows in flight as one may have. */
const batches = 10;
const rowsOfBatch = 10_000;
const rows = batches * rowsOfBatch;
const workerMemoryBytes = 1_024 ** 3;
const payloadLimitBytes = 256 * 1_024;
const mostMs = 2_400_000;

describe(`${rows} rows outstanding at once`, () => {
  let place: Installation;

  beforeAll(async () => {
    place = await Installation.start(
      {
        issuance: { waitingMs: [0, 0], processingMs: [3_600_000, 7_200_000] },
      },
      {
        CERTIFICATES_RPS: '500',
        NODE_OPTIONS: '--max-old-space-size=700',
        // The sandbox shares this process with what looks at a hundred thousand rows.
        ...configured({ certificates: { timeoutSeconds: 30 } }),
      },
    );
    for (let batch = 0; batch < batches; batch += 1)
      await writeFile(
        join(place.folder, `${batch}.csv`),
        sheetOf(rowsOfBatch, batch * rowsOfBatch + 1),
      );
  }, 60_000);

  afterAll(() => place.stop(), 60_000);

  /** The most that the process ever had in memory, all of it. */
  async function peakBytes(pid: number): Promise<number> {
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1_024;
  }

  test('fit into a worker of 1 GiB, which still settles a fresh one promptly, and come home', async () => {
    const worker = await place.startWorker();
    const ids: string[] = [];
    for (let batch = 0; batch < batches; batch += 1) {
      const started = await place.run([
        'certificate',
        'batch',
        '--input',
        `${batch}.csv`,
        '--concurrency',
        String(rowsOfBatch),
        '--detach',
        '--json',
      ]);
      ids.push((JSON.parse(started.stdout) as { id: string }).id);
    }
    await eventually(
      'all are outstanding',
      async () => {
        // A look at all of them costs the sandbox, which answers from this process.
        await sleep(5_000);
        if (place.sandbox.counts().length < rows) return false;
        let outstanding = 0;
        for (const id of ids) {
          const { stdout } = await place.run(['show', id, '--json']);
          const { progress } = JSON.parse(stdout) as { progress: { outstanding: number } | null };
          outstanding += progress?.outstanding ?? 0;
        }
        return outstanding === rows;
      },
      mostMs,
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
      cnpj(rows + 1),
    ]);
    expect(issued.code).toBe(0);
    const tookMs = Date.now() - issueStartedAt;
    expect(tookMs).toBeLessThan(15_000 * load.slowness());

    place.sandbox.clock.advance(7_200_000);
    await eventually(
      'all are home',
      async () => {
        await sleep(5_000);
        return place.sandbox.counts().filter(({ pdfs }) => pdfs > 0).length === rows + 1;
      },
      mostMs,
    );
    const client = await place.client();
    for (const id of ids) {
      await client.workflow.getHandle(id).result();
      const status = await place.run(['show', id, '--json']);
      expect(JSON.parse(status.stdout)).toMatchObject({
        status: 'issued',
        outcome: { counts: { issued: rowsOfBatch } },
      });
      expect(largestEventBytes(await historiesOf(client, id))).toBeLessThan(payloadLimitBytes);
    }
    expect(await peakBytes(worker.pid ?? 0)).toBeLessThan(workerMemoryBytes);
    expect(worker.exitCode).toBeNull();
    expect(place.sandbox.counts().filter(({ requested }) => requested !== 1)).toEqual([]);
  }, 5_400_000);
});
