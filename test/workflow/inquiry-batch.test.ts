import { Context } from '@temporalio/activity';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { Worker } from '@temporalio/worker';
import type { InquiryBatchEnd, InquiryBatchKind } from '../../src/domain/core/inquiry-batch';
import type { ProfileOutcome } from '../../src/domain/profiles/lookup';
import { queueName } from '../../src/domain/core/queues';
import type { TraceOutcome } from '../../src/domain/traces/search';
import type { inquiryBatch } from '../../src/workflows/inquiry-batch';
import type { lookUpProfile } from '../../src/workflows/profiles/look-up-profile';
import {
  cancelUpdate,
  inquiryBatchProgressQuery,
  pauseUpdate,
  resumeUpdate,
} from '../../src/workflows/messages';
import {
  dataConverter,
  hour,
  workflowSuite,
  type WorkflowRig,
} from '../support/workflow-environment';

const kinds: Record<'trace' | 'profile', InquiryBatchKind> = {
  trace: 'trace-batch',
  profile: 'profile-batch',
};

/** What becomes of a work, beside how it ends. */
type Fate =
  /** The end that the service tells, or that the work comes to. */
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
  /** It fails for good, before or after its end is on file. */
  | 'broken'
  | 'broken, end on file';

let batches = 0;

const pause = () => new Promise((done) => setTimeout(done, 20));
const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await pause();
};

/** A store in memory, and a service that does with each work what the test says. */
class FakeDesk {
  readonly outcomes = new Map<string, string>();
  /** Works in the order in which they reached the service, each time that they did. */
  readonly asked: string[] = [];
  readonly fates = new Map<string, Fate>();
  /** Works that are waited for until they are taken from here. */
  readonly held = new Set<string>();
  end: InquiryBatchEnd | null = null;
  /** Fulfilled before the end of the batch is put on file. */
  atEnd: () => Promise<void> = async () => undefined;
  most = 0;
  /** Looks for works that others drive, and how many of them, from the first on, end in vain. */
  looks = 0;
  inVain = 0;
  readonly #underWay = new Set<string>();
  readonly #usual: Fate;
  readonly #parts: string[][];

  constructor(parts: string[][], usual: Fate) {
    this.#parts = parts;
    this.#usual = usual;
  }

  activities() {
    const conclude = async <T extends { status: string }>(
      { ref }: { ref: { workId: string } },
      outcome: T,
    ): Promise<T> => {
      this.#underWay.delete(ref.workId);
      if (this.#fateOf(ref.workId) === 'broken') throw gone();
      this.outcomes.set(ref.workId, outcome.status);
      if (this.#fateOf(ref.workId) === 'broken, end on file') throw gone();
      return outcome;
    };
    return {
      startTrace: async (input: { ref: { workId: string } }) => {
        const fate = await this.#ask(input.ref.workId);
        if (fate === 'refused') return { kind: 'refused', status: 403, code: 'c', message: 'm' };
        if (fate === 'unknown_outcome') {
          return { kind: 'settled', value: { kind: 'unknown', code: 'c', message: 'm' } };
        }
        return {
          kind: 'settled',
          value: { kind: 'created', traceId: 't', state: 'queued', seen: null },
        };
      },
      awaitTrace: async ({ ref }: { ref: { workId: string } }) => {
        await this.#hold(ref.workId);
        const fate = this.#fateOf(ref.workId);
        if (fate === 'expired') return { kind: 'expired', value: null };
        const state = fate === 'failed' ? 'failed' : 'completed';
        return { kind: 'settled', value: { traceId: 't', state, failure: null } };
      },
      finalizeTrace: async (input: { ref: { workId: string }; outcome: TraceOutcome }) =>
        conclude(input, input.outcome),
      lookUpProfile: async ({ ref, call }: { ref: { workId: string }; call: number }) => {
        const fate = await this.#ask(ref.workId);
        await this.#hold(ref.workId);
        if (fate === 'expired') return { kind: 'expired', value: null };
        if (fate === 'invalid' || fate === 'not_found' || fate === 'refused') {
          const no = { kind: 'no', status: fate, code: null, message: 'm' };
          return { kind: 'settled', value: no };
        }
        const counts = { vehicles: 1, properties: 0, planes: 0, drones: 0, patents: 0 };
        const found = { kind: 'found', call, sha256: 's', rural: 'told', counts };
        return { kind: 'settled', value: found };
      },
      finalizeProfile: async (input: { ref: { workId: string }; outcome: ProfileOutcome }) =>
        conclude(input, input.outcome),
      readBatchPart: async ({ part }: { part: number }) => {
        const ids = this.#parts[part];
        if (ids === undefined) throw gone();
        const open = ids.filter((id) => !this.outcomes.has(id));
        return { open, ended: ids.flatMap((id) => this.outcomes.get(id) ?? []) };
      },
      awaitOutcome: async ({ workId, until: at }: { workId: string; until: number }) => {
        const isLook = at > Context.current().info.currentAttemptScheduledTimestampMs + hour / 60;
        if (isLook) {
          const look = (this.looks += 1);
          await until(() => this.outcomes.has(workId) || look <= this.inVain);
        }
        return this.outcomes.get(workId) ?? null;
      },
      concludeBatch: async (end: InquiryBatchEnd) => {
        await this.atEnd();
        this.end = end;
      },
    };
  }

  async #ask(workId: string): Promise<Fate> {
    this.asked.push(workId);
    this.#underWay.add(workId);
    this.most = Math.max(this.most, this.#underWay.size);
    const fate = this.#fateOf(workId);
    if (fate === 'worker lost' && Context.current().info.attempt === 1) {
      throw ApplicationFailure.retryable('heartbeat lost');
    }
    return fate;
  }

  /** Ends early when the work is cancelled. */
  async #hold(workId: string): Promise<void> {
    const context = Context.current();
    while (this.held.has(workId)) {
      context.heartbeat();
      if (context.cancellationSignal.aborted) throw new CancelledFailure('cancelled');
      await pause();
    }
  }

  #fateOf(workId: string): Fate {
    return this.fates.get(workId) ?? this.#usual;
  }
}

