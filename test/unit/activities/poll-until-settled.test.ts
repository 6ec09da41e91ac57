import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { ActivityEnvironment } from '../../support/activity-environment';
import { createPolling, type Reading } from '../../../src/activities/core/poll-until-settled';
import {
  ConnectionError,
  ContractError,
  jsonApiDocument,
  type StatusError,
} from '../../../src/apis/http/errors';
import { TokenUnavailableError } from '../../../src/apis/http/token';
import { answeredStatus } from '../../support/status-errors';
import { waitBounds } from '../../../src/domain/core/service/poll-timing';

const call = { method: 'GET', pathTemplate: '/x/{id}' };
const minute = 60_000;

/** What one read finds, or throws. */
type Find = Reading<string> | Error;

const running = (fields: object = {}): Find => ({
  kind: 'unsettled',
  value: 'r',
  status: 'running',
  unknownWord: null,
  pollAfterMs: 2_000,
  ...fields,
});
const done: Find = { kind: 'settled', value: 'd' };

const answered = (status: number, fields: object = {}): StatusError =>
  answeredStatus(call, status, fields);

const lost = new ConnectionError(call, 'maybe', { name: 'E', code: 'ECONNRESET', syscall: null });

function attempt(number: number): ActivityEnvironment {
  return new ActivityEnvironment({
    attempt: number,
    heartbeatTimeoutMs: 20_000,
    startToCloseTimeoutMs: 900_000,
  });
}

/** Waits with a clock that only pauses move; the last find is found for ever. */
class Bench {
  now = 0;
  reads: number[] = [];
  warnings: string[] = [];
  readonly stopping = new AbortController();
  environment = attempt(1);
  readonly pollUntilSettled = createPolling({
    stopping: this.stopping.signal,
    warn: (message, about) => this.warnings.push(`${message} ${about?.['word'] ?? ''}`),
    now: () => this.now,
    random: () => 0.5,
    pause: async (ms) => {
      this.now += ms;
      this.atPause();
    },
  });
  atPause: () => void = () => undefined;

  until(
    finds: Find[],
    terms: { deadlineAt?: number; seen?: string | null; patience?: number; quiet?: string } = {},
  ) {
    const { deadlineAt = 10 * minute, seen = 'running', patience, quiet } = terms;
    const read = async (): Promise<Reading<string>> => {
      this.reads.push(this.now);
      const found = finds[Math.min(this.reads.length, finds.length) - 1];
      if (found === undefined || found instanceof Error) throw found;
      return found;
    };
    return this.environment.run(() =>
      this.pollUntilSettled(read, {
        deadlineAt,
        since: 0,
        seen,
        what: 'a dossier',
        ...(patience !== undefined && { refusalPatienceMs: patience }),
        ...(quiet !== undefined && { quiet }),
      }),
    );
  }

  /** The delay of a wait that is left to the server. */
  async left(finds: Find[], terms: Parameters<Bench['until']>[1] = {}): Promise<unknown> {
    const failure: unknown = await this.until(finds, terms).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ApplicationFailure);
    expect(failure).toMatchObject({
      type: 'NotSettledYet',
      nonRetryable: false,
      category: 'BENIGN',
    });
    return (failure as ApplicationFailure).nextRetryDelay;
  }
}

let bench: Bench;
beforeEach(() => {
  bench = new Bench();
});
afterEach(() => jest.useRealTimers());

it('holds while the wait is short, at the interval that the service asks for', async () => {
  expect(await bench.until([running(), running({ pollAfterMs: 5_000 }), done])).toEqual(done);
  expect(bench.reads).toEqual([0, 2_000, 7_000]);
});

it('lets the server keep the timer when the wait is long', async () => {
  expect(await bench.left([running({ pollAfterMs: 30_000 })])).toBe(30_000);
  expect(bench.reads).toHaveLength(1);
});

it('holds for half a minute in all, then lets the server keep the shortest timer', async () => {
  expect(await bench.left([running({ pollAfterMs: 5_000 })])).toBe(5_000);
  expect(bench.now).toBe(30_000);
  expect(bench.reads).toHaveLength(7);
});

