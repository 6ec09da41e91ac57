import { rowFlags, type PolledRow } from '../../../src/domain/certificates/certificate-rows';
import { sendJson } from '../../support/loopback-server';
import {
  CertificateBench,
  documentA,
  documentB,
  documents,
  environment,
} from './certificate-bench';

let bench: CertificateBench;

beforeEach(async () => {
  bench = await CertificateBench.start();
});

afterEach(() => bench.close());

/** A row whose next read is due at once. */
const row = (place: number, fields: { requestedAt?: number; dueAt?: number } = {}): PolledRow => [
  place,
  `c-${place}`,
  fields.requestedAt ?? bench.now(),
  fields.dueAt ?? 0,
  1,
  0,
];
const told = (status: string, more: object = {}, id = 'c-0') => ({
  certidao_id: id,
  status,
  ...more,
});
const answerAlways = (body: unknown): void => {
  bench.server.reply = (_request, response) => sendJson(response, 200, body);
};

it('settles an issuance that completed without evidence, and notes it', async () => {
  answerAlways(told('completed', { result: { classificacao: 'negativa' } }));
  const work = await bench.work('w1', [documentA]);
  expect(await bench.watch(work, { rows: [row(0)] })).toEqual({
    settled: [[0, 'issued']],
    due: [],
    tookOver: [],
    unreadable: 0,
    handedOn: [],
    readFailure: null,
  });
  expect(await bench.outcomes(work)).toMatchObject([
    {
      item: 0,
      status: 'issued',
      certidaoId: 'c-0',
      classification: 'negativa',
      note: 'no evidence',
    },
  ]);
  expect(await bench.facts.of('c-0')).toMatchObject({
    status: 'issued',
    answer: told('completed', { result: { classificacao: 'negativa' } }),
  });
});

it('settles an issuance that failed permanently, with the reason of the service', async () => {
  const error = { code: 'not_found', category: 'source', message: 'x', retryable: false };
  answerAlways(told('failed', { error }));
  const work = await bench.work('w1', [documentA]);
  expect((await bench.watch(work, { rows: [row(0)] })).settled).toEqual([[0, 'failed']]);
  expect(await bench.outcomes(work)).toMatchObject([
    { status: 'failed', errorCode: 'not_found', errorCategory: 'source', retryable: false },
  ]);
});

it.each([
  [30, 30_000],
  [null, 60_000],
])('gives a retryable failure back with the instant of the next request', async (told_, wait) => {
  const error = { code: 'down', retryable: true, retry_after_seconds: told_ };
  answerAlways(told('failed', { error }));
  const before = bench.now();
  const { settled } = await bench.watch(await bench.work('w1', [documentA]), { rows: [row(0)] });
  expect(settled).toEqual([[0, 'retryable', expect.any(Number)]]);
  const notBefore = settled[0]?.[2] ?? 0;
  expect(notBefore).toBeGreaterThanOrEqual(before + wait);
  expect(notBefore).toBeLessThanOrEqual(bench.now() + wait);
});

it.each([
  ['that is null at first is awaited', 2, ''],
  ['that stays null is none after five seconds', 99, 'no evidence'],
])('evidence %s', async (_, nulls, note) => {
  const pdf = Buffer.from('%PDF-1.7 a certificate');
  let reads = 0;
  bench.server.reply = ({ path }, response) => {
    if (path.endsWith('/pdf')) return void response.end(pdf);
    reads += 1;
    if (nulls > 9) bench.ahead += 3_000;
    const evidence = reads > nulls ? { pdf_url: '/api/v1/certidoes/c-0/pdf' } : null;
    sendJson(response, 200, told('completed', { evidence }));
  };
  const work = await bench.work('w1', [documentA]);
  const { settled } = await bench.watch(work, { rows: [row(0)], boundMs: 20_000 });
  expect(settled).toEqual([[0, 'issued']]);
  const [outcome] = await bench.outcomes(work);
  expect(outcome).toMatchObject({ note: note || 'sha256 unchecked' });
});

it('keeps on reading under an unlisted status word, and warns of each word once', async () => {
  const words = ['em_analise', 'em_analise', 'pausado', 'em_analise', 'completed'];
  bench.server.reply = (_request, response) =>
    sendJson(response, 200, told(words[bench.server.received.length - 1] ?? 'completed'));
  const work = await bench.work('w1', [documentA]);
  const { settled } = await bench.watch(work, { rows: [row(0)] });
  expect(settled).toEqual([[0, 'issued']]);
  expect(bench.warnings.map(({ about }) => about)).toEqual([
    { status: 'em_analise' },
    { status: 'pausado' },
  ]);
});

it('returns a known fact without any call', async () => {
  await bench.putFact('c-0', { note: 'known' });
  const work = await bench.work('w1', [documentA]);
  expect((await bench.watch(work, { rows: [row(0)] })).settled).toEqual([[0, 'issued']]);
  expect(bench.server.received).toEqual([]);
  expect(await bench.outcomes(work)).toMatchObject([{ status: 'issued', note: 'known' }]);
});

