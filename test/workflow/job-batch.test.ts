import { Context } from '@temporalio/activity';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { Worker } from '@temporalio/worker';
import { said } from '../support/batch-orders';
import type { AwaitChildInput, ReadRows } from '../../src/activities/core/job-batches';
import type { JobBatchEnd } from '../../src/domain/core/job-batch';
import type { JobBatchKind } from '../../src/domain/job';
import { queueName, type QueueKind } from '../../src/domain/core/queues';
import type { JobBatchInput } from '../../src/workflows/inputs';
import type { jobBatch } from '../../src/workflows/job-batch';
import {
  cancelUpdate,
  jobBatchProgressQuery,
  pauseUpdate,
  resumeUpdate,
} from '../../src/workflows/messages';
import type { lookUpProfile } from '../../src/workflows/profiles/look-up-profile';
import {
  dataConverter,
  hour,
  minute,
  workflowSuite,
  type WorkflowRig,
} from '../support/workflow-environment';

/** First words of the ids of child jobs. */
const childWords: Record<JobBatchKind, string> = {
  'trace-batch': 'trace',
  'profile-batch': 'profile',
  'credit-batch': 'credit',
  'dossier-batch': 'dossier',
  'investigation-batch': 'investigation',
};

/** What becomes of a child job, beside how it ends. */
type Fate =
  /** The end that the service reports, or that the job comes to. */
  | 'completed'
  | 'failed'
  | 'found'
  | 'invalid'
  | 'not_found'
  | 'refused'
  | 'expired'
  | 'unknown_outcome'
  /** Its first attempt is lost with its worker. */
  | 'worker lost'
  /** It fails for good, before or after its end is stored. */
  | 'broken'
  | 'broken, end stored';

let batches = 0;

const pause = () => new Promise((done) => setTimeout(done, 20));
const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await pause();
};

interface Ref {
  jobId: string;
}

/** A store in memory, and a service that does with each job what the test says. */
class FakeDesk {
  readonly kind: JobBatchKind;
  readonly jobs: string[];
  readonly outcomes = new Map<string, string>();
  /** Jobs in the order in which they reached the service, each time that they did. */
  readonly asked: string[] = [];
  /** What the child workflows were given. */
  readonly given: object[] = [];
  readonly fates = new Map<string, Fate>();
  /** Jobs that are waited for until they are taken from here. */
  readonly held = new Set<string>();
  /** Jobs that nobody has stored: another one does what they would do. */
  readonly absent = new Set<string>();
  end: Omit<JobBatchEnd, 'endedAt'> | null = null;
  /** Fulfilled before the end of the batch is stored. */
  atEnd: () => Promise<void> = async () => undefined;
  most = 0;
  /** Looks for jobs that others drive, in minutes, and how many of them, from the first on, find no end. */
  readonly looks: number[] = [];
  inVain = 0;
  /** Rows of a run. */
  readonly #perRun: number;
  readonly #underWay = new Set<string>();

  constructor(kind: JobBatchKind, jobs: number, perRun = jobs) {
    batches += 1;
    this.kind = kind;
    this.#perRun = perRun;
    const id = (n: number) => `${childWords[kind]}/${batches}-${n}/20261121T000000000Z`;
    this.jobs = Array.from({ length: jobs }, (_, n) => id(n));
  }