it('reads once in a later attempt, however short the wait is', async () => {
  bench.environment = attempt(2);
  expect(await bench.left([running({ pollAfterMs: 1_000 })])).toBe(1_000);
  expect(bench.reads).toEqual([0]);
});

it('holds to its deadline in a later attempt', async () => {
  bench.environment = attempt(9);
  expect(await bench.until([running()], { deadlineAt: 4_000 })).toMatchObject({ kind: 'expired' });
  expect(bench.reads).toEqual([0, 2_000, 4_000]);
});

it('reads by its own pace where the service names no interval', async () => {
  bench.now = 5 * minute;
  expect(await bench.left([running({ pollAfterMs: null })])).toBe(60_000);
});

it('leaves no timer beyond the deadline', async () => {
  const deadlineAt = 20_000;
  expect(await bench.left([running({ pollAfterMs: 3_600_000 })], { deadlineAt })).toBe(18_000);
});

it('reads once at its deadline, and tells as a value that it expired', async () => {
  const waited = bench.until([running({ pollAfterMs: 3_600_000 })], { deadlineAt: 4_000 });
  expect(await waited).toEqual({ kind: 'expired', value: 'r' });
  expect(bench.reads).toEqual([0, 4_000]);
});

it('what settles at the deadline has settled', async () => {
  const waited = bench.until([running({ pollAfterMs: 60_000 }), done], { deadlineAt: 4_000 });
  expect(await waited).toEqual(done);
});

it('reads once though the deadline has passed before it began', async () => {
  bench.now = 5_000;
  expect(await bench.until([done], { deadlineAt: 4_000 })).toEqual(done);
  bench.reads = [];
  expect(await bench.until([running()], { deadlineAt: 4_000 })).toMatchObject({ kind: 'expired' });
  expect(bench.reads).toHaveLength(1);
});

it('returns when what a person would want to see has changed', async () => {
  const waited = bench.until([running(), running({ status: 'needs_review', value: 'n' })]);
  expect(await waited).toEqual({ kind: 'changed', status: 'needs_review', value: 'n' });
});

it('tells the first state to a workflow that has seen none', async () => {
  expect(await bench.until([running()], { seen: null })).toMatchObject({ status: 'running' });
});

it('warns once of a word that is not known, and waits on', async () => {
  const odd = running({ unknownWord: 'arquivado' });
  expect(await bench.until([odd, odd, odd, done])).toEqual(done);
  expect(bench.warnings).toEqual(['a status word that is not known; it is waited on arquivado']);
});

it.each([
  ['no answer', lost],
  ['500', answered(500)],
  ['429', answered(429)],
  ['an answer that cannot be read', new ContractError(call, [{ path: 'id', code: 'x' }])],
])('waits out %s, without a change', async (_, fault) => {
  expect(await bench.until([running(), fault, fault, done])).toEqual(done);
  expect(bench.reads).toHaveLength(4);
});

it('waits as long as a Retry-After says', async () => {
  expect(await bench.left([answered(503, { retryAfterMs: 90_000 })])).toBe(90_000);
});

it.each([
  ['refused', answered(401)],
  ['not to be had', new TokenUnavailableError('the file is gone')],
])('credentials that are %s are a change, and so is their return', async (_, fault) => {
  expect(await bench.until([fault])).toEqual({
    kind: 'changed',
    status: 'waiting: credentials',
    value: null,
  });
  const returned = bench.until([fault, running()], { seen: 'waiting: credentials' });
  expect(await returned).toMatchObject({ kind: 'changed', status: 'running' });
});

it('a fault of another kind says that credentials are not waited for any more', async () => {
  const seen = 'waiting: credentials';
  const terms = { seen, quiet: 'asking', deadlineAt: minute };
  expect(await bench.until([answered(401), answered(503), running()], terms)).toMatchObject({
    kind: 'changed',
    status: 'asking',
  });
  expect(bench.reads).toHaveLength(2);
  const again = bench.until([answered(503)], { ...terms, seen: 'asking' });
  await expect(again).rejects.toMatchObject({ type: 'NotSettledYet' });
});

it('a read that is refused for good ends the wait', async () => {
  expect(await bench.until([answered(404, { code: 'not_found' })])).toEqual({
    kind: 'refused',
    status: 404,
    code: 'not_found',
    message: 'GET /x/{id}: answered 404 not_found',
  });
});