it('settles nothing and stores no fact from an answer about another issuance', async () => {
  answerAlways(told('completed', {}, 'c-other'));
  const work = await bench.work('w1', [documentA]);
  const answer = await bench.watch(work, { rows: [row(0)], boundMs: 150 });
  expect(answer.settled).toEqual([]);
  expect(await bench.facts.of('c-other')).toBeNull();
  expect(await bench.facts.of('c-0')).toBeNull();
});

it.each([
  ['with its id', { id: 'c-0', type: 'certidao', attributes: { status: 'completed' } }],
  ['below data', { data: { id: 'c-0', attributes: { certidao_id: 'c-0', status: 'queued' } } }],
])('fails a row early when the service answers in JSON:API, %s', async (_, body) => {
  answerAlways(body);
  const work = await bench.work('w1', [documentA]);
  const answer = await bench.watch(work, { rows: [row(0)] });
  expect(answer).toMatchObject({ settled: [[0, 'failed']], unreadable: 1 });
  expect(await bench.outcomes(work)).toMatchObject([
    {
      status: 'failed',
      certidaoId: 'c-0',
      errorCode: 'unreadable_answer',
      errorMessage: expect.stringContaining('(attributes: json_api_document)'),
    },
  ]);
});

it('reads once more at the deadline, and only then gives up', async () => {
  answerAlways(told('processing'));
  const work = await bench.work('w1', [documentA]);
  const requestedAt = bench.now() - 10_000;
  // The next read would be due long after the deadline.
  const rows = [row(0, { requestedAt, dueAt: bench.now() + 50_000 })];
  const { settled } = await bench.watch(work, { rows, rowDeadlineMs: 10_100 });
  expect(settled).toEqual([[0, 'expired']]);
  expect(bench.server.received).toHaveLength(1);
  expect(bench.now()).toBeGreaterThanOrEqual(requestedAt + 10_100);
  expect(await bench.outcomes(work)).toMatchObject([
    { status: 'expired', certidaoId: 'c-0', errorCode: 'deadline' },
  ]);
});

it('takes an issuance that completed just before the deadline', async () => {
  answerAlways(told('completed'));
  const work = await bench.work('w1', [documentA]);
  const rows = [row(0, { requestedAt: bench.now() - 10_000 })];
  expect((await bench.watch(work, { rows, rowDeadlineMs: 5_000 })).settled).toEqual([
    [0, 'issued'],
  ]);
});

it('gives up at the deadline when the last read fails, and says why', async () => {
  bench.server.reply = (_request, response) => sendJson(response, 500, {});
  const work = await bench.work('w1', [documentA]);
  const rows = [row(0, { requestedAt: bench.now() - 10_000 })];
  expect((await bench.watch(work, { rows, rowDeadlineMs: 5_000 })).settled).toEqual([
    [0, 'expired'],
  ]);
  const [outcome] = await bench.outcomes(work);
  expect(outcome?.errorMessage).toBe(
    'the last read failed: GET /certidoes/{certidaoId}: answered 500',
  );
});

it('returns at its bound with what is still due, and moves nothing that was not read', async () => {
  bench.server.reply = ({ path }, response) =>
    sendJson(response, 200, told('processing', {}, path.split('/').at(-1)));
  const work = await bench.work('w1', [documentA, documentB]);
  const started = Date.now();
  const later = bench.now() + 60_000;
  const rows = [row(0), row(1, { dueAt: later })];
  const answer = await bench.watch(work, { rows, boundMs: 150 });
  expect(answer.settled).toEqual([]);
  expect(answer.due).toEqual([[0, expect.any(Number)]]);
  expect(answer.due[0]?.[1]).toBeGreaterThan(started);
  expect(Date.now() - started).toBeGreaterThanOrEqual(149);
  expect(Date.now() - started).toBeLessThan(2_000);
  expect(await bench.outcomes(work)).toEqual([]);
});

it('lingers after the first settlement, to take those along that settle soon after', async () => {
  bench.server.reply = async ({ path }, response) => {
    const id = path.split('/').at(-1) ?? '';
    if (id === 'c-1') await new Promise((done) => setTimeout(done, 60));
    sendJson(response, 200, told(id === 'c-2' ? 'processing' : 'completed', {}, id));
  };
  const work = await bench.work('w1', documents);
  const started = Date.now();
  const rows = [row(0), row(1), row(2)];
  const { settled } = await bench.watch(work, {
    rows,
    slotLingerMs: 400,
    lingerMs: 400,
    boundMs: 20_000,
  });
  expect(settled.map(([place]) => place)).toEqual([0, 1]);
  expect(Date.now() - started).toBeGreaterThanOrEqual(399);
  expect(Date.now() - started).toBeLessThan(5_000);
});

it('returns at once when nothing is left', async () => {
  expect(await bench.watch(await bench.work('w1', [documentA]), { rows: [] })).toEqual({
    settled: [],
    due: [],
    tookOver: [],
    unreadable: 0,
    handedOn: [],
    readFailure: null,
  });
});

