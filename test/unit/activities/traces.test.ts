import type { BeforeSend } from '../../../src/apis/http/call';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { ActivityEnvironment } from '../../support/activity-environment';
import {
  createTraceActivities,
  type TraceDependencies,
} from '../../../src/activities/traces/traces';
import { ConnectionError, StatusError } from '../../../src/apis/http/errors';
import { TokenUnavailableError } from '../../../src/apis/http/token';
import type { TraceAnswer, TraceRequest } from '../../../src/apis/investigation/traces';
import {
  traceSubject,
  type Attempt,
  type Receipt,
} from '../../../src/domain/core/service/attempts';
import { SubjectRepository } from '../../../src/store/core/subjects';
import { Store } from '../../../src/store/store';
import { TraceRepository } from '../../../src/store/traces/traces';
import type { Trace } from '../../../src/apis/investigation/wire/traces.wire';
import { readAll } from '../../support/audit-entries';
import { accepted, claimAt, putAttempt } from '../../support/stored-attempts';
import { answeredStatus } from '../../support/status-errors';
import { TemporaryStore } from '../../support/temporary-store';

const hour = 3_600_000;
const call = { method: 'POST', pathTemplate: '/rastro' };
const name = 'ab'.repeat(16);
const ref = { jobId: `trace/${name}/1`, folder: `traces/${name}/1` };
const target = 'x@example.com';

let place: TemporaryStore;
let nowMs: number;
/** What each send comes to, and what the list shows. */
let sends: (TraceAnswer | Error)[];
let listed: Trace[];
let sent: TraceRequest[];
/** Requests that left, and what happens as one does. */
let left: number;
let whenSent: () => Promise<void>;
/** From when on it shows it. */
let listedFrom: number;
let walks: number;
/** What reads of a search that has settled tell. */
let answers: object[];
/** Ends that were counted. */
let counted: string[];
/** What is not taken in, as on a disk that is full: puts of keys that match, or receipts. */
let refuses: RegExp | 'receipts' | null;

beforeEach(async () => {
  place = new TemporaryStore();
  nowMs = Date.parse('2026-01-05T10:00:00.000Z');
  [sends, listed, sent, walks] = [[], [], [], 0];
  [counted, answers] = [[], []];
  [listedFrom, refuses, left] = [nowMs, null, 0];
  whenSent = async () => undefined;
  const asked = { ...ref, name, targetName: 't', target, strategy: 'all' as const, label: null };
  await file().putRecord(ref.folder, { ...asked, createdAt: '', createdBy: 'tester' });
});
afterEach(() => place.remove());

const file = (): TraceRepository => new TraceRepository(place.store);

/** What was claimed last for the ask, but for what surely was not processed; null: nothing. */
async function claimed(): Promise<Attempt | null> {
  const all = await place.store.attempts.of(traceSubject(name));
  const isDone = (kind: Receipt['kind'] | undefined) => kind === 'not_sent' || kind === 'refused';
  return all.findLast(({ receipt }) => !isDone(receipt?.kind)) ?? null;
}

function found(traceId: string, more: Partial<Trace> = {}): Trace {
  const createdAt = new Date(nowMs).toISOString();
  const told = { state: 'queued', target, strategy: 'all', createdAt, artifacts: [] };
  return { traceId, coverage: null, ...told, ...more } as unknown as Trace;
}

const answered = (traceId: string): TraceAnswer => ({ trace: found(traceId), answer: {} });
const lost = (): Error =>
  new ConnectionError(call, 'maybe', { name: 'Error', code: null, syscall: null });
const refusal = (status: number, retryable: boolean | null = null): StatusError =>
  answeredStatus(call, status, { code: 'c', retryable });