it('ends the wait when every read was refused for as long as it bears with it', async () => {
  const refused = answered(404);
  bench.now = 2 * 24 * 60 * minute;
  const terms = { patience: minute, deadlineAt: bench.now + 10 * minute };
  expect(await bench.until([refused, refused, done], terms)).toEqual(done);
  const from = bench.now;
  expect(await bench.until([refused], terms)).toMatchObject({ kind: 'refused', status: 404 });
  expect(bench.now - from).toBe(minute);
});

it('holds while it is refused, since the server would not remember it', async () => {
  bench.environment = attempt(7);
  const refused = answered(404);
  expect(await bench.until([refused, refused, done], { patience: minute })).toEqual(done);
});

it('begins anew to bear with refusals after an answer', async () => {
  const refused = answered(403);
  const finds = [refused, running({ pollAfterMs: 9_000 }), refused, done];
  expect(await bench.until(finds, { patience: 5_000 })).toEqual(done);
});

it('what the service calls passing is no refusal', async () => {
  const passing = answered(409, { retryable: true, retryAfterMs: 3_000 });
  expect(await bench.until([passing, passing, done])).toEqual(done);
  expect(bench.reads).toEqual([0, 3_000, 6_000]);
});

it('gives up a read that stands still over its deadline, as when the service has asked for a pause', async () => {
  const pollUntilSettled = createPolling({
    stopping: bench.stopping.signal,
    warn: () => undefined,
    now: Date.now,
    random: () => 0.5,
    bounds: { ...waitBounds, lastReadMs: 20 },
  });
  const notSent = new ConnectionError(call, 'no', {
    name: 'AbortError',
    code: null,
    syscall: null,
  });
  const standing = (signal: AbortSignal) =>
    new Promise<never>((_, fail) => signal.addEventListener('abort', () => fail(notSent)));
  const now = Date.now();
  const terms = { deadlineAt: now + 50, since: now, seen: 'running', what: 'a dossier' };
  const waited = bench.environment.run(() => pollUntilSettled<string>(standing, terms));
  expect(await waited).toEqual({ kind: 'expired', value: null });
});

it('passes on what is no fault of the service', async () => {
  await expect(bench.until([new TypeError('ours')])).rejects.toThrow(TypeError);
});

it('lets another worker go on when its own is to end', async () => {
  bench.atPause = () => bench.stopping.abort();
  expect(await bench.left([running(), running()])).toBe(1_000);
  expect(bench.reads).toHaveLength(1);
});

it('ends when it is cancelled between two reads', async () => {
  bench.atPause = () => bench.environment.cancel();
  await expect(bench.until([running(), running()])).rejects.toThrow(CancelledFailure);
  expect(bench.reads).toHaveLength(1);
});

it('ends early when every answer is a JSON:API document, and waits out another unreadable one', async () => {
  const unreadable = (code: string) => new ContractError(call, [{ path: 'attributes', code }]);
  const end = bench.until([unreadable(jsonApiDocument)], { patience: minute });
  expect(await end).toMatchObject({
    kind: 'refused',
    status: 200,
    message: 'GET /x/{id}: the answer cannot be read (attributes: json_api_document)',
  });
  expect(bench.now).toBe(minute);
  expect(await new Bench().until([unreadable('invalid_type'), done])).toMatchObject(done);
});

it('tells phases by its heartbeats', async () => {
  jest.useFakeTimers();
  const told: unknown[] = [];
  bench.environment.on('heartbeat', (details: unknown) => told.push(details));
  const pollUntilSettled = createPolling({
    stopping: bench.stopping.signal,
    warn: () => undefined,
    now: Date.now,
    random: () => 0.5,
  });
  const finds = [running({ details: { phases: 3 } }), done];
  const waited = bench.environment.run(() =>
    pollUntilSettled(async () => finds.shift() as Reading<string>, {
      deadlineAt: Date.now() + minute,
      since: Date.now(),
      seen: 'running',
      what: 'a dossier',
    }),
  );
  await jest.advanceTimersByTimeAsync(2_000);
  expect(await waited).toEqual(done);
  expect(told).toContainEqual({ phases: 3 });
});
