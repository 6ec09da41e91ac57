import type { BeforeSend } from '../../../src/apis/http/call';
import type { Readable } from 'node:stream';
import { ActivityEnvironment } from '../../support/activity-environment';
import type { LensDependencies } from '../../../src/activities/dependencies';
import { createLensActivities } from '../../../src/activities/lens/lens';
import { ConnectionError, ContractError, type StatusError } from '../../../src/apis/http/errors';
import { TokenUnavailableError } from '../../../src/apis/http/token';
import { lensSubject, undecidedAttempt } from '../../../src/domain/core/service/attempts';
import { putLarge } from '../../../src/store/core/large-objects';
import { LensRepository, lensInputKey, lensUploads } from '../../../src/store/lens/lens';
import type { AuditEntry } from '../../../src/domain/core/audit';
import type { LensOutcome, LensRecord } from '../../../src/domain/lens/analyze';
import type { LensAnalysis } from '../../../src/apis/investigation/wire/lens.wire';
import { readAll } from '../../support/audit-entries';
import { newStore } from '../../support/new-store';
import { answeredStatus } from '../../support/status-errors';
import { accepted, putAttempt } from '../../support/stored-attempts';

const call = { method: 'POST', pathTemplate: '/lente/analyses' };
const lost = new ConnectionError(call, 'maybe', { name: 'E', code: 'ECONNRESET', syscall: null });
const notSent = new ConnectionError(call, 'no', { name: 'E', code: 'ECONNREFUSED', syscall: null });
const unreadable = new ContractError(call, [{ path: 'id', code: 'invalid' }]);

const answered = (status: number, fields: object = {}): StatusError =>
  answeredStatus(call, status, fields);

const name = '0a1b'.repeat(8);
const ref = { jobId: `lens/${name}/20260101T1Z`, folder: `lens/${name}/20260101T1Z` };
const picture = Buffer.from('a picture');
const billing = { status: 'charged', amount: 3, unit: 'tokens' };
const key = lensInputKey('aa'.repeat(32));

interface Failure {
  error: Error;
  /** The service acted before the answer was lost. */
  taken?: boolean;
}

/** A service with one analysis for each key, and the store of its uploads. */
class Bench {
  readonly store = newStore();
  readonly audit: AuditEntry[] = [];
  readonly keys: string[] = [];
  readonly made = new Map<string, string>();
  readonly uploads: string[] = [];
  readonly ended: string[] = [];
  /** How the service writes an id in its answer to a request. */
  spelling = (analysisId: string): string => analysisId;
  now = 1_000;
  state: LensAnalysis['state'] = 'awaiting_upload';
  expiresAt: string | null = null;
  readsTellUpload = true;
  createsTellUpload = true;
  heedsKeys = true;
  waitsForPermit = false;
  reading: Error | null = null;
  reads = 0;
  createFails: Failure[] = [];
  uploadFails: Failure[] = [];
  readonly activities;

  constructor() {
    const view = (analysisId: string, tellsUpload: boolean) => {
      const upload = { method: 'PUT', url: 'https://store', headers: {} };
      const isAwaiting = this.state === 'awaiting_upload' && tellsUpload;
      const analysis = {
        analysisId,
        state: this.state,
        statusWord: this.state,
        billing,
        upload: isAwaiting ? { ...upload, expiresAt: this.expiresAt } : null,
        artifacts: [],
        result: null,
        failure: null,
        pollAfterMs: null,
      };
      return { analysis: analysis as unknown as LensAnalysis, answer: {} };
    };
    const lens = {
      submitPath: null,
      timeoutMs: 30_000,
      create: async (asked: { key: string }, signal: AbortSignal, beforeSend?: BeforeSend) => {
        if (this.waitsForPermit) {
          await new Promise((done) => signal.addEventListener('abort', done));
          throw notSent;
        }
        this.keys.push(asked.key);
        (await beforeSend?.())?.();
        const sent = this.heedsKeys ? asked.key : `${asked.key}/${this.keys.length}`;
        const failure = this.createFails.shift();
        if (failure === undefined || failure.taken === true) {
          this.made.set(sent, this.made.get(sent) ?? `analysis-${this.made.size + 1}`);
        }
        if (failure !== undefined) throw failure.error;
        return view(this.spelling(this.made.get(sent) ?? ''), this.createsTellUpload);
      },
      read: async (analysisId: string) => {
        this.reads += 1;
        if (this.reading !== null) throw this.reading;
        return view(analysisId, this.readsTellUpload);
      },
      upload: async (_: object, open: () => Readable) => {
        const chunks: Buffer[] = [];
        for await (const chunk of open() as AsyncIterable<Buffer>) chunks.push(chunk);
        this.uploads.push(Buffer.concat(chunks).toString());
        const failure = this.uploadFails.shift();
        if (failure === undefined || failure.taken === true) this.state = 'queued';
        if (failure !== undefined) throw failure.error;
      },
    };
    this.activities = createLensActivities({
      lens,
      store: this.store,
      audit: { append: async (entries: AuditEntry[]) => void this.audit.push(...entries) },
      nameOf: (document: string) => document,
      metrics: {
        count: (_: string, { status }: { status: string }) => void this.ended.push(status),
      },
      stopping: new AbortController().signal,
      warn: () => undefined,
      now: () => this.now,
      random: () => 0.5,
      pause: async (ms: number) => {
        this.now += ms;
      },
    } as unknown as LensDependencies);
  }

