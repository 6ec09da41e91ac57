import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { cnpj } from '../test/support/documents';
import { histories } from './histories';
import { Parts } from './parts';
import type { Samples } from './run';

/** A very large batch against an instant service: what counts is memory. */
export async function largeBatch(): Promise<Samples> {
  const [rows, inFlight] = [100_000, 1_000];
  const parts = await Parts.start({ processingMs: [1, 1] });
  try {
    await parts.startEngine();
    const input = join(parts.folder, 'input.csv');
    await writeDocuments(input, rows);
    const startedAt = performance.now();
    const words = ['--input', input, '--type', 'cnpj', '--concurrency', String(inFlight)];
    const output = await parts.run(['certificate', 'batch', ...words, '--out', 'out', '--json']);
    const seconds = (performance.now() - startedAt) / 1_000;
    const { id } = JSON.parse(output) as { id: string };
    const { events } = await histories(parts.address, id);
    const name = '100,000 rows, 1,000 in flight';
    return {
      [`${name}: seconds`]: seconds,
      [`${name}: MiB of the worker`]: parts.workerPeakMib(),
      [`${name}: history events a row`]: events / rows,
    };
  } finally {
    await parts.stop();
  }
}

async function writeDocuments(path: string, rows: number): Promise<void> {
  const file = createWriteStream(path);
  file.write('cnpj\n');
  for (let row = 1; row <= rows; row += 1) {
    if (!file.write(`${cnpj(row)}\n`)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'finish');
}