/** The activities, on a clock that passes while they wait. */
function activities(onSend: (signal: AbortSignal) => void = () => undefined) {
  const traces = {
    timeoutMs: 30_000,
    create: async (request: TraceRequest, signal: AbortSignal, beforeSend: BeforeSend) => {
      sent.push(request);
      onSend(signal);
      const answer = sends.shift() ?? refusal(500);
      if (answer instanceof TokenUnavailableError || signal.aborted) throw answer;
      (await beforeSend())?.();
      left += 1;
      await whenSent();
      if (answer instanceof Error) throw answer;
      return answer;
    },
    read: async () => ({ trace: found('t1', { state: 'completed' }), answer: answers.shift() }),
    pages: async function* () {
      walks += 1;
      yield {
        items: (nowMs < listedFrom ? [] : listed).map((item) => ({
          kind: 'item',
          item,
          answer: {},
        })),
        nextCursor: null,
        hasMore: false,
        ids: null,
      };
    },
  };
  return createTraceActivities({
    traces: traces as unknown as TraceDependencies['traces'],
    store: filling(),
    nameOf: (text) => text,
    metrics: { count: (_, labels) => counted.push((labels as { status: string }).status) },
    audit: null as never,
    stopping: new AbortController().signal,
    warn: () => undefined,
    now: () => nowMs,
    random: () => 0.5,
    pause: async (ms) => {
      nowMs += ms;
    },
  });
}

function filling(): TraceDependencies['store'] {
  const store = new Store(place.database);
  const put = store.records.putIfAbsent.bind(store.records);
  store.records.putIfAbsent = async (key, ...more) => {
    if (refuses instanceof RegExp && refuses.test(key)) throw new Error('ENOSPC');
    return put(key, ...more);
  };
  const receive = store.attempts.putReceipt.bind(store.attempts);
  store.attempts.putReceipt = async (...receipt) => {
    if (refuses === 'receipts') throw new Error('ENOSPC');
    return receive(...receipt);
  };
  return store;
}

/** Reads the search that has settled, as a worker would. */
function read() {
  const { awaitTrace } = activities();
  const order = { ref, traceId: 't1', deadlineAt: nowMs + hour, since: nowMs, seen: 'queued' };
  return new ActivityEnvironment().run(awaitTrace, order);
}

/** Starts the search as a worker would. */
async function start(since = nowMs) {
  const { startTrace } = activities();
  const order = { ref, deadlineAt: nowMs + hour, since, seen: 'requesting' };
  for (;;) {
    try {
      return await new ActivityEnvironment().run(startTrace, order);
    } catch (error) {
      // The server keeps the timer, and tries again.
      if (!(error instanceof ApplicationFailure) || error.nextRetryDelay == null) throw error;
      nowMs += Number(error.nextRetryDelay);
    }
  }
}

test('a lost answer is asked for again with the key that is on file', async () => {
  sends = [lost(), answered('t1')];
  expect(await start()).toMatchObject({ kind: 'settled', value: { traceId: 't1' } });
  expect(sent.map(({ key }) => key)).toEqual(Array(2).fill(`diligence-trace-${name}`));
  expect((await claimed())?.receipt).toMatchObject({
    externalId: 't1',
    reported: { foundBy: 'answer' },
  });
  expect(walks).toBe(0);
});

test('what was made is not asked for again', async () => {
  sends = [answered('t1')];
  await start();
  expect(await start()).toMatchObject({ kind: 'settled', value: { traceId: 't1' } });
  expect(sent).toHaveLength(1);
});

test.each(['refused', 'expired', 'completed'] as const)(
  'a work that is started again after it ended %s asks for nothing, and its end stands',
  async (status) => {
    const { finalizeTrace } = activities();
    const outcome = { seen: null, error: null, startedAt: '' };
    const stands = await finalizeTrace({ ref, outcome: { ...outcome, status } });
    expect(await start()).toEqual({ kind: 'settled', value: { kind: 'ended', status } });
    expect([sent, await claimed()]).toEqual([[], null]);
    nowMs += hour;
    expect(await finalizeTrace({ ref, outcome: { ...outcome, status } })).toEqual(stands);
    expect(counted).toEqual([status]);
  },
);

test('a key that was sent long ago may be forgotten: what it made is looked for first', async () => {
  await putAttempt(place.store, traceSubject(name), { at: nowMs - 2 * hour });
  listed = [found('t1')];
  expect(await start()).toMatchObject({ value: { traceId: 't1' } });
  expect(sent).toHaveLength(0);
});

