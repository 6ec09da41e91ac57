import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { cnpj } from '../test/support/documents';
import { histories } from './histories';
import { Parts, peakMibOf } from './parts';

export interface LargeFigures {
  rows: number;
  makespanMs: number;
  workerPeakMib: number;
  /** The `certificate batch` command, which parses, follows and writes the results. */
  commandPeakMib: number;
  processorMsPerRow: number;
  eventsPerRow: number;
  /** The largest payload in any history. */
  largestPayloadKib: number;
}

/** A very large batch against an instant service: what counts is memory, not speed. */
export async function measureLarge(rows: number, inFlight: number): Promise<LargeFigures> {
  const parts = await Parts.start({ processingMs: [1, 1] });
  try {
    await parts.startEngine();
    const input = join(parts.folder, 'input.csv');
    await writeDocuments(input, rows);
    const flags = ['--type', 'cnpj', '--concurrency', String(inFlight), '--out', 'out', '--json'];
    const before = parts.processorMs();
    const startedAt = performance.now();
    const command = parts.begin(['certificate', 'batch', '--input', input, ...flags]);
    let output = '';
    command.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    let commandPeakMib = 0;
    const looks = setInterval(() => {
      if (command.exitCode === null) commandPeakMib = peakMibOf(command.pid) || commandPeakMib;
    }, 250);
    const [code] = (await once(command, 'close')) as [number];
    clearInterval(looks);
    if (code !== 0) throw new Error(`ended with ${code}: ${output}`);
    const makespanMs = performance.now() - startedAt;
    const after = parts.processorMs();
    const { id } = JSON.parse(output) as { id: string };
    const { events, largestPayload } = await histories(parts.address, id);
    return {
      rows,
      makespanMs,
      workerPeakMib: parts.workerPeakMib(),
      commandPeakMib,
      processorMsPerRow: (after.worker + after.server - before.worker - before.server) / rows,
      eventsPerRow: events / rows,
      largestPayloadKib: largestPayload / 1_024,
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
