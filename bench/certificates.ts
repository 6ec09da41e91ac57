import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ScenarioPatch } from '../src/sandbox';
import { cnpj } from '../test/support/documents';
import { runFloor } from './floor';
import { Parts } from './parts';
import type { Samples } from './run';

/** What a service does that is slow, troubled or strict. */
interface Service {
  processingMs: [shortest: number, longest: number];
  scenario?: ScenarioPatch;
  env?: Record<string, string>;
}

interface Measured {
  seconds: number;
  processorMsPerRow: number;
}

const inFlight = 100;
const warmUpRows = 2_000;

/** A batch beside a loop without durability: by a new worker, and by one that has done others before. */
export async function besideTheFloor(
  name: string,
  rows: number,
  processingMs: Service['processingMs'],
): Promise<Samples> {
  const floor = await floorSeconds(rows, processingMs);
  return withWorker({ processingMs }, async (parts) => {
    await batch(parts, documentsOf(warmUpRows, 2_000_000));
    const warm = await batch(parts, documentsOf(rows));
    // It knows the rate of the service from the one before.
    await parts.startWorker();
    const first = await batch(parts, documentsOf(rows, 1_000_000));
    return {
      [`${name}: of the floor, warm worker`]: floor / warm.seconds,
      [`${name}: of the floor, first batch of a worker`]: floor / first.seconds,
      [`${name}: makespan against the floor`]: warm.seconds / floor,
      [`${name}: processor ms a row`]: warm.processorMsPerRow,
    };
  });
}

async function floorSeconds(rows: number, processingMs: Service['processingMs']): Promise<number> {
  const parts = await Parts.start({ processingMs });
  try {
    await runFloor(parts, documentsOf(200, 1_000_000), inFlight, join(parts.folder, 'warm-up'));
    return (
      (await runFloor(parts, documentsOf(rows), inFlight, join(parts.folder, 'floor'))) / 1_000
    );
  } finally {
    await parts.stop();
  }
}

/** Of each document in trouble, how its calls go wrong; a tenth of them lose the answer to the request. */
const troubles = [
  { request: ['reset_after'] },
  { request: ['503'] },
  { request: ['503'] },
  { request: ['429'] },
  { request: ['reset_before'] },
  { poll: ['500_html', '502'] },
  { poll: ['cut_answer'] },
  { poll: ['429'] },
  { pdf: ['reset_before', '503'] },
  { pdf: ['wrong_sha256'] },
];
const lost = { request: ['reset_after'] };

/** The same rows with and without trouble, each by a worker of its own; as many that the last of them decide little. */
export async function inTrouble(rows = 1_200): Promise<Samples> {
  const documents = documentsOf(rows);
  const secondsWith = async (troubled: [document: string, trouble: object][]): Promise<number> => {
    const scenario = { documents: Object.fromEntries(troubled) } as ScenarioPatch;
    return withWorker({ processingMs: [300, 300], scenario }, async (parts) => {
      await batch(parts, documentsOf(500, 1_000_000));
      // Two in ten rows in trouble end unknown: as many as let a batch wait for a person.
      const flags = ['--concurrency', String(inFlight), '--max-unknown', String(rows)];
      return (await batch(parts, documents, flags)).seconds;
    });
  };
  const every = (step: number): string[] => documents.filter((_, row) => row % step === step - 1);
  const plain = await secondsWith([]);
  const spread = await secondsWith(
    every(10).map((one, index) => [one, troubles[index % troubles.length] ?? lost]),
  );
  const lostApart = await secondsWith(every(rows / 16).map((one) => [one, lost]));
  const lostTogether = await secondsWith(documents.slice(100, 116).map((one) => [one, lost]));
  return {
    'trouble, 10 % of the rows: speed against the same rows without': plain / spread,
    'trouble, 16 lost answers in a row: seconds beyond the same spread': lostTogether - lostApart,
  };
}

/** What somebody gets who sets nothing. */
export async function atDefaults(rows = 1_000): Promise<Samples> {
  return withWorker({ processingMs: [1, 1], env: { CERTIFICATES_RPS: '' } }, async (parts) => {
    const { seconds } = await batch(parts, documentsOf(rows), []);
    return { 'defaults, instant service: rows a second': rows / seconds };
  });
}

interface Received {
  at: string;
  stage: string | null;
  status: number | null;
}

/** A service that answers 429 to what is more than 15 calls a second, as a window of a second. */
export async function throttled(rows = 300): Promise<Samples> {
  const perSecond = 15;
  const scenario: ScenarioPatch = { rateLimitPerSecond: perSecond };
  const service = {
    processingMs: [1, 1] as [number, number],
    scenario,
    env: { CERTIFICATES_RPS: '' },
  };
  return withWorker(service, async (parts) => {
    await batch(parts, documentsOf(rows), []);
    const calls = await parts.ask<Received[]>('received');
    const at = calls.map((call) => Date.parse(call.at));
    const seconds = (Math.max(...at) - Math.min(...at)) / 1_000;
    const refused = calls.filter(({ status }) => status === 429);
    const paid = refused.filter(({ stage }) => stage === 'request').length;
    const reads = calls.filter(({ stage }) => stage !== 'request').length;
    return {
      '15 calls a second allowed: of them used':
        (calls.length - refused.length) / seconds / perSecond,
      '15 calls a second allowed: reads refused, %': (100 * (refused.length - paid)) / reads,
      '15 calls a second allowed: paid requests refused': paid,
    };
  });
}

async function withWorker<T>(service: Service, work: (parts: Parts) => Promise<T>): Promise<T> {
  const parts = await Parts.start(service);
  try {
    await parts.startEngine();
    return await work(parts);
  } finally {
    await parts.stop();
  }
}

/** Runs one batch to its end; from the start of its workflow to its results. */
async function batch(
  parts: Parts,
  documents: readonly string[],
  flags = ['--concurrency', String(inFlight)],
): Promise<Measured> {
  const input = join(parts.folder, 'input.csv');
  await writeFile(input, `cnpj\n${documents.join('\n')}\n`);
  const before = parts.processorMs();
  const words = ['--input', input, '--type', 'cnpj', '--out', 'out', '--json', ...flags];
  await parts.run(['certificate', 'batch', ...words]);
  const after = parts.processorMs();
  const text = await readFile(join(parts.folder, 'out', 'summary.json'), 'utf8');
  const { finishedAt, startedAt } = JSON.parse(text) as { startedAt: string; finishedAt: string };
  const spent = after.worker + after.server - before.worker - before.server;
  return {
    seconds: (Date.parse(finishedAt) - Date.parse(startedAt)) / 1_000,
    processorMsPerRow: spent / documents.length,
  };
}

function documentsOf(rows: number, from = 0): string[] {
  return Array.from({ length: rows }, (_, index) => cnpj(from + index + 1));
}
