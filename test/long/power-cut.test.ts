import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { integer, sample } from 'fast-check';
import type { Sandbox } from '../../src/sandbox';
import { contradictions, explainedByDeath, postsOf } from '../support/batch-account';
import { Installation, eventually, readSheetLines } from '../support/diligence-process';
import { LoopDisk, testWithDisks } from '../support/disks';
import { cnpj, sheetOf } from '../support/documents';
import { sized } from '../support/full-size';

const rows = 60;
/** Runs of requests of a lane: each may have one row between its claim and its receipt. */
const mostInFlight = 3;

/** Calls that the service has answered, in hundredths of those that the batch needs. */
function progressOf(sandbox: Sandbox): number {
  const pdfs = sandbox.received().filter(({ path }) => path.endsWith('/pdf'));
  const answered = [...postsOf(sandbox), ...pdfs].filter(({ status }) => status !== null);
  return (100 * answered.length) / (2 * rows);
}

/** From the first row to just after the last one: 100 is when the batch has ended. */
const instants = sample(integer({ min: 1, max: 100 }), sized(3, 20));

testWithDisks.each(instants)(
  'a power cut at %d hundredths of a batch loses no row, no PDF and no claim',
  async (hundredths) => {
    const disk = await LoopDisk.make(256);
    const place = await Installation.start(
      { issuance: { waitingMs: [20, 100], processingMs: [200, 1_500], distribution: 'uniform' } },
      { DILIGENCE_DATA_DIR: join(disk.path, 'data') },
    );
    try {
      await writeFile(join(place.folder, 'input.csv'), sheetOf(rows));
      const worker = await place.startWorker();
      const words = ['certificate', 'batch', '--input', 'input.csv', '--detach', '--json'];
      const { id } = JSON.parse((await place.run(words)).stdout) as { id: string };
      const hasEnded = async (): Promise<boolean> => {
        const { stdout } = await place.run(['show', id, '--json']);
        return (JSON.parse(stdout) as { outcome: unknown }).outcome !== null;
      };
      await eventually('the instant has come', () => progressOf(place.sandbox) >= hundredths);
      if (hundredths === 100) await eventually('the batch has ended', hasEnded);
      // Everything stands still: what is sent during the copy would look lost.
      worker.kill('SIGSTOP');
      await disk.cutPower();
      worker.kill('SIGKILL');
      await once(worker, 'exit');
      await place.endCommands();
      await disk.bringBack();

      await place.startWorker();
      await eventually('the batch has ended', hasEnded);
      await place.run(['result', id, '--out', 'out']);
      const folder = join(place.folder, 'out');
      const lines = await readSheetLines(join(folder, 'results.csv'));
      expect(lines.map(({ document }) => document)).toEqual(
        Array.from({ length: rows }, (_, index) => cnpj(index + 1)),
      );
      const { died, wrong } = explainedByDeath(await contradictions(place.sandbox, lines, folder));
      expect(wrong).toEqual([]);
      expect(died.length).toBeLessThanOrEqual(mostInFlight);
      const known = lines.filter(({ status }) => status !== 'unknown_outcome');
      expect(known.every(({ status, pdf }) => status === 'issued' && pdf !== '')).toBe(true);
    } finally {
      await place.stop();
      await disk.remove();
    }
  },
  180_000,
);
