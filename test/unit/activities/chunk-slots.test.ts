import type { ServerResponse } from 'node:http';
import type {
  RequestRow,
  ChunkInput,
  PolledRow,
} from '../../../src/domain/certificates/certificate-rows';
import type { RowListRef } from '../../../src/domain/certificates/job';
import { StoreError } from '../../../src/store/store-error';
import { cnpj } from '../../support/documents';
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

afterEach(async () => {
  await bench.close();
  // However chunks and polls end, they leave no slot behind.
  expect(bench.deps.freedSlots.size).toBe(0);
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
  const reply = bench.server.reply;
  bench.server.reply = (request, response) =>
    request.method === 'GET' && !request.path.endsWith('w-0')
      ? tell(response, request.path, 'processing')
      : reply(request, response);
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
  const places = bench.deps.freedSlots.freedByPoll('w1/0a1b2c3d-run', () => {});
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

it('stays with nothing left to read while a chunk runs: keeps its slots on offer, takes accepted rows over', async () => {
  const { freedSlots, acceptedRows } = bench.deps;
  const lane = 'w1/0a1b2c3d-run';
  const ended = freedSlots.chunkRuns(lane);
  let hasReturned = false;
  const polled = watch([0]).finally(() => (hasReturned = true));
  await new Promise((done) => setTimeout(done, 500));
  expect(hasReturned).toBe(false);
  expect(await freedSlots.take(lane, 'r1', 1_000)).toBe(true);
  const accepted = acceptedRows.ofChunk(lane);
  accepted.offer([1, 'w-1', bench.now(), 0, 1, 0], Promise.resolve(true));
  expect(await freedSlots.take(lane, 'r1', 1_000)).toBe(true);
  accepted.close();
  const endedAt = Date.now();
  ended();
  const { settled, tookOver, handedOn } = await polled;
  expect(Date.now() - endedAt).toBeLessThan(150);
  expect(settled).toHaveLength(2);
  expect(tookOver).toEqual([[1, 'w-1']]);
  expect(handedOn).toEqual([['r1', 2]]);
});

it('returns within the time of a chunk after the first settlement, though another one runs', async () => {
  const lane = 'w1/0a1b2c3d-run';
  const ended = bench.deps.freedSlots.chunkRuns(lane);
  const polled = watch([0], { boundMs: 60_000 });
  await new Promise((done) => setTimeout(done, 300));
  bench.ahead += 3_000;
  // The end of a third one wakes it.
  bench.deps.freedSlots.chunkRuns(lane)();
  expect((await polled).settled).toHaveLength(1);
  ended();
});

it('stores what it found some rows at a time, before it returns', async () => {
  const rows = Array.from({ length: 30 }, (_, place) => place);
  work = await bench.work(
    'w2',
    rows.map((row) => cnpj(row + 1)),
  );
  const ended = bench.deps.freedSlots.chunkRuns('w2/0a1b2c3d-run');
  let hasReturned = false;
  const polled = watch(rows, {}, environment(work)).finally(() => (hasReturned = true));
  let stored = 0;
  for (let tries = 0; tries < 40 && stored < 25; tries += 1) {
    await new Promise((done) => setTimeout(done, 50));
    stored = (await bench.outcomes(work)).length;
  }
  expect([stored >= 25, hasReturned]).toEqual([true, false]);
  ended();
  await polled;
  expect(await bench.outcomes(work)).toHaveLength(30);
});

it('does not stay once a response cannot be read: the workflow counts it', async () => {
  bench.server.reply = (_request, response) =>
    sendJson(response, 200, { data: { id: 'w-0', attributes: { status: 'queued' } } });
  const ended = bench.deps.freedSlots.chunkRuns('w1/0a1b2c3d-run');
  const startedAt = bench.now();
  const { unreadable } = await watch([0]);
  expect(unreadable).toBe(1);
  expect(bench.now() - startedAt).toBeLessThan(2_000);
  ended();
});

it('stores what it found though the store is away for a moment: another attempt passes no slot on', async () => {
  const file = jest.spyOn(bench.place.store.outcomes, 'file');
  file.mockRejectedValueOnce(new StoreError('gone', 'the disk is away'));
  const poll = watch([0]);
  expect(await bench.deps.freedSlots.take('w1/0a1b2c3d-run', 'r1', 5_000)).toBe(true);
  expect((await poll).handedOn).toEqual([['r1', 1]]);
  expect(file).toHaveBeenCalledTimes(2);
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