  async file(): Promise<void> {
    await putLarge(this.store, key, bytes());
    const file = { fileName: 'p.png', bytes: picture.length, sha256: 'aa'.repeat(32), key };
    const record = {
      jobId: ref.jobId,
      name,
      file,
      mode: null,
      createdBy: 'x',
      createdAt: '2026',
    };
    await new LensRepository(this.store).putRecord(ref.folder, record as unknown as LensRecord);
  }

  submit(attempt = 1, environment?: ActivityEnvironment) {
    const order = { ref, attempt, deadlineAt: 600_000, since: 0, seen: 'handing in' };
    return this.#run(() => this.activities.submitLens(order), environment);
  }

  /** Each step in a process of its own. */
  async submitStepByStep() {
    for (let count = 2; ; count += 1) {
      const environment = new ActivityEnvironment({ ...timeouts, attempt: count });
      try {
        return await this.submit(1, environment);
      } catch (error) {
        if (count > 20 || (error as { type?: string }).type !== 'NotSettledYet') throw error;
        this.now += 1_000;
      }
    }
  }

  async undecided() {
    return undecidedAttempt(await this.store.attempts.of(lensSubject(name, 1)));
  }

  look() {
    return this.#run(() => this.activities.lookAtLens({ ref, attempt: 1 }));
  }

  conclude(outcome: Partial<LensOutcome>, attempt = 1): Promise<LensOutcome> {
    const whole = { seen: null, files: null, error: null, replaced: [], ...outcome } as LensOutcome;
    return this.#run(() => this.activities.finalizeLens({ ref, attempt, outcome: whole }));
  }

  #run<T>(work: () => Promise<T>, environment = new ActivityEnvironment(timeouts)): Promise<T> {
    return environment.run(work);
  }
}

const timeouts = { heartbeatTimeoutMs: 20_000, startToCloseTimeoutMs: 900_000 };

async function* bytes(): AsyncGenerator<Buffer> {
  yield picture;
}

let bench: Bench;
beforeEach(async () => {
  bench = new Bench();
  await bench.file();
});

const submitted = {
  kind: 'settled',
  value: { kind: 'submitted', analysisId: 'analysis-1', state: 'queued' },
};

it.each<[string, Failure[]]>([
  ['at once', []],
  ['after its answer was lost', [{ error: lost, taken: true }]],
  ['after its answer could not be read', [{ error: unreadable, taken: true }]],
  ['after it never arrived', [{ error: lost }]],
  ['after it was not sent', [{ error: notSent }]],
  ['after the service broke', [{ error: answered(502) }]],
  ['after it was to come later', [{ error: answered(409, { retryable: true }) }]],
])('one analysis is made %s, and the stored bytes are handed in', async (_, failures) => {
  bench.createFails = failures;
  expect(await bench.submit()).toEqual(submitted);
  expect(bench.made.size).toBe(1);
  expect(new Set(bench.keys).size).toBe(1);
  expect(bench.uploads).toEqual([picture.toString()]);
  expect(await readAll(bench.store)).toMatchObject([{ kind: 'request', result: 'accepted' }]);
});

it('who comes after a worker that was lost makes nothing, and hands in nothing again', async () => {
  await bench.submit();
  bench.state = 'awaiting_upload';
  expect(await bench.submit()).toEqual(submitted);
  expect(bench.keys).toHaveLength(1);
  expect(bench.uploads).toHaveLength(1);
});

it('a repeated key that is refused is an unknown outcome; a first one is a refusal', async () => {
  bench.createFails = [{ error: answered(400, { code: 'bad' }) }];
  expect(await bench.submit()).toMatchObject({ kind: 'refused', code: 'bad' });
  expect(await bench.undecided()).toBeNull();
  bench.createFails = [{ error: lost }, { error: answered(409, { code: 'conflict' }) }];
  expect(await bench.submit()).toMatchObject({ value: { kind: 'unknown', code: 'conflict' } });
});

