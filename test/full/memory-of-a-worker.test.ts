import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Installation } from '../support/diligence-process';
import { sheetOf } from '../support/documents';
import { memoryOf, tellsMemory, type Memory } from '../support/memory';

/** Reads that the worker makes: a day of it in fast motion. */
const polls = Number(process.env['MEMORY_POLLS'] ?? 100_000);
const pollTroubles = ['429', '503', '500_html', '502', 'reset_before', 'reset_after', 'cut_answer'];
const logBytes = 2 * 1024 ** 2;

jest.setTimeout(3_600_000);

test(`a worker holds after ${polls} polls under faults what it held after a tenth of them`, async () => {
  const trouble = (stages: string[]) => ({
    rate: 0.1,
    kinds: pollTroubles.map((kind) => ({ kind, stages })),
  });
  const place = await Installation.start(
    {
      issuance: { waitingMs: [0, 0], processingMs: [1_000, 40_000] },
      background: trouble(['poll']),
      traces: {
        timing: { waitingMs: [0, 0], processingMs: [1_000, 120_000] },
        background: trouble(['read', 'list']),
      },
    } as never,
    { CERTIFICATES_RPS: '1000', INVESTIGATION_RPS: '1000' },
  );
  try {
    await writeFile(join(place.folder, 'rows.csv'), sheetOf(Math.ceil(polls / 3)));
    const targets = Array.from(
      { length: Math.ceil(polls / 300) },
      (_, at) => `nobody.${at}@example.com`,
    );
    await writeFile(join(place.folder, 'targets.csv'), ['target', ...targets].join('\n'));
    const worker = await place.startWorker(tellsMemory, ['--log-level', 'info']);
    const detached = ['--detach', '--json'];
    const batch = ['certificate', 'batch', '--input', 'rows.csv', '--concurrency', '1000'];
    expect((await place.run([...batch, ...detached])).code).toBe(0);
    expect((await place.run(['trace', 'search', '--input', 'targets.csv', ...detached])).code).toBe(
      0,
    );

    const mib = (bytes: number) => (bytes / 1024 ** 2).toFixed(1);
    const startedAt = Date.now();
    const tenths: Memory[] = [];
    while (tenths.length < 10) {
      await sleep(1_000);
      const memory = await memoryOf(worker);
      if (memory.reads < (polls / 10) * (tenths.length + 1)) continue;
      tenths.push(memory);
      const seconds = Math.round((Date.now() - startedAt) / 1_000);
      const held = `heap ${mib(memory.heapBytes)} MiB, resident ${mib(memory.rssBytes)} MiB`;
      process.stderr.write(`${memory.reads} polls in ${seconds} s: ${held}\n`);
    }
    const [first] = tenths;
    const last = tenths.at(-1) as Memory;
    const log = Buffer.byteLength(await place.workerLog());
    process.stderr.write(`log ${mib(log)} MiB\n`);
    expect(last.heapBytes).toBeLessThan((first?.heapBytes ?? 0) * 1.1);
    expect(last.rssBytes).toBeLessThan((first?.rssBytes ?? 0) * 1.1);
    expect(log).toBeLessThan(logBytes);
    expect(await place.workerLog()).not.toContain('MaxListeners');
  } finally {
    await place.stop();
  }
});