test('of a refused key, no search is taken that is older, of another ask or of another target', async () => {
  await putAttempt(place.store, traceSubject('another-ask'), { receipt: accepted('theirs') });
  listed = [
    found('old', { createdAt: '2026-01-05T09:00:00.000Z' }),
    found('other', { target: 'X@example.com' }),
    found('first', { strategy: 'first_match' }),
    found('theirs'),
    found('mine'),
  ];
  sends = [lost(), refusal(409)];
  expect(await start()).toMatchObject({ value: { traceId: 'mine' } });
  expect((await claimed())?.receipt).toMatchObject({ reported: { foundBy: 'list' } });
});

test('a refused key that leads nowhere is an unknown outcome, once the list had its time', async () => {
  sends = [lost(), ...Array.from({ length: 200 }, () => refusal(409))];
  const startedAt = nowMs;
  expect(await start()).toMatchObject({ kind: 'settled', value: { kind: 'unknown', code: 'c' } });
  expect(nowMs - startedAt).toBeGreaterThanOrEqual(120_000);
  expect(await claimed()).toMatchObject({ receipt: null });
});

test.each([400, 402, 403, 422])(
  'a repetition that is refused with %d is not believed while the list may lag',
  async (status) => {
    sends = [lost(), ...Array.from({ length: 200 }, () => refusal(status))];
    listed = [found('t1')];
    listedFrom = nowMs + 60_000;
    expect(await start()).toMatchObject({ kind: 'settled', value: { traceId: 't1' } });
  },
);

test('a repetition that stays refused is a refusal, and what may have left stays on file', async () => {
  sends = [lost(), ...Array.from({ length: 200 }, () => refusal(422))];
  const startedAt = nowMs;
  expect(await start()).toMatchObject({ kind: 'refused', status: 422 });
  expect(nowMs - startedAt).toBeGreaterThanOrEqual(120_000);
  expect(await claimed()).toMatchObject({ receipt: null });
});

test('a fault that the service calls final is an unknown outcome at once', async () => {
  sends = [refusal(503, false)];
  const startedAt = nowMs;
  expect(await start()).toMatchObject({ kind: 'settled', value: { kind: 'unknown', code: 'c' } });
  expect(nowMs - startedAt).toBeLessThan(5_000);
  expect(sent).toHaveLength(1);
});

test('the list has its time from the first send on, however long that waited', async () => {
  sends = [lost(), ...Array.from({ length: 200 }, () => refusal(409))];
  listed = [found('t1')];
  listedFrom = nowMs + 110_000;
  expect(await start(nowMs - hour)).toMatchObject({ value: { traceId: 't1' } });
});

test('a repetition that is refused its token waits for credentials, as any request', async () => {
  sends = [lost(), refusal(401)];
  expect(await start()).toMatchObject({ kind: 'changed', status: 'waiting: credentials' });
  expect(walks).toBe(0);
});

test('no answer is on file that the index does not know', async () => {
  answers = [{ holder: '529.982.247-25' }, { holder: '529.982.247-25' }, { holder: '11144477735' }];
  const add = jest.spyOn(SubjectRepository.prototype, 'add').mockRejectedValue(new Error('ENOSPC'));
  await expect(read()).rejects.toThrow('ENOSPC');
  add.mockRestore();
  expect(await file().answer(ref.folder)).toBeNull();
  refuses = /answer\.json$/;
  await expect(read()).rejects.toThrow('ENOSPC');
  refuses = null;
  expect(await read()).toMatchObject({ kind: 'settled', value: { state: 'completed' } });
  const people = ['52998224725', '11144477735'];
  for (const person of people)
    expect([...(await place.store.subjects.lines(person)).keys()]).toEqual([ref.folder]);
});

test('a search that could not be put on file is asked for again with its key, and told of once', async () => {
  sends = [answered('t1'), answered('t1')];
  refuses = 'receipts';
  await expect(start()).rejects.toThrow('ENOSPC');
  expect(await readAll(place.store)).toEqual([]);
  refuses = null;
  await start();
  await start();
  expect(new Set(sent.map(({ key }) => key)).size).toBe(1);
  expect(await readAll(place.store)).toMatchObject([
    { kind: 'request', details: { traceId: 't1', foundBy: 'answer' } },
  ]);
});

test('a refusal is told in the words of the service', async () => {
  sends = [answeredStatus(call, 422, { code: 'c', detail: 'Alvo bloqueado' })];
  expect(await start()).toMatchObject({
    kind: 'refused',
    message: expect.stringMatching(/422 c.*: Alvo bloqueado$/),
  });
});