function gone(): ApplicationFailure {
  return ApplicationFailure.nonRetryable('gone', 'StoreIncomplete');
}

function idsOf(of: 'trace' | 'profile', parts: number, each: number): string[][] {
  batches += 1;
  const id = (n: number) => `${of}/${batches}-${n}/20261121T000000000Z`;
  return Array.from({ length: parts }, (_, part) =>
    Array.from({ length: each }, (__, index) => id(part * each + index)),
  );
}

async function driven(
  rig: WorkflowRig,
  parts: string[][],
  desk: FakeDesk,
  {
    concurrency = 3,
    meanwhile = async () => undefined,
  }: { concurrency?: number; meanwhile?: (workflowId: string) => Promise<unknown> } = {},
) {
  const { env } = rig;
  const queueSuffix = `${rig.suffix}-i${batches}`;
  const of = parts.flat().some((id) => id.startsWith('trace')) ? 'trace' : 'profile';
  const worker = await Worker.create({
    connection: env.nativeConnection,
    ...(env.namespace !== undefined && { namespace: env.namespace }),
    dataConverter,
    activities: desk.activities(),
    interceptors: rig.interceptors,
    taskQueue: queueName('investigation', queueSuffix),
    // A cancellation reaches an activity with the answer to a heartbeat.
    maxHeartbeatThrottleInterval: '100ms',
    defaultHeartbeatThrottleInterval: '100ms',
  });
  const workflowId = `${kinds[of]}/${queueSuffix}`;
  return worker.runUntil(async () => {
    const handle = await env.client.workflow.start<typeof inquiryBatch>('inquiryBatch', {
      workflowId,
      taskQueue: queueName('workflows', rig.suffix),
      args: [
        {
          kind: kinds[of],
          batchId: workflowId,
          folder: 'f',
          linesAtFault: 0,
          works: parts.flat().length,
          parts: parts.length,
          part: 0,
          carried: { underWay: [], counts: {}, paused: false },
          concurrency,
          deadlineMs: 24 * hour,
          retryRural: false,
          queueSuffix,
        },
      ],
    });
    rig.watch(handle);
    await meanwhile(workflowId);
    const counts = await handle.result();
    return { counts, histories: await rig.histories(workflowId, handle.firstExecutionRunId) };
  });
}