it('a request that may have arrived is an unknown outcome, also when nobody waits any more', async () => {
  expect(await bench.conclude({ status: 'cancelled' })).toMatchObject({ status: 'cancelled' });
  bench = new Bench();
  await bench.file();
  await putAttempt(bench.store, lensSubject(name, 1));
  expect(await bench.conclude({ status: 'cancelled' })).toMatchObject({
    status: 'unknown_outcome',
    error: { code: 'answer_lost' },
  });
});

it('an upload whose answer was lost is not sent again when the service has it', async () => {
  bench.uploadFails = [{ error: lost, taken: true }];
  expect(await bench.submit()).toEqual(submitted);
  expect(bench.uploads).toHaveLength(1);
  // Another work of the same ask takes what becomes of it for an analysis that had its file.
  const taken = await new LensRepository(bench.store).noted(lensUploads(name, 1), ['taken']);
  expect(taken).toBe(1);
});

it('a copy is proved while heartbeats go on, and not after it was handed in', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
  const environment = new ActivityEnvironment(timeouts);
  const beat = new Promise((done) => environment.once('heartbeat', done));
  const { records } = bench.store;
  const get = records.get.bind(records);
  jest.spyOn(records, 'get').mockImplementation(async (one) => {
    if (!one.startsWith(`${key}/`)) return get(one);
    jest.advanceTimersByTime(1_000);
    await beat;
    return get(one);
  });
  expect(await bench.submit(1, environment)).toEqual(submitted);
  jest.useRealTimers();
  for (const part of await bench.store.records.list(`${key}/`))
    await bench.store.records.remove(part);
  expect(await bench.submit()).toEqual(submitted);
});

it('an end is counted once, however often it is put on file', async () => {
  await bench.conclude({ status: 'expired' });
  expect(await bench.conclude({ status: 'cancelled' })).toMatchObject({ status: 'expired' });
  expect(bench.ended).toEqual(['expired']);
});

it('an id in other letters is the same analysis', async () => {
  bench.readsTellUpload = false;
  bench.uploadFails = [{ error: lost }];
  bench.spelling = (id) => (bench.keys.length > 1 ? id.toUpperCase() : id);
  expect(await bench.submit()).toMatchObject({ value: { kind: 'submitted' } });
});

it('an upload that was broken off goes again to a fresh address', async () => {
  bench.uploadFails = [{ error: lost }, { error: answered(403, { elsewhere: true }) }];
  expect(await bench.submit()).toEqual(submitted);
  expect(bench.uploads).toHaveLength(3);
  expect(bench.reads).toBe(2);
});

it('instructions that a read leaves out are asked for again, with the same key', async () => {
  bench.readsTellUpload = false;
  bench.uploadFails = [{ error: lost }];
  expect(await bench.submit()).toEqual(submitted);
  expect(bench.keys).toHaveLength(2);
  expect(bench.made.size).toBe(1);
});

it('a second analysis for the same key is an unknown outcome, and never asked for again', async () => {
  bench.readsTellUpload = false;
  bench.heedsKeys = false;
  bench.uploadFails = [{ error: lost }];
  const unknown = { value: { kind: 'unknown', code: 'another_analysis' } };
  expect(await bench.submit()).toMatchObject(unknown);
  expect(bench.made.size).toBe(2);
  expect(await bench.submitStepByStep()).toMatchObject(unknown);
  expect(bench.keys).toHaveLength(2);
  expect((await readAll(bench.store)).at(-1)).toMatchObject({
    result: 'another_analysis',
    details: { analysisId: 'analysis-2' },
  });
});

it.each(['submit', 'submitStepByStep'] as const)(
  'instructions that are never told are asked for five times (%s)',
  async (submit) => {
    bench.readsTellUpload = false;
    bench.createsTellUpload = false;
    expect(await bench[submit]()).toMatchObject({
      value: { kind: 'upload_refused', code: 'no_upload_instructions', billing },
    });
    // The first is the request itself.
    expect(bench.keys.length).toBeLessThanOrEqual(6);
    expect(bench.made.size).toBe(1);
  },
);

it('steps in processes of their own hand in, and give up, as one does', async () => {
  bench.readsTellUpload = false;
  bench.uploadFails = [{ error: lost }, { error: lost }];
  expect(await bench.submitStepByStep()).toEqual(submitted);
  bench = new Bench();
  await bench.file();
  const error = answered(403, { elsewhere: true });
  bench.uploadFails = Array.from({ length: 10 }, () => ({ error }));
  expect(await bench.submitStepByStep()).toMatchObject({ value: { kind: 'upload_refused' } });
  expect(bench.uploads).toHaveLength(5);
});

