import type { BeforeSend } from '../../../src/apis/http/call';
import type { ApplicationFailure } from '@temporalio/common';
import { msToNumber } from '@temporalio/common/lib/time';
import { ActivityEnvironment } from '../../support/activity-environment';
import type { DossierDependencies } from '../../../src/activities/dependencies';
import { createDossierActivities } from '../../../src/activities/dossiers/dossiers';
import type { RetryDossierInput } from '../../../src/activities/dossiers/retries';
import { ConnectionError, ContractError, type StatusError } from '../../../src/apis/http/errors';
import { TokenUnavailableError } from '../../../src/apis/http/token';
import { DossierRepository } from '../../../src/store/dossiers/dossiers';
import type { Dossier } from '../../../src/domain/dossiers/dossier';
import type { DossierOutcome, DossierRecord } from '../../../src/domain/dossiers/follow';
import { readAll } from '../../support/audit-entries';
import { newStore } from '../../support/new-store';
import { answeredStatus } from '../../support/status-errors';
import { putAttempt } from '../../support/stored-attempts';

const call = { method: 'POST', pathTemplate: '/dossies/{dossie_id}/retry' };
const lost = new ConnectionError(call, 'maybe', { name: 'E', code: 'ECONNRESET', syscall: null });
const notSent = new ConnectionError(call, 'no', { name: 'E', code: 'ECONNREFUSED', syscall: null });
const unreadable = new ContractError(call, [{ path: 'id', code: 'invalid' }]);

const answered = (status: number, fields: object = {}): StatusError =>
  answeredStatus(call, status, fields);

const ref = { jobId: 'dossier/d/1', folder: 'dossiers/d/1' };

/** A service with one dossier, whose attempts it counts by the keys that it has seen. */
class Bench {
  readonly store = newStore();
  readonly keys: string[] = [];
  readonly ended: string[] = [];
  now = 0;
  attempt = 1;
  state: Dossier['state'] = 'failed';
  /** What the reads show, while it is not the truth. */
  shown: number | null = null;
  /** What the retries answer, in order; `taken` before it is lost. */
  answers: { error: Error; taken: boolean }[] = [];
  cancelAnswers: Error[] = [];
  cancels = 0;
  /** Runs before each read, and may fail it. */
  beforeRead: () => void = () => undefined;
  /** Runs before each retry has its permit, and may be where it ends. */
  atPermit: () => Promise<void> = async () => undefined;
  /** Runs as each retry is sent, with the signal that may call it off. */
  whenSent: (signal: AbortSignal | undefined) => void = () => undefined;
  #environment = new ActivityEnvironment();
  readonly #made = new Set<string>();
  readonly activities;