workflowSuite('a batch of searches or lookups', (rig) => {
  it('with nothing left to ask ends at once', async () => {
    const parts = idsOf('trace', 1, 0);
    const desk = new FakeDesk(parts, 'completed');
    expect((await driven(rig(), parts, desk)).counts).toEqual({});
    expect(desk.end).toMatchObject({ cancelled: false, counts: {} });
  });

  it('counts searches by every end that they come to, and files its own end', async () => {
    const parts = idsOf('trace', 1, 8);
    const desk = new FakeDesk(parts, 'completed');
    const fates: Fate[] = ['failed', 'refused', 'expired', 'unknown_outcome', 'worker lost'];
    for (const [at, fate] of fates.entries()) desk.fates.set(parts[0]?.[at] ?? '', fate);
    const { counts } = await driven(rig(), parts, desk);
    const told = { failed: 1, refused: 1, expired: 1, unknown_outcome: 1, completed: 4 };
    expect(counts).toEqual(told);
    expect(desk.end).toMatchObject({ cancelled: false, counts: told });
    expect(desk.most).toBeLessThanOrEqual(3);
  });

  it('counts lookups by every end that they come to', async () => {
    const parts = idsOf('profile', 1, 7);
    const desk = new FakeDesk(parts, 'found');
    const fates: Fate[] = ['invalid', 'not_found', 'refused', 'expired', 'worker lost'];
    for (const [at, fate] of fates.entries()) desk.fates.set(parts[0]?.[at] ?? '', fate);
    const { counts } = await driven(rig(), parts, desk);
    expect(counts).toEqual({ invalid: 1, not_found: 1, refused: 1, expired: 1, found: 3 });
  });

  it('drives each part in a run, each work once, and hands a slow one on', async () => {
    const parts = idsOf('profile', 3, 4);
    const desk = new FakeDesk(parts, 'found');
    const slow = parts[0]?.[0] ?? '';
    desk.held.add(slow);
    const { counts, histories } = await driven(rig(), parts, desk, {
      meanwhile: async () => {
        await until(() => desk.outcomes.size === 11);
        desk.held.clear();
      },
    });
    expect(counts).toEqual({ found: 12 });
    expect(histories).toHaveLength(3);
    expect([...desk.asked].sort()).toEqual(parts.flat().sort());
    expect(desk.most).toBeLessThanOrEqual(3);
  });

  it('that was broken off counts what has ended, and asks for the rest alone', async () => {
    const parts = idsOf('trace', 1, 4);
    const desk = new FakeDesk(parts, 'completed');
    const [first = '', second = ''] = parts.flat();
    desk.outcomes.set(first, 'unknown_outcome').set(second, 'failed');
    const { counts } = await driven(rig(), parts, desk);
    expect(counts).toEqual({ unknown_outcome: 1, failed: 1, completed: 2 });
    expect([...desk.asked].sort()).toEqual(parts.flat().slice(2));
  });

  it('a work that breaks is counted by its end on file, and is lost without one', async () => {
    const parts = idsOf('profile', 1, 3);
    const desk = new FakeDesk(parts, 'found');
    const [first = '', second = ''] = parts.flat();
    desk.fates.set(first, 'broken').set(second, 'broken, end on file');
    const { counts } = await driven(rig(), parts, desk);
    expect(counts).toEqual({ lost: 1, found: 2 });
  });

  it('begins nothing while it is paused, and nothing more once it is cancelled', async () => {
    const parts = idsOf('profile', 2, 3);
    const desk = new FakeDesk(parts, 'found');
    for (const id of parts.flat()) desk.held.add(id);
    const { counts } = await driven(rig(), parts, desk, {
      concurrency: 1,
      meanwhile: async (workflowId) => {
        const handle = rig().env.client.workflow.getHandle(workflowId);
        await until(() => desk.asked.length === 1);
        await handle.executeUpdate(pauseUpdate);
        desk.held.delete(desk.asked[0] ?? '');
        await until(() => desk.outcomes.size === 1);
        const paused = await handle.query(inquiryBatchProgressQuery);
        expect(paused).toMatchObject({ total: 6, paused: true });
        expect(desk.asked).toHaveLength(1);
        await handle.executeUpdate(resumeUpdate);
        await until(() => desk.asked.length === 2);
        await expect(handle.executeUpdate(resumeUpdate)).rejects.toMatchObject({
          cause: { message: 'it is not paused' },
        });
        await handle.executeUpdate(cancelUpdate, { args: [{ now: false }] });
        desk.held.clear();
      },
    });
    expect(counts).toEqual({ found: 2 });
    expect(desk.end).toMatchObject({ cancelled: true, counts: { found: 2 } });
  });

  it('cancelled at once, it cancels what is under way, and keeps what has ended', async () => {
    const parts = idsOf('profile', 1, 6);
    const desk = new FakeDesk(parts, 'found');
    for (const id of parts.flat().slice(2)) desk.held.add(id);
    const { counts } = await driven(rig(), parts, desk, {
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

  it('cancelled, it waits for a work that somebody else has begun, and begins nothing', async () => {
    const parts = idsOf('profile', 1, 2);
    const desk = new FakeDesk(parts, 'found');
    const [theirs = ''] = parts.flat();
    desk.held.add(theirs);
    const { env, suffix } = rig();
    const handle = await env.client.workflow.start<typeof lookUpProfile>('lookUpProfile', {
      workflowId: theirs.split('/').slice(0, 2).join('/'),
      taskQueue: queueName('workflows', suffix),
      args: [
        {
          ref: { workId: theirs, folder: 'f' },
          deadlineAt: (await rig().now()) + 24 * hour,
          retryRural: false,
          queueSuffix: `${suffix}-i${batches}`,
        },
      ],
    });
    rig().watch(handle);
    const { counts } = await driven(rig(), parts, desk, {
      concurrency: 1,
      meanwhile: async (workflowId) => {
        await until(() => desk.looks === 1);
        const batch = env.client.workflow.getHandle(workflowId);
        await batch.executeUpdate(cancelUpdate, { args: [{ now: false }] });
        desk.inVain = 1;
        await until(() => desk.looks === 2);
        desk.held.clear();
      },
    });
    expect(counts).toEqual({ found: 1 });
    expect(desk.asked).toEqual([theirs]);
  });

  it('all of which has ended is neither cancelled nor paused: its end tells the truth', async () => {
    const parts = idsOf('profile', 1, 2);
    const desk = new FakeDesk(parts, 'found');
    let isEnding = false;
    let tried = false;
    desk.atEnd = async () => {
      isEnding = true;
      await until(() => tried);
    };
    const { counts } = await driven(rig(), parts, desk, {
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
