import type { ServerResponse } from 'node:http';
import type {
  RequestRow,
  ChunkInput,
  PolledRow,
} from '../../../src/domain/certificates/certificate-rows';
import type { RowListRef } from '../../../src/domain/certificates/job';
import { sendJson } from '../../support/loopback-server';
import {
  CertificateBench,
  documentB,
  documentC,
  documents,
  environment,
} from './certificate-bench';

let bench: CertificateBench;
let work: RowListRef;

beforeEach(async () => {
  bench = await CertificateBench.start();
  work = await bench.work('w1', documents);
  bench.server.reply = ({ method, path }, response) => {
    if (method !== 'POST') return tell(response, path, 'completed');
    const ordinal = bench.server.posts().length;
    return sendJson(response, 202, { certidao_id: `c-${ordinal}` });
  };
});

afterEach(() => {
  // However chunks and polls end, they leave no slot behind.
  expect(bench.deps.freedSlots.size).toBe(0);
  return bench.close();
});

const tell = (response: ServerResponse, path: string, status: string): void =>
  sendJson(response, 200, { certidao_id: path.split('/').at(-1), status });
const rowsOf = (...places: number[]): RequestRow[] => places.map((place) => [place, 0, 'normal']);
/** Outstanding rows of this job, requested by earlier chunks; the first read of each is due. */
const watched = (...places: number[]): PolledRow[] =>
  places.map((place) => [place, `w-${place}`, bench.now(), 0, 1, 0]);
const run = (fields: Partial<ChunkInput>) => bench.request(work, { chunk: 'r1', ...fields });
/** A poll whose row settles after a moment, and which then lingers. */
const watch = (places: number[], fields: object = {}, env = environment(work)) =>
  bench.watch(work, { rows: watched(...places), lingerMs: 200, slotLingerMs: 200, ...fields }, env);

it('sends rows beyond its slots as a poll passes slots on, and the poll reports them', async () => {
  const [answers, { settled, handedOn }] = await Promise.all([
    run({ rows: rowsOf(1, 2), slots: 0 }),
    watch([0], { boundMs: 1_000 }),
  ]);
  expect(settled).toEqual([[0, 'issued']]);
  expect(answers).toMatchObject([
    { kind: 'accepted', rowIndex: 1 },
    { kind: 'unsent', rowIndex: 2, reason: 'no_slot' },
  ]);
  expect(handedOn).toEqual([['r1', 1]]);
  expect(bench.server.posts()).toHaveLength(1);
});

it('takes neither claim nor permit for a row without a slot', async () => {
  const acquire = jest.spyOn(bench.service.limiter, 'acquire');
  const before = bench.now();
  const answers = await run({ slots: 1 });
  expect(answers).toMatchObject([
    { kind: 'accepted' },
    { kind: 'unsent', attempts: 0, reason: 'no_slot' },
    { kind: 'unsent', attempts: 0, reason: 'no_slot' },
  ]);
  for (const answer of answers.slice(1)) {
    // It may go again at once.
    if (answer.kind === 'unsent') expect(answer.notBefore).toBeLessThanOrEqual(bench.now());
  }
  expect(bench.now() - before).toBeLessThan(900);
  expect(acquire).toHaveBeenCalledTimes(1);
  expect(await bench.last(documentB)).toBeNull();
  expect(await bench.last(documentC)).toBeNull();
});

it('reuses a slot for the next row when the one before needed none', async () => {
  await run({ rows: rowsOf(0), slots: 1 });
  await bench.putFact('c-1');
  const answers = await run({ chunk: 'r2', rows: rowsOf(0, 1, 2), slots: 1 });
  expect(answers).toMatchObject([
    { kind: 'settled', status: 'issued' },
    { kind: 'accepted' },
    { kind: 'unsent', reason: 'no_slot' },
  ]);
});

it('stops waiting for a slot once an accepted row is nearly due', async () => {
  for (let seen = 0; seen < 8; seen += 1) bench.deps.settlingTimes.cnpj.observe(180);
  const answers = await run({ slots: 1 });
  const [accepted] = answers;
  if (accepted?.kind !== 'accepted') throw new Error('the first row was not accepted');
  expect(bench.now()).toBeLessThan(accepted.dueAt ?? 0);
  expect(answers[1]).toMatchObject({ reason: 'no_slot' });
});

it.each([
  ['its time was over', () => void (bench.ahead += 3_000)],
  ['the worker was told to stop', () => bench.stopping.abort()],
])('sends nothing for a place that comes when %s', async (_when, happens) => {
  const answers = run({ rows: rowsOf(1), slots: 0 });
  const places = bench.deps.freedSlots.freedByPoll('w1/0a1b2c3d-run');
  await new Promise((done) => setTimeout(done, 20));
  happens();
  places.free();
  expect(await answers).toMatchObject([{ kind: 'unsent', reason: 'no_time' }]);
  // It was passed on all the same, and stays empty until the chunk returns.
  expect(places.handedOn()).toEqual([['r1', 1]]);
  expect(bench.server.received).toEqual([]);
  places.close();
});

it('lingers longer when all freed slots were passed on', async () => {
  bench.server.reply = ({ path }, response) => {
    tell(response, path, path.endsWith('w-0') ? 'completed' : 'processing');
  };
  const elapsed = async (taking: Promise<boolean>): Promise<number> => {
    const startedAt = Date.now();
    await watch([0, 1], { lingerMs: 500, slotLingerMs: 50, boundMs: 20_000 });
    await taking;
    return Date.now() - startedAt;
  };
  expect(await elapsed(Promise.resolve(false))).toBeLessThan(450);
  const taking = bench.deps.freedSlots.take('w1/0a1b2c3d-run', 'r1', 5_000);
  expect(await elapsed(taking)).toBeGreaterThanOrEqual(499);
});

it('passes nothing on in a repeated attempt: what the lost one passed is unknown', async () => {
  const [answers, { settled, handedOn }] = await Promise.all([
    run({ rows: rowsOf(1), slots: 0 }),
    watch([0], {}, environment(work, { attempt: 2 })),
  ]);
  expect(settled).toEqual([[0, 'issued']]);
  expect(answers).toMatchObject([{ reason: 'no_slot' }]);
  expect(handedOn).toEqual([]);
});

it('withdraws slots that were not taken when it fails or is cancelled', async () => {
  jest.spyOn(bench.place.store.outcomes, 'file').mockRejectedValue(new Error('EIO'));
  await expect(watch([0])).rejects.toThrow('EIO');
  expect(bench.deps.freedSlots.size).toBe(0);
  jest.restoreAllMocks();
  const env = environment(work);
  const cancelled = watch(
    [0, 1],
    {
      rows: [...watched(0), [1, 'w', bench.now(), bench.now() + 60_000, 1, 0]],
      lingerMs: 60_000,
      slotLingerMs: 60_000,
      boundMs: 60_000,
    },
    env,
  );
  setTimeout(() => env.cancel(), 300);
  expect(await cancelled).toMatchObject({ settled: [[0, 'issued']], handedOn: [] });
});