test('who is refused says nothing of what another one has sent meanwhile', async () => {
  sends = [refusal(422)];
  const joins = jest.fn(async () => {
    const its = claimAt(nowMs);
    expect(await place.store.attempts.take(traceSubject(name), its, ref.folder)).toMatchObject({
      isNew: false,
    });
  });
  whenSent = joins;
  expect(await start()).toMatchObject({ kind: 'refused', status: 422 });
  expect(joins).toHaveBeenCalled();
  expect(await claimed()).toMatchObject({ receipt: null });
});

test.each([
  ['cancelled', { resolved: { kind: 'stopped' } }],
  ['paused', { rejected: { type: 'NotSettledYet' } }],
] as const)('nothing is sent once the job is %s, and nothing is left open', async (word, end) => {
  await place.store.jobs.stop(ref.folder, word);
  sends = [answered('t1')];
  const { startTrace } = activities();
  const order = { ref, deadlineAt: nowMs + hour, since: nowMs, seen: 'requesting' };
  const started = new ActivityEnvironment().run(startTrace, order);
  const came = await started.then(
    (resolved: unknown) => ({ resolved }),
    (rejected: unknown) => ({ rejected }),
  );
  expect(came).toMatchObject(end);
  expect([left, await claimed()]).toEqual([0, null]);
});

test.each([400, 403, 409, 422])(
  'a first answer %d refuses, and nothing is left open',
  async (status) => {
    sends = [refusal(status)];
    expect(await start()).toMatchObject({ kind: 'refused', status });
    expect([walks, await claimed()]).toEqual([0, null]);
  },
);

test('a refusal that may pass is asked again', async () => {
  sends = [refusal(409, true), answered('t1')];
  expect(await start()).toMatchObject({ value: { traceId: 't1' } });
});

test('called off while it waits to be let in, nothing is sent and nothing is left open', async () => {
  const environment = new ActivityEnvironment();
  sends = [new ConnectionError(call, 'no', { name: 'AbortError', code: null, syscall: null })];
  const { finalizeTrace, startTrace } = activities((signal) => {
    environment.cancel();
    expect(signal.aborted).toBe(true);
  });
  const order = { ref, deadlineAt: nowMs + hour, since: nowMs, seen: 'requesting' };
  await expect(environment.run(startTrace, order)).rejects.toThrow(CancelledFailure);
  const outcome = { status: 'cancelled', seen: null, error: null, startedAt: '' } as const;
  expect(await finalizeTrace({ ref, outcome })).toMatchObject({ status: 'cancelled', error: null });
});

test('a worker that is lost while its request waits to be let in leaves no intent', async () => {
  const { finalizeTrace, startTrace } = activities(() => {
    throw new Error('the process ended here');
  });
  const order = { ref, deadlineAt: nowMs + hour, since: nowMs, seen: 'requesting' };
  await expect(new ActivityEnvironment().run(startTrace, order)).rejects.toThrow('ended here');
  expect(await claimed()).toBeNull();
  const outcome = { status: 'expired', seen: null, error: null, startedAt: '' } as const;
  expect(await finalizeTrace({ ref, outcome })).toMatchObject({ status: 'expired', error: null });
});

test('without a token nothing left, and what is called off then is not called unknown', async () => {
  sends = [new TokenUnavailableError('the file is gone')];
  expect(await start()).toMatchObject({ kind: 'changed', status: 'waiting: credentials' });
  expect(await claimed()).toBeNull();
});

test('tells what the request was answered, with what it cost', async () => {
  const billing = { status: 'reserved', amount: 2, unit: 'credits' };
  sends = [{ trace: found('t1', { billing }), answer: {} }];
  expect(await start()).toMatchObject({ value: { seen: { state: 'queued', billing } } });
});

test('what surely never left, or was turned away, leaves no intent', async () => {
  const never = { name: 'Error', code: 'ECONNREFUSED', syscall: null };
  sends = Array.from({ length: 5_000 }, (_, n) =>
    n % 3 === 0 ? new ConnectionError(call, 'no', never) : refusal(n % 3 === 1 ? 429 : 503),
  );
  expect(await start()).toMatchObject({ kind: 'expired' });
  expect(await claimed()).toBeNull();
});