it.each([
  ['before the deadline', 3_600_000],
  ['past the deadline', 1],
])('calls a refused token trouble and never an outcome, %s', async (_words, rowDeadlineMs) => {
  bench.server.reply = (_request, response) => void response.writeHead(401).end();
  const work = await bench.work('w1', [documentA]);
  const rows = [row(0, { requestedAt: bench.now() - 20_000 })];
  const answer = await bench.watch(work, { rows, boundMs: 200, rowDeadlineMs });
  expect(answer).toMatchObject({ settled: [], readFailure: 'credentials' });
  expect(answer.due).toHaveLength(1);
  expect(await bench.outcomes(work)).toEqual([]);
});

it('reports failing reads, and takes it back once one succeeds', async () => {
  bench.server.reply = (_request, response) => void response.socket?.resetAndDestroy();
  const work = await bench.work('w1', [documentA]);
  expect(await bench.watch(work, { rows: [row(0)], boundMs: 100 })).toMatchObject({
    settled: [],
    readFailure: 'unreachable',
  });
  answerAlways(told('completed'));
  expect(await bench.watch(work, { rows: [row(0)] })).toMatchObject({ readFailure: null });
});

it('logs a failed read of the store, and reads again', async () => {
  const unheard: unknown[] = [];
  const hear = (reason: unknown): void => void unheard.push(reason);
  process.on('unhandledRejection', hear);
  answerAlways(told('completed'));
  const work = await bench.work('w1', [documentA]);
  jest
    .spyOn(bench.place.store, 'read')
    .mockRejectedValueOnce(Object.assign(new Error('EIO'), { code: 'EIO' }));
  const { settled } = await bench.watch(work, { rows: [row(0)] });
  await new Promise((done) => setTimeout(done, 20));
  process.off('unhandledRejection', hear);
  expect(settled).toEqual([[0, 'issued']]);
  expect(unheard).toEqual([]);
});

it.each([
  ['asks again for', 'shared', rowFlags.shared, 'retryable'],
  ['takes', 'its own', 0, 'issued'],
])('%s what is %s and was completed before the limit', async (_does, _whose, flags, ending) => {
  answerAlways(told('completed', { completed_at: '2020-01-01T00:00:00Z' }));
  const work = await bench.work('w1', [documentA]);
  const rows: PolledRow[] = [[0, 'c-0', bench.now(), 0, 0, flags]];
  const { settled } = await bench.watch(work, { rows, reuseSince: bench.now() - 60_000 });
  expect(settled.map(([place, status]) => [place, status])).toEqual([[0, ending]]);
});

it.each([
  ['asks again for', 'shared', rowFlags.shared, 'retryable'],
  ['takes', 'its own', 0, 'issued'],
])('%s what is %s and was erased', async (_does, _whose, flags, ending) => {
  await bench.putFact('c-0', { erased: true });
  const work = await bench.work('w1', [documentA]);
  const rows: PolledRow[] = [[0, 'c-0', bench.now(), 0, 0, flags]];
  const { settled } = await bench.watch(work, { rows });
  expect(settled.map(([place, status]) => [place, status])).toEqual([[0, ending]]);
});

it('waits for a 404 to become an issuance, as replicas need time', async () => {
  bench.server.reply = (_request, response) =>
    bench.server.received.length < 2
      ? sendJson(response, 404, {})
      : sendJson(response, 200, told('completed'));
  const work = await bench.work('w1', [documentA]);
  expect((await bench.watch(work, { rows: [row(0)] })).settled).toEqual([[0, 'issued']]);
  expect(bench.server.received).toHaveLength(2);
});

it('does not believe an issuance to be lost until it has been refused several times', async () => {
  bench.server.reply = (_request, response) => sendJson(response, 410, { code: 'gone' });
  const work = await bench.work('w1', [documentA]);
  const rows = [row(0, { requestedAt: bench.now() - 3_500_000 })];
  const answer = await bench.watch(work, { rows, boundMs: 300 });
  expect(answer.settled).toEqual([]);
  expect(answer.due).toHaveLength(1);
});

it('returns when the worker stops, and when it is cancelled', async () => {
  answerAlways(told('processing'));
  const work = await bench.work('w1', [documentA]);
  const rows = [row(0, { dueAt: bench.now() + 60_000 })];
  const env = environment(work);
  const cancelled = bench.watch(work, { rows, boundMs: 60_000 }, env);
  setTimeout(() => env.cancel(), 20);
  expect(await cancelled).toMatchObject({ settled: [], due: [] });
  const stopped = bench.watch(work, { rows, boundMs: 60_000 });
  setTimeout(() => bench.stopping.abort(), 20);
  expect(await stopped).toMatchObject({ settled: [], due: [] });
});

it('stores what a repeated attempt finds under a name of its own', async () => {
  await bench.putFact('c-0');
  const work = await bench.work('w1', [documentA]);
  for (const attempt of [1, 2]) {
    await bench.watch(work, { rows: [row(0)] }, environment(work, { attempt }));
  }
  expect(await bench.outcomes(work)).toMatchObject([{ item: 0 }, { item: 0 }]);
});
