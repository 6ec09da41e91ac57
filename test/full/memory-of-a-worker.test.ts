import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'csv-parse/sync';
import { eventually, Installation } from '../support/diligence-process';
import { cnpj, sheetOf } from '../support/documents';
import { memoryOf, tellsMemory, type Memory } from '../support/memory';

/** Reads that the worker makes: a day of it in fast motion. */
const polls = Number(process.env['MEMORY_POLLS'] ?? 100_000);
const pollTroubles = ['503', '500_html', '502', 'reset_before', 'reset_after', 'cut_answer'];
/** Beyond it the service answers 429, in waves as a real one: drawn for one call in seventy it would bring the rate to its least. */
const servedPerSecond = 400;
const logBytes = 2 * 1024 ** 2;
/** So long nothing was read: then the heap gives back what it does not need. */
const restSeconds = 15;

jest.setTimeout(3_600_000);

const rows = Math.ceil(polls / 3);
const targets = Array.from(
  { length: Math.ceil(polls / 300) },
  (_, at) => `nobody.${at}@example.com`,
);
/** One in a hundred requests for a certificate, and some searches, never get their answer. */
const lost = Array.from({ length: Math.ceil(rows / 100) }, (_, at) => cnpj(1 + at * 100));
/** However slow the machine is, some polls are too many for the service. */
const throttled = Array.from({ length: 10 }, (_, at) => cnpj(5 + at * 100));
const lostTargets = targets.filter((_, at) => at % 50 === 0);

const named = (names: readonly string[], script: object): Record<string, object> =>
  Object.fromEntries(names.map((name) => [name, script]));

/** What a log at its usual level says of outcomes, by job. */
function loggedOutcomes(log: string) {
  const lines = log
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as { msg: string; job: string; row?: number; status?: string });
  return {
    ended: Object.fromEntries(
      lines.filter(({ msg }) => msg === 'job ended').map(({ job, status }) => [job, status]),
    ),
    unknown: lines.filter(({ msg }) => msg === 'outcome unknown'),
  };
}

test(`after ${polls} polls under faults a worker holds what it held after a tenth, and its log has every outcome`, async () => {
  const trouble = (stages: string[]) => ({
    rate: 0.1,
    kinds: pollTroubles.map((kind) => ({ kind, stages })),
  });
  const place = await Installation.start(
    {
      rateLimitPerSecond: servedPerSecond,
      issuance: { waitingMs: [0, 0], processingMs: [1_000, 20_000] },
      background: trouble(['poll']),
      documents: {
        ...named(lost, { request: ['reset_after'] }),
        ...named(throttled, { poll: ['429'] }),
      },
      traces: {
        targets: named(lostTargets, { create: [{ kind: 'reset_after', times: 'forever' }] }),
        timing: { waitingMs: [0, 0], processingMs: [1_000, 30_000] },
        background: trouble(['read', 'list']),
      },
    } as never,
    { CERTIFICATES_RPS: '1000', INVESTIGATION_RPS: '1000' },
  );
  try {
    await writeFile(join(place.folder, 'rows.csv'), sheetOf(rows));
    await writeFile(join(place.folder, 'targets.csv'), ['target', ...targets].join('\n'));
    const worker = await place.startWorker(tellsMemory, ['--log-level', 'info']);
    const start = async (...words: string[]): Promise<string> => {
      const { code, stdout } = await place.run([...words, '--detach', '--json']);
      expect(code).toBe(0);
      return (JSON.parse(stdout) as { id: string }).id;
    };
    const batch = ['certificate', 'batch', '--input', 'rows.csv', '--concurrency', '1000'];
    const certificates = await start(...batch);
    const searches = await start('trace', 'search', '--input', 'targets.csv');

    const mib = (bytes: number) => (bytes / 1024 ** 2).toFixed(1);
    const startedAt = Date.now();
    const tell = ({ heapBytes, reads, rssBytes }: Memory, when: string) => {
      const seconds = Math.round((Date.now() - startedAt) / 1_000);
      process.stderr.write(
        `${reads} polls in ${seconds} s, ${when}: heap ${mib(heapBytes)} MiB, resident ${mib(rssBytes)} MiB\n`,
      );
    };
    /** What is in flight says how busy the machine is: it is let out, and then the worker goes on. */
    const heldAtRest = async (): Promise<Memory> => {
      for (const id of [certificates, searches]) await place.run(['pause', id]);
      let memory = await memoryOf(worker);
      for (let still = 0; still < restSeconds; still += 1) {
        await sleep(1_000);
        const now = await memoryOf(worker);
        if (now.reads !== memory.reads) still = 0;
        memory = now;
      }
      for (const id of [certificates, searches]) await place.run(['resume', id]);
      tell(memory, 'at rest');
      return memory;
    };
    const rested: Memory[] = [];
    for (let tenth = 1; tenth <= 10; tenth += 1) {
      for (;;) {
        await sleep(1_000);
        const memory = await memoryOf(worker);
        if (memory.reads < (polls / 10) * tenth) continue;
        tell(memory, 'at work');
        break;
      }
      if (tenth === 1 || tenth === 10) rested.push(await heldAtRest());
    }
    const [first, last] = rested as [Memory, Memory];
    for (const id of [certificates, searches]) {
      expect((await place.run(['cancel', id])).code).toBe(0);
    }
    const logged = async () => loggedOutcomes(await place.workerLog());
    await eventually(
      'the end of both is in the log',
      async () => Object.keys((await logged()).ended).length === 2,
      300_000,
    );
    const log = Buffer.byteLength(await place.workerLog());
    process.stderr.write(`log ${mib(log)} MiB\n`);
    expect(last.heapBytes).toBeLessThan(first.heapBytes * 1.1);
    expect(last.rssBytes).toBeLessThan(first.rssBytes * 1.1);
    expect(log).toBeLessThan(logBytes);
    expect(await place.workerLog()).not.toContain('MaxListeners');
    expect(await place.workerLog()).toContain('"msg":"throttled"');

    const { ended, unknown } = await logged();
    for (const id of [certificates, searches]) {
      const shown = await place.run(['show', id, '--json']);
      expect(ended[id]).toBe((JSON.parse(shown.stdout) as { status: string }).status);
    }
    const sheetOfJob = async (id: string, out: string) => {
      await place.run(['result', id, '--out', out]);
      const sheet = await readFile(join(place.folder, out, 'results.csv'), 'utf8');
      const lines = parse(sheet, { columns: true }) as { line: string; status: string }[];
      return lines.filter(({ status }) => status === 'unknown_outcome');
    };
    // Row 0 is line 2 of the file, below its header.
    const lostRows = (await sheetOfJob(certificates, 'certificates')).map(
      ({ line }) => Number(line) - 2,
    );
    expect(lostRows.length).toBeGreaterThanOrEqual(lost.length / 2);
    const loggedRows = unknown.filter(({ job }) => job === certificates).map(({ row }) => row);
    expect(loggedRows).toHaveLength(lostRows.length);
    expect(new Set(loggedRows)).toEqual(new Set(lostRows));
    const loggedSearches = new Set(
      unknown.map(({ job }) => job).filter((job) => job !== certificates),
    );
    expect(loggedSearches.size).toBe((await sheetOfJob(searches, 'searches')).length);
    expect(loggedSearches.size).toBeGreaterThan(0);
  } finally {
    await place.stop();
  }
});
