import type { TraceOutcome } from '../../src/domain/traces/search';
import { Installation, eventually } from '../support/diligence-process';

/** A search whose worker is killed, or away, in each of its phases. */

jest.setTimeout(180_000);

const atOnce: [number, number] = [0, 0];
const quick = { waitingMs: atOnce, processingMs: atOnce };

let place: Installation;
beforeAll(async () => {
  place = await Installation.start(
    { traces: { pollAfterSeconds: 1 } },
    { INVESTIGATION_RPS: '400' },
  );
});
afterEach(() => place.stopWorkers('SIGKILL'));
afterAll(() => place.stop());

function countsOf(target: string) {
  return place.sandbox.traces.counts().items.find((item) => item.target === target);
}

async function begin(target: string): Promise<string> {
  const words = ['trace', 'search', '--target', target, '--detach'];
  return (await place.run(words)).stdout.trim();
}

async function outcomeOf(id: string): Promise<TraceOutcome> {
  await eventually('it has ended', async () => {
    return (await place.run(['show', id, '--json'])).stdout.includes('"outcome": {');
  });
  const { stdout } = await place.run(['result', id, '--json']);
  return (JSON.parse(stdout) as { outcome: TraceOutcome }).outcome;
}

test('killed while the request is on its way, it makes one search', async () => {
  const target = 'on-its-way@example.com';
  place.sandbox.configure({
    traces: { targets: { [target]: { ...quick, create: [{ kind: 'no_answer' }] } } },
  });
  await place.startWorker();
  const id = await begin(target);
  await eventually('the request has arrived', () => (countsOf(target)?.started ?? 0) > 0);
  await place.stopWorkers('SIGKILL');
  await place.startWorker();
  expect(await outcomeOf(id)).toMatchObject({ status: 'completed' });
  expect(countsOf(target)).toMatchObject({ started: 1 });
});

test('killed while it waits, it waits on, for the same search', async () => {
  const target = 'waited-for@example.com';
  place.sandbox.configure({
    traces: { targets: { [target]: { waitingMs: atOnce, processingMs: [600_000, 600_000] } } },
  });
  await place.startWorker();
  const id = await begin(target);
  await eventually('it is read', () => (countsOf(target)?.reads ?? 0) > 1);
  await place.stopWorkers('SIGKILL');
  place.sandbox.clock.advance(900_000);
  await place.startWorker();
  expect(await outcomeOf(id)).toMatchObject({ status: 'completed' });
  expect(countsOf(target)).toMatchObject({ started: 1 });
});

test('cancelled while no worker has taken its request, it asks for nothing', async () => {
  const target = 'not-taken@example.com';
  await place.startWorker({}, ['--roles', 'workflows']);
  const id = await begin(target);
  expect(await place.run(['cancel', id])).toMatchObject({ code: 0 });
  await place.startWorker();
  expect(await outcomeOf(id)).toMatchObject({ status: 'cancelled', traceId: null, seen: null });
  expect(countsOf(target)).toBeUndefined();
});