  constructor() {
    const view = () => {
      const number = this.shown ?? this.attempt;
      const attempt = { number, status: this.state, billing: null };
      const state = number > 1 ? 'queued' : this.state;
      const dossier = { dossierId: 'd', state, statusWord: state, attempt } as Dossier;
      return { dossier, answer: {} };
    };
    const dossiers = {
      timeoutMs: 30_000,
      status: async () => {
        this.beforeRead();
        return view();
      },
      retry: async (_: string, key: string, signal?: AbortSignal, beforeSend?: BeforeSend) => {
        await this.atPermit();
        this.keys.push(key);
        this.whenSent(signal);
        (await beforeSend?.())?.();
        const next = this.answers.shift();
        if (next === undefined || next.taken) {
          if (!this.#made.has(key)) this.attempt += 1;
          this.#made.add(key);
        }
        if (next !== undefined) throw next.error;
        return view();
      },
      cancel: async (_: string, __?: AbortSignal, beforeSend?: BeforeSend) => {
        (await beforeSend?.())?.();
        this.cancels += 1;
        const error = this.cancelAnswers.shift();
        if (error !== undefined) throw error;
        this.state = 'cancelled';
        return view();
      },
    };
    this.activities = createDossierActivities({
      dossiers,
      store: this.store,
      nameOf: (document: string) => document,
      metrics: {
        count: (_: string, { result }: { result?: string }) =>
          void (result !== undefined && this.ended.push(result)),
      },
      stopping: new AbortController().signal,
      warn: () => undefined,
      now: () => this.now,
      random: () => 0.5,
      pause: async (ms: number) => {
        this.now += ms;
      },
    } as unknown as DossierDependencies);
  }

  /** As the server does: what has not settled is begun again after its delay. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      this.#environment = new ActivityEnvironment({
        attempt,
        heartbeatTimeoutMs: 20_000,
        startToCloseTimeoutMs: 900_000,
      });
      try {
        return await this.#environment.run(work);
      } catch (error) {
        const delay = (error as ApplicationFailure).nextRetryDelay;
        if (delay == null) throw error;
        this.now += msToNumber(delay);
      }
    }
  }

  /** Somebody calls off what is under way. */
  cancel(): void {
    this.#environment.cancel();
  }

  /** What the audit trail tells of requests. */
  async requests() {
    return (await readAll(this.store)).filter(({ kind }) => kind === 'request');
  }

  retry(input: Partial<RetryDossierInput> = {}) {
    const order = { ref, from: 1, requested: 1, deadlineAt: 600_000, since: 0, seen: 'retrying' };
    return this.run(() => this.activities.retryDossier({ ...order, ...input }));
  }

  async conclude(of = ref): Promise<DossierOutcome> {
    const asked = { jobId: of.jobId, createdAt: 't', createdBy: 'ana' } as DossierRecord;
    await new DossierRepository(this.store).putRecord(of.folder, asked);
    const outcome = { status: 'expired', stored: [], error: null } as unknown as Parameters<
      Bench['activities']['finalizeDossier']
    >[0]['outcome'];
    return this.run(() => this.activities.finalizeDossier({ ref: of, outcome }));
  }
}

let bench: Bench;
beforeEach(() => {
  bench = new Bench();
});

const begun = (by: 'us' | 'elsewhere') => ({
  kind: 'settled',
  value: { kind: 'started', attempt: 2, by },
});

it.each([
  ['at once', []],
  ['after its answer was lost', [{ error: lost, taken: true }]],
  ['after its answer could not be read', [{ error: unreadable, taken: true }]],
  ['after it never arrived', [{ error: lost, taken: false }]],
  ['after it was not sent', [{ error: notSent, taken: false }]],
  ['after the service broke', [{ error: answered(502), taken: false }]],
  ['after it was to come later', [{ error: answered(409, { retryable: true }), taken: false }]],
])('one attempt is begun %s', async (_, answers) => {
  bench.answers = answers;
  expect(await bench.retry()).toEqual(begun('us'));
  expect(bench.attempt).toBe(2);
  expect(new Set(bench.keys).size).toBe(1);
  expect(await bench.conclude()).toMatchObject({ caused: 1, possibleAttempt: false });
});

it('an attempt that is there after a lost answer is read back, and not sent again', async () => {
  bench.answers = [{ error: lost, taken: true }];
  await bench.retry();
  expect(bench.keys).toHaveLength(1);
  expect(bench.ended).toEqual(['read_back']);
});

it('a repeated key that is refused is not believed while the read may be of the past', async () => {
  bench.shown = 1;
  bench.answers = [
    { error: lost, taken: true },
    { error: answered(409, { code: 'repeated' }), taken: false },
    { error: answered(409, { code: 'repeated' }), taken: false },
  ];
  expect(await bench.retry()).toEqual(begun('us'));
  expect(bench.attempt).toBe(2);
  expect(bench.keys).toHaveLength(4);
});

const inUse = { error: answered(409, { code: 'idempotency_key_in_use' }), taken: false };

it('an answer that is lost while the service works on it is waited for, whatever it says of the key', async () => {
  bench.shown = 1;
  bench.answers = [{ error: lost, taken: true }, ...Array.from({ length: 5 }, () => inUse)];
  bench.beforeRead = () => {
    if (bench.now > 10_000) bench.shown = null;
  };
  expect(await bench.retry()).toEqual(begun('us'));
  expect(await bench.conclude()).toMatchObject({ caused: 1, possibleAttempt: false });
});

it.each([409, 404, 403])(
  'a retry refused with %i since another attempt began is followed',
  async (status) => {
    bench.answers = [{ error: answered(status), taken: false }];
    bench.whenSent = () => {
      bench.attempt = 2;
    };
    expect(await bench.retry()).toEqual(begun('elsewhere'));
    expect(await bench.retry()).toEqual(begun('elsewhere'));
    expect(bench.keys).toHaveLength(1);
    expect(await bench.conclude()).toMatchObject({ caused: 0, possibleAttempt: false });
  },
);

it('a refusal whose last read fails is read again, not sent again', async () => {
  bench.answers = [{ error: answered(409), taken: false }];
  let reads = 0;
  bench.beforeRead = () => {
    reads += 1;
    if (reads === 2) throw answered(502);
    if (reads === 3) bench.attempt = 2;
  };
  expect(await bench.retry()).toEqual(begun('elsewhere'));
  expect(bench.keys).toHaveLength(1);
});

it('what never had its permit is not on file, and no possible attempt', async () => {
  const onFile: number[] = [];
  bench.atPermit = async () => {
    onFile.push((await new DossierRepository(bench.store).retries('d')).length);
    throw notSent;
  };
  expect(await bench.retry({ deadlineAt: 2_000 })).toMatchObject({ kind: 'expired' });
  expect(new Set(onFile)).toEqual(new Set([0]));
  expect(await bench.conclude()).toMatchObject({ caused: 0, possibleAttempt: false });
});

it('a retry that waited long for its permit is borne with from when it left', async () => {
  bench.atPermit = async () => {
    if (bench.keys.length === 0) bench.now += 600_000;
  };
  bench.shown = 1;
  bench.answers = [{ error: lost, taken: true }, ...Array.from({ length: 5 }, () => inUse)];
  bench.beforeRead = () => {
    if (bench.now > 620_000) bench.shown = null;
  };
  expect(await bench.retry({ deadlineAt: 3_600_000 })).toEqual(begun('us'));
});

it.each([
  ['is out of order', answered(500), 'expired'],
  ['knows no such dossier', answered(404), 'refused'],
])('nothing is on file of a retry whose status %s', async (_, error, kind) => {
  bench.beforeRead = () => {
    throw error;
  };
  expect(await bench.retry()).toMatchObject({ kind });
  expect(await bench.conclude()).toMatchObject({ caused: 0, possibleAttempt: false });
});

it('a worker that is lost as a retry leaves has left a possible attempt', async () => {
  const lostWorker = new Error('killed');
  bench.answers = [{ error: lostWorker, taken: true }];
  bench.shown = 1;
  await expect(bench.retry()).rejects.toThrow('killed');
  expect(await bench.conclude()).toMatchObject({ caused: 0, possibleAttempt: true });
  bench.answers = [inUse];
  bench.shown = null;
  expect(await bench.retry()).toEqual(begun('us'));
  expect(new Set(bench.keys).size).toBe(1);
});

it('a repetition that is refused for minutes is left open: an attempt may have been begun', async () => {
  bench.shown = 1;
  bench.answers = [{ error: lost, taken: true }, ...Array.from({ length: 99 }, () => inUse)];
  expect(await bench.retry()).toMatchObject({
    value: { kind: 'unknown', status: 409, code: 'idempotency_key_in_use' },
  });
  expect(bench.now).toBeGreaterThanOrEqual(120_000);
  expect(await bench.conclude()).toMatchObject({ caused: 0, possibleAttempt: true });
});

it.each([
  ['no connection', notSent],
  ['no token', new TokenUnavailableError('none')],
  ['haste', answered(429)],
  ['a pause of the service', answered(503)],
])('what never left for %s is no possible attempt', async (_, error) => {
  bench.answers = Array.from({ length: 99 }, () => ({ error, taken: false }));
  const ended = await bench.retry({ deadlineAt: 20_000 });
  expect(['expired', 'changed']).toContain(ended.kind);
  expect(await bench.conclude()).toMatchObject({ caused: 0, possibleAttempt: false });
});

it('called off before it leaves, it is not sent; once it has left its answer is kept', async () => {
  bench.whenSent = (signal) => {
    bench.cancel();
    if (bench.keys.length === 1 && signal?.aborted === true) throw notSent;
  };
  await expect(bench.retry()).rejects.toMatchObject({ name: 'CancelledFailure' });
  expect(bench.attempt).toBe(1);
  expect(await bench.conclude()).toMatchObject({ caused: 0, possibleAttempt: false });
  await expect(bench.retry()).rejects.toMatchObject({ name: 'CancelledFailure' });
  expect(bench.attempt).toBe(2);
  expect(await bench.conclude()).toMatchObject({ caused: 0 });
});

it('an attempt is counted with the work that learnt of it, whoever asked first', async () => {
  bench.shown = 1;
  bench.answers = Array.from({ length: 200 }, () => ({ error: lost, taken: true }));
  await bench.retry({ deadlineAt: 30_000 });
  const first = await bench.conclude();
  bench.shown = null;
  const other = { jobId: 'dossier/d/2', folder: 'dossiers/d/2' };
  bench.attempt = 1;
  bench.answers = [{ error: lost, taken: true }];
  expect(await bench.retry({ ref: other })).toEqual(begun('us'));
  const second = await bench.conclude(other);
  expect([first, second]).toMatchObject([
    { caused: 0, possibleAttempt: true },
    { caused: 1, possibleAttempt: false },
  ]);
  expect((await bench.requests()).at(-1)).toMatchObject({
    job: 'dossier/d/2',
  });
});

it('an attempt is counted with the work that reads it back, although another one has sent it', async () => {
  bench.answers = [{ error: new Error('killed'), taken: true }];
  await expect(bench.retry()).rejects.toThrow('killed');
  const other = { jobId: 'dossier/d/2', folder: 'dossiers/d/2' };
  expect(await bench.retry({ ref: other })).toEqual(begun('us'));
  expect(bench.keys).toHaveLength(1);
  expect(await bench.conclude(other)).toMatchObject({ caused: 1, possibleAttempt: false });
  expect(await bench.conclude()).toMatchObject({ caused: 0, possibleAttempt: false });
});

it.each([
  ['accepted', []],
  ['refused', [{ error: answered(403), taken: false }]],
])('a retry that was %s is on the trail with its receipt, once', async (result, answers) => {
  bench.answers = answers;
  await bench.retry();
  await bench.retry();
  await bench.conclude();
  expect(await bench.requests()).toMatchObject([
    { id: 'request/dossier/d/1/1', result, job: ref.jobId },
  ]);
});

it('a retry whose receipt was not taken in is read back', async () => {
  const { attempts } = bench.store;
  const put = jest.spyOn(attempts, 'putReceipt').mockRejectedValueOnce(new Error('disk full'));
  await expect(bench.retry()).rejects.toThrow('disk full');
  put.mockRestore();
  expect(await bench.requests()).toEqual([]);
  expect(await bench.retry()).toEqual(begun('us'));
  expect(bench.keys).toHaveLength(1);
  expect(await bench.requests()).toMatchObject([{ result: 'accepted', job: ref.jobId }]);
});

it.each([
  ['cancelled', 'stopped'],
  ['paused', 'expired'],
] as const)('nothing is sent once the job is %s', async (word, kind) => {
  const asked = { jobId: ref.jobId, createdAt: 't', createdBy: 'ana' } as DossierRecord;
  await new DossierRepository(bench.store).putRecord(ref.folder, asked);
  await bench.store.jobs.stop(ref.folder, word);
  expect(await bench.retry({ deadlineAt: 30_000 })).toMatchObject({ kind });
  expect(bench.attempt).toBe(1);
  expect(await new DossierRepository(bench.store).retries('d')).toEqual([]);
});

it('an attempt that stays unknown is possible for every work that may have sent it', async () => {
  bench.shown = 1;
  bench.answers = Array.from({ length: 400 }, () => ({ error: lost, taken: true }));
  await bench.retry({ deadlineAt: 30_000 });
  const other = { jobId: 'dossier/d/2', folder: 'dossiers/d/2' };
  await bench.retry({ ref: other, deadlineAt: bench.now + 30_000 });
  expect(new Set(bench.keys).size).toBe(1);
  expect(await bench.conclude(other)).toMatchObject({ caused: 0, possibleAttempt: true });
});

it('one odd answer ends no following of days; one that stays does', async () => {
  const gone = answered(404, { code: 'dossie_not_found' });
  let reads = 0;
  bench.beforeRead = () => {
    reads += 1;
    if (reads === 1) throw gone;
  };
  const order = {
    ref,
    deadlineAt: 86_400_000,
    since: -86_400_000,
    atLeast: null,
    startedAt: null,
    inReview: false,
  };
  const look = (seen: string | null) =>
    bench.run(() => bench.activities.awaitDossier({ ...order, seen }));
  expect(await look('running (attempt 1)')).toMatchObject({ kind: 'settled' });
  bench.beforeRead = () => {
    throw gone;
  };
  expect(await look('running (attempt 1)')).toMatchObject({ kind: 'refused', status: 404 });
  expect(bench.now).toBeGreaterThanOrEqual(120_000);
  const before = bench.now;
  expect(await look(null)).toMatchObject({ kind: 'refused' });
  expect(bench.now).toBe(before);
});

it('who comes after a worker that was lost goes on with its key', async () => {
  const { jobId: workflowId } = ref;
  await putAttempt(bench.store, 'dossier/d/1/1', { workflowId, chunk: '1-' });
  bench.attempt = 2;
  expect(await bench.retry()).toEqual(begun('us'));
  expect(bench.keys).toEqual([]);
  expect(await new DossierRepository(bench.store).retries('d')).toMatchObject([
    { attempt: { n: 1, receipt: { kind: 'accepted', reported: { readBack: true } } } },
  ]);
});

it('an attempt that somebody else began is not ours, and nothing is sent', async () => {
  bench.attempt = 2;
  expect(await bench.retry()).toEqual(begun('elsewhere'));
  expect(bench.keys).toEqual([]);
  expect(await bench.conclude()).toMatchObject({ caused: 0, possibleAttempt: false });
});

it('a refusal stands for who was refused; another work asks with another key', async () => {
  bench.answers = [{ error: answered(403, { code: 'dossie_custom_not_enabled' }), taken: false }];
  const refused = await bench.retry();
  expect(refused).toMatchObject({
    value: { kind: 'refused', status: 403, code: 'dossie_custom_not_enabled' },
  });
  expect(await bench.retry()).toMatchObject({ value: { kind: 'refused' } });
  expect(bench.keys).toHaveLength(1);
  expect(await bench.retry({ ref: { ...ref, jobId: 'dossier/d/2' } })).toEqual(begun('us'));
  expect(new Set(bench.keys).size).toBe(2);
});

it('a retry whose answer is lost until the deadline may have begun an attempt, and it is said', async () => {
  bench.shown = 1;
  bench.answers = Array.from({ length: 200 }, () => ({ error: lost, taken: true }));
  expect(await bench.retry({ deadlineAt: 30_000 })).toMatchObject({ kind: 'expired' });
  expect(new Set(bench.keys).size).toBe(1);
  expect(await bench.conclude()).toMatchObject({ caused: 0, possibleAttempt: true });
  expect(bench.ended).toEqual(['unknown']);
  expect(await bench.requests()).toContainEqual(
    expect.objectContaining({ kind: 'request', result: 'unknown', id: 'request/dossier/d/1/1' }),
  );
});

it('is read back a last time before it is called unknown', async () => {
  bench.shown = 1;
  bench.answers = Array.from({ length: 200 }, () => ({ error: lost, taken: true }));
  await bench.retry({ deadlineAt: 30_000 });
  bench.shown = null;
  expect(await bench.conclude()).toMatchObject({ caused: 1, possibleAttempt: false });
});

it('a dossier that has moved on is not tried again', async () => {
  bench.state = 'completed';
  expect(await bench.retry()).toEqual({ kind: 'settled', value: { kind: 'moved' } });
  expect(bench.keys).toEqual([]);
});

const cancel = () =>
  bench.run(() =>
    bench.activities.cancelDossier({ ref, deadlineAt: 60_000, since: 0, seen: 'cancelling' }),
  );

it('a cancellation is sent until it is taken, and then no more', async () => {
  bench.state = 'running';
  bench.cancelAnswers = [lost, answered(503)];
  expect(await cancel()).toMatchObject({
    value: { kind: 'settled', sight: { state: 'cancelled' } },
  });
  expect(bench.cancels).toBe(3);
  expect(await cancel()).toMatchObject({ value: { kind: 'settled' } });
  expect(bench.cancels).toBe(3);
});

it('one odd answer ends no cancellation of what was read before; an id that nobody knows does', async () => {
  bench.state = 'running';
  bench.cancelAnswers = [lost];
  let reads = 0;
  bench.beforeRead = () => {
    reads += 1;
    if (reads === 2) throw answered(404);
  };
  expect(await cancel()).toMatchObject({
    value: { kind: 'settled', sight: { state: 'cancelled' } },
  });

  bench = new Bench();
  bench.beforeRead = () => {
    throw answered(404);
  };
  expect(await cancel()).toMatchObject({ kind: 'refused', status: 404 });
  expect(bench.now).toBe(0);
});

it('one odd answer ends no cancellation of what is followed', async () => {
  const record = {
    ...ref,
    dossierId: 'd',
    maxAttempts: 1,
    onReview: 'wait',
    toCancel: false,
  } as const;
  await bench.activities.beginFollow({ record: { ...record, createdAt: 't', createdBy: 'p' } });
  bench.state = 'running';
  bench.beforeRead = () => {
    if (bench.now === 0) throw answered(404);
  };
  expect(await cancel()).toMatchObject({
    value: { kind: 'settled', sight: { state: 'cancelled' } },
  });
});

it('a cancellation that is refused tells the state, and why', async () => {
  bench.state = 'running';
  bench.cancelAnswers = [answered(409, { code: 'dossie_not_cancellable' })];
  expect(await cancel()).toMatchObject({
    value: { kind: 'refused', code: 'dossie_not_cancellable', sight: { state: 'running' } },
  });
  expect(await bench.conclude()).toMatchObject({ cancelRequested: false });
});

it.each([
  ['lost', lost],
  ['502', answered(502)],
])(
  'a cancellation whose answer was %s is waited out, whatever is said of the next',
  async (_, error) => {
    bench.state = 'running';
    bench.cancelAnswers = [error, ...Array.from({ length: 9 }, () => answered(409))];
    bench.beforeRead = () => {
      if (bench.now > 30_000) bench.state = 'cancelled';
    };
    expect(await cancel()).toMatchObject({
      value: { kind: 'settled', sight: { state: 'cancelled' } },
    });
    expect(bench.cancels).toBe(2);
    expect(await bench.conclude()).toMatchObject({ cancelRequested: true });
  },
);

it('a cancellation that may have been taken is told as open when nothing comes of it', async () => {
  bench.state = 'running';
  bench.cancelAnswers = [lost, answered(409)];
  expect(await cancel()).toMatchObject({
    kind: 'expired',
    value: { sight: { state: 'running' } },
  });
  expect(await bench.conclude()).toMatchObject({ cancelRequested: true });
});

it('a cancellation that was lost with its worker may have been taken', async () => {
  bench.state = 'running';
  bench.cancelAnswers = [new Error('killed')];
  await expect(cancel()).rejects.toThrow('killed');
  bench.cancelAnswers = [answered(409)];
  expect(await cancel()).toMatchObject({ kind: 'expired' });
});

it('reads of an attempt before the one that was begun are of the past', async () => {
  bench.shown = 1;
  const order = { ref, deadlineAt: 3_000, since: 0, seen: 'failed (attempt 1)' };
  const waited = await bench.run(() =>
    bench.activities.awaitDossier({ ...order, atLeast: 2, startedAt: 0, inReview: false }),
  );
  expect(waited).toMatchObject({ kind: 'expired' });
});

it('an attempt that the service has forgotten is not waited for until the deadline', async () => {
  bench.shown = 1;
  const order = { ref, deadlineAt: 7 * 86_400_000, since: 0, seen: 'failed (attempt 1)' };
  const waited = await bench.run(() =>
    bench.activities.awaitDossier({ ...order, atLeast: 2, startedAt: 0, inReview: false }),
  );
  expect(waited).toMatchObject({ kind: 'settled', value: { attempt: { number: 1 } } });
  expect(bench.now).toBeLessThan(20 * 60_000);
});

it('a job that is stored when it starts ends once', async () => {
  const record = {
    ...ref,
    dossierId: 'd',
    maxAttempts: 2,
    onReview: 'leave',
    toCancel: false,
  } as const;
  const stored = { ...record, createdAt: 't', createdBy: 'p' };
  expect(await bench.activities.beginFollow({ record: stored })).toBeNull();
  const outcome = await bench.conclude();
  expect(await bench.activities.beginFollow({ record: stored })).toEqual(outcome);
});