  activities() {
    const store = async <T extends { status: string }>(
      { ref }: { ref: Ref },
      outcome: T,
    ): Promise<T> => {
      this.#underWay.delete(ref.jobId);
      if (this.#fateOf(ref.jobId) === 'broken') throw gone();
      this.outcomes.set(ref.jobId, outcome.status);
      if (this.#fateOf(ref.jobId) === 'broken, end stored') throw gone();
      return outcome;
    };
    const conclude = async <T extends { status: string }>(input: { ref: Ref; outcome: T }) =>
      store(input, input.outcome);
    return {
      startTrace: async ({ ref }: { ref: Ref }) => {
        const fate = await this.#ask(ref.jobId);
        if (fate === 'refused') return { kind: 'refused', status: 403, code: 'c', message: 'm' };
        if (fate === 'unknown_outcome') {
          return { kind: 'settled', value: { kind: 'unknown', code: 'c', message: 'm' } };
        }
        const created = { kind: 'created', traceId: 't', state: 'queued', seen: null };
        return { kind: 'settled', value: created };
      },
      awaitTrace: async ({ ref }: { ref: Ref }) => {
        await this.#hold(ref.jobId);
        const fate = this.#fateOf(ref.jobId);
        if (fate === 'expired') return { kind: 'expired', value: null };
        const state = fate === 'failed' ? 'failed' : 'completed';
        return { kind: 'settled', value: { traceId: 't', state, failure: null } };
      },
      finalizeTrace: conclude,
      lookUpProfile: async ({ ref, call }: { ref: Ref; call: number }) => {
        const fate = await this.#ask(ref.jobId);
        await this.#hold(ref.jobId);
        if (fate === 'expired') return { kind: 'expired', value: null };
        if (fate === 'invalid' || fate === 'not_found' || fate === 'refused') {
          const no = { kind: 'no', status: fate, code: null, message: 'm' };
          return { kind: 'settled', value: no };
        }
        const counts = { vehicles: 1, properties: 0, planes: 0, drones: 0, patents: 0 };
        const found = { kind: 'found', call, sha256: 's', rural: 'reported', counts };
        return { kind: 'settled', value: found };
      },
      finalizeProfile: conclude,
      requestAnalysis: async ({ ref }: { ref: Ref }) => {
        await this.#ask(ref.jobId);
        const operationId = ref.jobId;
        return { kind: 'accepted', operationId, acceptedAt: 0, afterUnknown: false };
      },
      awaitAnalysis: async ({ operationId }: { operationId: string }) => {
        await this.#hold(operationId);
        return { kind: 'settled', value: { kind: 'ready', statusWord: null } };
      },
      fileResults: async () => ({ kind: 'settled', value: {} }),
      finalizeAnalysis: conclude,
      beginFollow: async (input: { record: object }) => {
        this.given.push(input.record);
        return null;
      },
      awaitDossier: async ({ ref }: { ref: Ref }) => {
        await this.#ask(ref.jobId);
        await this.#hold(ref.jobId);
        const state = this.#fateOf(ref.jobId) === 'failed' ? 'failed' : 'cancelled';
        return { kind: 'settled', value: { state, statusWord: state, attempt: null } };
      },
      finalizeDossier: async (input: { ref: Ref; outcome: { status: string } }) =>
        conclude({ ...input, outcome: { ...input.outcome, possibleAttempt: false } }),
      readRows: async ({ after }: { after: number }): Promise<ReadRows> => {
        const rows = this.jobs.slice(after + 1, after + 1 + this.#perRun);
        const last = after + rows.length;
        const open = rows.filter((id) => !this.outcomes.has(id));
        return {
          open: open.map((jobId) => ({ jobId, terms: this.#termsOf(jobId) })),
          ended: rows.flatMap((id) => this.outcomes.get(id) ?? []),
          last: last + 1 < this.jobs.length ? last : null,
        };
      },
      awaitChild: async ({ jobId, isOwn, until: at }: AwaitChildInput) => {
        const forMs = at - Context.current().info.currentAttemptScheduledTimestampMs;
        if (forMs > minute) {
          this.looks.push(Math.round(forMs / minute));
          const look = this.looks.length;
          const isAbsent = (): boolean => this.absent.has(jobId) && !isOwn;
          await until(() => this.outcomes.has(jobId) || isAbsent() || look <= this.inVain);
          if (isAbsent()) return 'followed';
        }
        return this.outcomes.get(jobId) ?? null;
      },
      finalizeBatch: async ({ cancelled, counts }: Omit<JobBatchEnd, 'endedAt'>) => {
        await this.atEnd();
        this.end = { cancelled, counts };
        return { status: 'completed', needsAttention: false };
      },
    };
  }

  /** What a command stores with the row. */
  #termsOf(jobId: string): ReadRows['open'][number]['terms'] {
    if (this.kind !== 'dossier-batch') return { retryRural: false };
    const [, dossierId] = jobId.split('/');
    const terms = { maxAttempts: 1, onReview: 'leave', toCancel: false };
    return { record: { jobId, dossierId, ...terms }, ...terms, atOnce: true };
  }

  async #ask(jobId: string): Promise<Fate | null> {
    this.asked.push(jobId);
    this.#underWay.add(jobId);
    this.most = Math.max(this.most, this.#underWay.size);
    const fate = this.#fateOf(jobId);
    if (fate === 'worker lost' && Context.current().info.attempt === 1) {
      throw ApplicationFailure.retryable('heartbeat lost');
    }
    return fate;
  }

  /** Ends early when the job is cancelled. */
  async #hold(jobId: string): Promise<void> {
    const context = Context.current();
    while (this.held.has(jobId)) {
      context.heartbeat();
      if (context.cancellationSignal.aborted) throw new CancelledFailure('cancelled');
      await pause();
    }
  }

  #fateOf(jobId: string): Fate | null {
    return this.fates.get(jobId) ?? null;
  }
}

function gone(): ApplicationFailure {
  return ApplicationFailure.nonRetryable('gone', 'StoreIncomplete');
}

const queues: readonly QueueKind[] = ['investigation', 'credit', 'credit-uploads'];

async function driven(
  rig: WorkflowRig,
  desk: FakeDesk,
  {
    budget,
    concurrency = 3,
    meanwhile = async () => undefined,
  }: {
    budget?: JobBatchInput['budget'];
    concurrency?: number;
    meanwhile?: (workflowId: string) => Promise<unknown>;
  } = {},
) {
  const { env } = rig;
  const queueSuffix = `${rig.suffix}-b${batches}`;
  const workers = await Promise.all(
    queues.map((queue) =>
      Worker.create({
        connection: env.nativeConnection,
        ...(env.namespace !== undefined && { namespace: env.namespace }),
        dataConverter,
        activities: desk.activities(),
        interceptors: rig.interceptors,
        taskQueue: queueName(queue, queueSuffix),
        // A cancellation reaches an activity with the answer to a heartbeat.
        maxHeartbeatThrottleInterval: '100ms',
        defaultHeartbeatThrottleInterval: '100ms',
      }),
    ),
  );
  const workflowId = `${desk.kind}/${queueSuffix}`;
  const drive = async () => {
    const handle = await env.client.workflow.start<typeof jobBatch>('jobBatch', {
      workflowId,
      taskQueue: queueName('workflows', rig.suffix),
      args: [
        {
          kind: desk.kind,
          batchId: workflowId,
          folder: 'f',
          children: desk.jobs.length,
          carryover: { after: -1, underWay: [], counts: {}, paused: false },
          concurrency,
          ...(budget !== undefined && { budget }),
          deadlineMs: 24 * hour,
          queueSuffix,
        },
      ],
    });
    rig.watch(handle);
    await meanwhile(workflowId);
    const counts = await handle.result();
    return { counts, histories: await rig.histories(workflowId, handle.firstExecutionRunId) };
  };
  return workers.reduce((work, worker) => () => worker.runUntil(work()), drive)();
}

workflowSuite('a batch of jobs', (rig) => {
  it.each<[JobBatchKind, string]>([
    ['trace-batch', 'completed'],
    ['profile-batch', 'found'],
    ['credit-batch', 'completed'],
    ['dossier-batch', 'cancelled'],
  ])('drives each row of a %s once, some at a time, a few rows a run', async (kind, status) => {
    const desk = new FakeDesk(kind, 9, 3);
    const { counts, histories } = await driven(rig(), desk, { concurrency: 2 });
    expect(counts).toEqual({ [status]: 9 });
    expect(desk.end).toEqual({ cancelled: false, counts });
    expect([...new Set(desk.asked)].sort()).toEqual([...desk.jobs].sort());
    expect(desk.asked).toHaveLength(9);
    expect(desk.most).toBeLessThanOrEqual(2);
    expect(histories).toHaveLength(3);
  });

  it('with nothing left to ask ends at once', async () => {
    const desk = new FakeDesk('trace-batch', 0);
    expect((await driven(rig(), desk)).counts).toEqual({});
    expect(desk.end).toEqual({ cancelled: false, counts: {} });
  });

  it('counts searches by every end that they come to', async () => {
    const desk = new FakeDesk('trace-batch', 8);
    const fates: Fate[] = ['failed', 'refused', 'expired', 'unknown_outcome', 'worker lost'];
    for (const [at, fate] of fates.entries()) desk.fates.set(desk.jobs[at] ?? '', fate);
    const { counts } = await driven(rig(), desk);
    const all = { failed: 1, refused: 1, expired: 1, unknown_outcome: 1, completed: 4 };
    expect(counts).toEqual(all);
    expect(desk.end).toEqual({ cancelled: false, counts: all });
  });

  it('counts lookups by every end that they come to', async () => {
    const desk = new FakeDesk('profile-batch', 7);
    const fates: Fate[] = ['invalid', 'not_found', 'refused', 'expired', 'worker lost'];
    for (const [at, fate] of fates.entries()) desk.fates.set(desk.jobs[at] ?? '', fate);
    const { counts } = await driven(rig(), desk);
    expect(counts).toEqual({ invalid: 1, not_found: 1, refused: 1, expired: 1, found: 3 });
  });

  it('gives each dossier what its row says', async () => {
    const desk = new FakeDesk('dossier-batch', 2);
    await driven(rig(), desk, { concurrency: 1 });
    expect(desk.given).toMatchObject(desk.jobs.map((jobId) => ({ jobId, onReview: 'leave' })));
  });

  it('hands a slow row on from run to run, and it keeps one slot and no more', async () => {
    const desk = new FakeDesk('profile-batch', 12, 4);
    desk.held.add(desk.jobs[0] ?? '');
    const { counts, histories } = await driven(rig(), desk, {
      meanwhile: async () => {
        await until(() => desk.outcomes.size === 11);
        desk.held.clear();
      },
    });
    expect(counts).toEqual({ found: 12 });
    expect(histories).toHaveLength(3);
    expect([...desk.asked].sort()).toEqual([...desk.jobs].sort());
    expect(desk.most).toBeLessThanOrEqual(3);
  });

  it('that was interrupted counts what has ended, and asks for the rest alone', async () => {
    const desk = new FakeDesk('trace-batch', 4);
    const [first = '', second = '', ...rest] = desk.jobs;
    desk.outcomes.set(first, 'unknown_outcome').set(second, 'failed');
    const { counts } = await driven(rig(), desk);
    expect(counts).toEqual({ unknown_outcome: 1, failed: 1, completed: 2 });
    expect([...desk.asked].sort()).toEqual(rest);
  });

  it('a child job that breaks is counted by its end in the store, and is lost without one', async () => {
    const desk = new FakeDesk('profile-batch', 3);
    const [first = '', second = ''] = desk.jobs;
    desk.fates.set(first, 'broken').set(second, 'broken, end stored');
    const { counts } = await driven(rig(), desk);
    expect(counts).toEqual({ lost: 1, found: 2 });
  });

  it('begins nothing while it is paused, and nothing more once it is cancelled', async () => {
    const desk = new FakeDesk('profile-batch', 6, 3);
    for (const id of desk.jobs) desk.held.add(id);
    const { counts } = await driven(rig(), desk, {
      concurrency: 1,
      meanwhile: async (workflowId) => {
        const handle = rig().env.client.workflow.getHandle(workflowId);
        await until(() => desk.asked.length === 1);
        await handle.executeUpdate(pauseUpdate);
        desk.held.delete(desk.asked[0] ?? '');
        await until(() => desk.outcomes.size === 1);
        const paused = await handle.query(jobBatchProgressQuery);
        expect(paused).toMatchObject({ total: 6, paused: true });
        expect(desk.asked).toHaveLength(1);
        await handle.executeUpdate(resumeUpdate);
        await until(() => desk.asked.length === 2);
        await expect(handle.executeUpdate(resumeUpdate)).rejects.toMatchObject({
          cause: { message: 'it is not paused' },
        });
        const cancel = () => handle.executeUpdate(cancelUpdate, { args: [{ now: false }] });
        await cancel();
        await expect(cancel()).rejects.toMatchObject({ cause: { message: 'it is cancelled' } });
        desk.held.clear();
      },
    });
    expect(counts).toEqual({ found: 2 });
    expect(desk.end).toEqual({ cancelled: true, counts: { found: 2 } });
  });

  const batchOf = (workflowId: string) => rig().env.client.workflow.getHandle(workflowId);

  /** Once so many requests were made. */
  async function reachedBudget(workflowId: string, made: number) {
    for (;;) {
      const { waiting } = await batchOf(workflowId).query(jobBatchProgressQuery);
      if (waiting?.budget?.made === made) return waiting.budget;
      await pause();
    }
  }

  it('starts no row that its budget does not cover, and as many more each time it is told to go on', async () => {
    const desk = new FakeDesk('trace-batch', 9, 4);
    const answers: string[] = [];
    const { counts, histories } = await driven(rig(), desk, {
      budget: { requests: 3, perRow: 1 },
      concurrency: 2,
      meanwhile: async (workflowId) => {
        for (const made of [3, 6]) {
          // A query of a run that continues as new locks it in the test server (1.38.0): first it is at rest.
          await until(() => desk.outcomes.size === made);
          const budget = { made, allowed: made, rest: 9 - made };
          expect(await reachedBudget(workflowId, made)).toEqual(budget);
          expect(desk.asked).toHaveLength(made);
          answers.push(said(await batchOf(workflowId).executeUpdate(resumeUpdate)));
        }
      },
    });
    expect(answers).toEqual(Array(2).fill('resumed: 3 more requests may be made'));
    expect(counts).toEqual({ completed: 9 });
    expect([...desk.asked].sort()).toEqual([...desk.jobs].sort());
    expect(histories).toHaveLength(3);
  });

  it('has a row that takes more than its whole budget started once a person says so', async () => {
    const desk = new FakeDesk('profile-batch', 2);
    const { counts } = await driven(rig(), desk, {
      budget: { requests: 1, perRow: 2 },
      meanwhile: async (workflowId) => {
        expect(await reachedBudget(workflowId, 0)).toEqual({ made: 0, allowed: 1, rest: 4 });
        const answer = said(await batchOf(workflowId).executeUpdate(resumeUpdate));
        expect(answer).toContain('2 more requests');
        expect(await reachedBudget(workflowId, 2)).toEqual({ made: 2, allowed: 2, rest: 2 });
        await batchOf(workflowId).executeUpdate(cancelUpdate, { args: [{ now: false }] });
      },
    });
    expect(counts).toEqual({ found: 1 });
    expect(desk.asked).toHaveLength(1);
  });

  it('cancelled at once, it cancels what is under way, and keeps what has ended', async () => {
    const desk = new FakeDesk('profile-batch', 6);
    for (const id of desk.jobs.slice(2)) desk.held.add(id);
    const { counts } = await driven(rig(), desk, {
      concurrency: 2,
      meanwhile: async (workflowId) => {
        await until(() => desk.asked.length === 4);
        const handle = rig().env.client.workflow.getHandle(workflowId);
        await handle.executeUpdate(cancelUpdate, { args: [{ now: true }] });
      },
    });
    expect(counts).toEqual({ found: 2, cancelled: 2 });
    expect(desk.asked).toHaveLength(4);
    expect(desk.end).toMatchObject({ cancelled: true });
  });

  /** Somebody else has begun the first of two. */
  async function withTheirs(
    desk: FakeDesk,
    meanwhile: (workflowId: string) => Promise<unknown>,
    budget?: JobBatchInput['budget'],
  ): ReturnType<typeof driven> {
    const [theirs = ''] = desk.jobs;
    desk.held.add(theirs);
    const { env, suffix } = rig();
    const handle = await env.client.workflow.start<typeof lookUpProfile>('lookUpProfile', {
      workflowId: theirs.split('/').slice(0, 2).join('/'),
      taskQueue: queueName('workflows', suffix),
      args: [
        {
          ref: { jobId: theirs, folder: 'f' },
          deadlineAt: (await rig().now()) + 24 * hour,
          retryRural: false,
          queueSuffix: `${suffix}-b${batches}`,
        },
      ],
    });
    rig().watch(handle);
    return driven(rig(), desk, { concurrency: 1, meanwhile, ...(budget && { budget }) });
  }

  it('cancelled, it waits for a job that somebody else has begun, and begins nothing', async () => {
    const desk = new FakeDesk('profile-batch', 2);
    const { counts } = await withTheirs(desk, async (workflowId) => {
      await until(() => desk.looks.length === 1);
      const batch = rig().env.client.workflow.getHandle(workflowId);
      await batch.executeUpdate(cancelUpdate, { args: [{ now: false }] });
      desk.inVain = 1;
      await until(() => desk.looks.length === 2);
      desk.held.clear();
    });
    expect(counts).toEqual({ found: 1 });
    expect(desk.asked).toEqual(desk.jobs.slice(0, 1));
  });

  it('looks for one that somebody else has begun for ten minutes, then ever longer', async () => {
    const desk = new FakeDesk('profile-batch', 2);
    desk.inVain = 3;
    const { counts } = await withTheirs(desk, async () => {
      await until(() => desk.looks.length === 4);
      desk.held.clear();
    });
    expect(desk.looks).toEqual([10, 20, 40, 80]);
    expect(counts).toEqual({ found: 2 });
    expect([...desk.asked].sort()).toEqual([...desk.jobs].sort());
  });

  it('does not wait for another job that does the same, and says so', async () => {
    const desk = new FakeDesk('profile-batch', 2);
    desk.absent.add(desk.jobs[0] ?? '');
    const meanwhile = async (): Promise<void> => {
      await until(() => desk.outcomes.size === 1);
      desk.held.clear();
    };
    // What was not asked for leaves its part of the budget to the other.
    const { counts } = await withTheirs(desk, meanwhile, { requests: 1, perRow: 1 });
    expect(counts).toEqual({ followed: 1, found: 1 });
  });

  it('all of which has ended is neither cancelled nor paused: its end stands', async () => {
    const desk = new FakeDesk('profile-batch', 2);
    let isEnding = false;
    let tried = false;
    desk.atEnd = async () => {
      isEnding = true;
      await until(() => tried);
    };
    const { counts } = await driven(rig(), desk, {
      meanwhile: async (workflowId) => {
        await until(() => isEnding);
        const handle = rig().env.client.workflow.getHandle(workflowId);
        const orders = [
          () => handle.executeUpdate(cancelUpdate, { args: [{ now: true }] }),
          () => handle.executeUpdate(pauseUpdate),
        ];
        const tries = await Promise.allSettled(orders.map((order) => order()));
        tried = true;
        const refusal = { status: 'rejected', reason: expect.any(WorkflowUpdateFailedError) };
        expect(tries).toEqual([refusal, refusal]);
      },
    });
    expect(counts).toEqual({ found: 2 });
    expect(desk.end).toMatchObject({ cancelled: false });
  });
});