it('a request that was called off before it left, had no token, or was put off, is no unknown outcome', async () => {
  bench.waitsForPermit = true;
  const environment = new ActivityEnvironment(timeouts);
  const submitting = bench.submit(1, environment);
  await new Promise((done) => setTimeout(done, 50));
  // A worker that is killed here leaves nothing that says that something may have left.
  expect(await bench.undecided()).toBeNull();
  environment.cancel();
  await expect(submitting).rejects.toThrow('CANCELLED');
  expect(bench.keys).toEqual([]);
  expect(await bench.conclude({ status: 'cancelled' })).toMatchObject({ status: 'cancelled' });
  for (const error of [new TokenUnavailableError('is not there'), answered(503)]) {
    bench = new Bench();
    await bench.file();
    bench.createFails = Array.from({ length: 1_000 }, () => ({ error }));
    await bench.submit().catch(() => null);
    expect(bench.keys).not.toEqual([]);
    expect(await bench.conclude({ status: 'expired' })).toMatchObject({ status: 'expired' });
  }
});

it('what an analysis cost stands in every outcome, as it was told last', async () => {
  await bench.submit();
  expect(await bench.look()).toMatchObject({ state: 'queued', billing });
  bench.reading = answered(404);
  expect(await bench.look()).toBeNull();
  const outcome = await bench.conclude({ status: 'cancelled' });
  expect(outcome).toMatchObject({ status: 'cancelled', seen: null, billing });
});

it('after the service let it expire although it had the file, two more can be asked for', async () => {
  const file = new LensRepository(bench.store);
  const seen = { state: 'expired' } as LensOutcome['seen'];
  const next: number[] = [];
  for (const attempt of [1, 2, 3]) {
    const receipt = accepted('a', 0, { billing: null });
    await putAttempt(bench.store, lensSubject(name, attempt), { receipt });
    await bench.conclude({ status: 'expired', seen }, attempt);
    next.push((await file.current(name)).attempt);
  }
  expect(next).toEqual([2, 3, 3]);
  expect(await file.current(name)).toEqual({ attempt: 3, expired: 3 });
});

it('one odd answer to a read ends nothing, and a read that is refused for good does', async () => {
  bench.uploadFails = [{ error: lost }];
  bench.reading = answered(404);
  await expect(bench.submit()).rejects.toMatchObject({ type: 'NotSettledYet' });
  const young = bench.reads;
  bench.now += 120_000;
  expect(await bench.submitStepByStep()).toMatchObject({ kind: 'refused', status: 404 });
  expect(bench.reads - young).toBe(5);
  bench.reading = null;
  expect(await bench.submit()).toEqual(submitted);
});

it('an upload that the store refuses again and again ends it', async () => {
  const error = answered(403, { code: 'SignatureDoesNotMatch', elsewhere: true });
  bench.uploadFails = Array.from({ length: 10 }, () => ({ error }));
  expect(await bench.submit()).toMatchObject({
    kind: 'settled',
    value: { kind: 'upload_refused', code: 'SignatureDoesNotMatch' },
  });
  expect(bench.uploads).toHaveLength(5);
});

it('an upload that is refused after its time has expired; another attempt has another key', async () => {
  bench.expiresAt = new Date(0).toISOString();
  bench.uploadFails = [{ error: answered(403, { elsewhere: true }) }];
  expect(await bench.submit()).toMatchObject({ value: { kind: 'upload_expired', billing } });
  const file = new LensRepository(bench.store);
  expect(await file.current(name)).toMatchObject({ attempt: 2 });
  expect(bench.audit.at(-1)).toMatchObject({ kind: 'request', result: 'upload_expired' });
  bench.expiresAt = null;
  await bench.submit(2);
  expect(new Set(bench.keys).size).toBe(2);
  expect(bench.made.size).toBe(2);
  expect(await file.current(name)).toMatchObject({ attempt: 2 });
});

it('a clock that is fast does not give an upload up that the store takes', async () => {
  bench.expiresAt = new Date(0).toISOString();
  expect(await bench.submit()).toEqual(submitted);
});

it('nothing is asked for when the stored copy is spoilt or gone', async () => {
  const [part] = (await bench.store.records.list(`${key}/`)) as [string];
  await bench.store.records.replace(part, 'a pictore');
  await expect(bench.submit()).rejects.toMatchObject({ type: 'StoreIncomplete' });
  await bench.store.records.remove(`${key}.json`);
  await expect(bench.submit()).rejects.toMatchObject({ type: 'StoreIncomplete' });
  expect(bench.keys).toEqual([]);
});
