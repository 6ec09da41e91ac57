import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as breathe } from 'node:timers/promises';
import { CompleteAsyncError, Context } from '@temporalio/activity';
import {
  ActivityCancelledError,
  type WorkflowHandleWithFirstExecutionRunId,
} from '@temporalio/client';
import { IllegalStateError, type Workflow } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { DefaultLogger, Runtime, Worker, type WorkerOptions } from '@temporalio/worker';
import { queueName } from '../../src/domain/core/queues';
import type { RowListRef } from '../../src/domain/certificates/job';
import { KeyRing } from '../../src/protection/key-ring';
import { dataConverterOf } from '../../src/temporal/payload/data-converter';
import type { certificateBatch } from '../../src/workflows/certificates/certificate-batch';
import type {
  CertificateLaneInput,
  certificateLane,
} from '../../src/workflows/certificates/certificate-lane';
import type { certificateResolve } from '../../src/workflows/certificates/certificate-resolve';
import type { issueCertificate } from '../../src/workflows/certificates/issue-certificate';
import type { CertificateBatchInput, IssuingTerms } from '../../src/workflows/inputs';
import type { RowCounts, RowsProgress } from '../../src/workflows/messages';
import { cancelUpdate, controlSignal, rowsProgressQuery } from '../../src/workflows/messages';
import { firstRows, type CarriedRows } from '../../src/workflows/certificates/rows/row-state';
import { ClockLocks } from './clock-locks';
import type { HistoryEvents, Run } from './growing-histories';
import { isFullSize, sized } from './full-size';
import { FakeActivities, type ActivityClock, type FakeOptions } from './fake-activities';
import type { RowScript } from './fake-activities-service';
import { timeSkippingEnvironment } from './time-skipping-server';

/** As in production: what the fakes and workflows say to each other is sealed. */
export const dataConverter = dataConverterOf(KeyRing.parse(`test:${'7e57'.repeat(16)}`), 'default');

export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;

const modes = {
  kept: { mode: 'kept in memory', cached: 100 },
  replayed: { mode: 'replayed at every task', cached: 0 },
} as const;

/**
 * Longest sleep between two heartbeats of a fake. An activity that sleeps past a timeout of its own
 * leaves the server's clock locked for good (temporalio/sdk-java#2246), and the suite hangs; on a
 * busy machine seconds pass on the wall before a beat is sent, so this is below the ten.
 */
const sleepMs = 7_000;

/** On the wall: enough for a workflow task, or for the replay of a history of a thousand events. */
const breathsMs = { kept: 20, replayed: 150 };

export interface LaneSetup {
  rows: number;
  share?: number;
  terms?: Partial<IssuingTerms>;
  eventsLimit?: number;
  carried?: Partial<CarriedRows>;
}

export interface BatchSetup extends Partial<Omit<CertificateBatchInput, 'work' | 'terms'>> {
  rows: number;
  terms?: Partial<IssuingTerms>;
}

export type LaneHandle = WorkflowHandleWithFirstExecutionRunId<typeof certificateLane>;
export type BatchHandle = WorkflowHandleWithFirstExecutionRunId<typeof certificateBatch>;

/** A time-skipping server with workers for the three queues; the activities are those of a test. */
export class WorkflowRig {
  readonly env: TestWorkflowEnvironment;
  readonly #suffix: string;
  readonly #fakes = new Map<string, FakeActivities>();
  readonly #started: string[] = [];
  readonly #locks: ClockLocks;
  #workers: Worker[] = [];
  #finished: Promise<unknown> = Promise.resolve();
  #next: FakeActivities | null = null;
  #breathMs = breathsMs.kept;

  constructor(env: TestWorkflowEnvironment, suffix: string) {
    this.env = env;
    this.#locks = new ClockLocks(env);
    this.#suffix = suffix;
  }

  async startWorkers(maxCachedWorkflows: number): Promise<void> {
    if (maxCachedWorkflows === 0) this.#breathMs = breathsMs.replayed;
    const { requests, watches } = this.#delegates();
    const common = {
      connection: this.env.nativeConnection,
      ...(this.env.namespace !== undefined && { namespace: this.env.namespace }),
      shutdownForceTime: '5s',
      dataConverter,
    } as const;
    const options: WorkerOptions[] = [
      {
        ...common,
        taskQueue: queueName('workflows', this.#suffix),
        workflowBundle: { codePath: workflowBundlePath() },
        activities: { noteWaiting: () => Promise.resolve() },
        maxCachedWorkflows,
      },
      {
        ...common,
        taskQueue: queueName('certificate-requests', this.#suffix),
        activities: requests,
      },
      { ...common, taskQueue: queueName('certificate-watches', this.#suffix), activities: watches },
    ];
    this.#workers = await Promise.all(options.map((one) => Worker.create(one)));
    this.#finished = Promise.all(this.#workers.map((worker) => worker.run()));
    this.#locks.start();
  }

  async stopWorkers(): Promise<void> {
    await this.#locks.stop();
    for (const worker of this.#workers) worker.shutdown();
    await this.#finished;
  }

  /** The activities of the workflow that is started next, and of its lanes. */
  fakes(scripts: Record<number, RowScript> = {}, options: FakeOptions = {}): FakeActivities {
    this.#next = new FakeActivities(scripts, options);
    return this.#next;
  }

  async startLane({ rows, share = 100, terms, eventsLimit, carried }: LaneSetup) {
    const workflowId = this.#newId('lane');
    const input: CertificateLaneInput = {
      list: workOf(workflowId, rows),
      from: 0,
      to: rows,
      terms: { ...(await this.#terms()), ...terms },
      name: 'lane-0000',
      fairnessKey: 'key',
      eventsLimit: eventsLimit ?? 3_000,
      reportLostEvery: 1,
      carried: { ...firstRows(0, share), ...carried },
    };
    return this.#start<typeof certificateLane>('certificateLane', workflowId, input);
  }

  async startBatch({ rows, terms, ...rest }: BatchSetup, id?: string): Promise<BatchHandle> {
    const workflowId = this.#newId('batch', id);
    const input: CertificateBatchInput = {
      jobId: workflowId,
      list: workOf(workflowId, rows),
      terms: { ...(await this.#terms()), ...terms },
      concurrency: 100,
      ...rest,
    };
    return this.#start<typeof certificateBatch>('certificateBatch', workflowId, input);
  }

  async startSingle(terms: Partial<IssuingTerms> = {}) {
    const jobId = this.#newId('single');
    return this.#start<typeof issueCertificate>('issueCertificate', jobId, {
      jobId,
      list: workOf(jobId, 1),
      terms: { ...(await this.#terms()), interactive: true, ...terms },
    });
  }

  async startResolve(decision: number) {
    const jobId = this.#newId('resolve');
    return this.#start<typeof certificateResolve>('certificateResolve', jobId, {
      jobId: 'batch-decided-on',
      list: workOf('batch-decided-on', 1_000),
      decision,
      terms: await this.#terms(),
      concurrency: 100,
    });
  }

  /**
   * To be called for a workflow that a test has started by itself: the clock is unlocked after it too.
   * The worker for its activities must have `interceptors: rig.interceptors`.
   */
  watch({ workflowId, firstExecutionRunId }: WorkflowHandleWithFirstExecutionRunId): void {
    this.#locks.watch(workflowId, firstExecutionRunId);
  }

  /** Of every worker whose activities a test makes by itself. */
  get interceptors(): NonNullable<WorkerOptions['interceptors']> {
    return { activity: [this.#locks.noteTries] };
  }

  /**
   * Waits until the activity of a workflow is between two tries. To be called before a cancel: of an
   * activity that has just ended the server refuses it, and never ends the task that gave it.
   */
  async untilBetweenTries(workflowId: string): Promise<void> {
    const handle = this.env.client.workflow.getHandle(workflowId);
    for (;;) {
      const { pendingActivities } = (await handle.describe()).raw;
      if (pendingActivities?.[0]?.lastFailure != null) return;
      await breathe(20);
    }
  }

  /** Ends the names of its task queues. */
  get suffix(): string {
    return this.#suffix;
  }

  /** Virtual now. */
  now(): Promise<number> {
    return this.env.currentTimeMs();
  }

  /** Lets virtual time pass, and the workflows and activities with it. */
  async pass(ms: number): Promise<void> {
    await this.#locks.passing(this.env.sleep(ms));
  }

  /** Lets time pass until something holds, at most an hour of it. */
  async until(holds: () => boolean | Promise<boolean>, stepMs = 100): Promise<void> {
    const giveUpAt = (await this.now()) + hour;
    while (!(await holds())) {
      if ((await this.now()) > giveUpAt) throw new Error('it did not come to hold within an hour');
      await this.pass(stepMs);
      // While time passes, a task that is slow to be replayed may time out: between steps none does.
      if (stepMs >= second) await breathe(this.#breathMs);
    }
  }

  progressOf(laneId: string): Promise<RowsProgress> {
    return this.env.client.workflow.getHandle(laneId).query(rowsProgressQuery);
  }

  /** Every run of a workflow that continued as new, first to last: its history, by event type. */
  async histories(workflowId: string, firstRunId: string): Promise<HistoryEvents[]> {
    const found: HistoryEvents[] = [];
    let runId: string | null | undefined = firstRunId;
    while (typeof runId === 'string' && runId !== '') {
      const history = await this.env.client.workflow.getHandle(workflowId, runId).fetchHistory();
      const events: HistoryEvents = history.events ?? [];
      found.push(events);
      runId = events.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
    }
    return found;
  }

  /**
   * Ends what a test left running, in an orderly way: a workflow that is terminated over a running
   * activity leaves the server's clock locked for good.
   */
  async endAll(): Promise<void> {
    for (const id of this.#started.splice(0)) {
      const handle = this.env.client.workflow.getHandle(id);
      const { status } = await handle.describe();
      if (status.name !== 'RUNNING') continue;
      await (id.startsWith('lane')
        ? handle.signal(controlSignal, { cancel: 'now' })
        : handle.executeUpdate(cancelUpdate, { args: [{ now: true }] }).catch(() => {}));
      await handle.result();
    }
    await this.#locks.release();
  }

  async #start<T extends Workflow>(
    type: string,
    workflowId: string,
    input: Parameters<T>[0],
  ): Promise<WorkflowHandleWithFirstExecutionRunId<T>> {
    const taskQueue = queueName('workflows', this.#suffix);
    // A long history is replayed at every task, which on a busy machine takes longer than usual.
    const workflowTaskTimeout = '2 minutes';
    const options = { workflowId, taskQueue, workflowTaskTimeout, args: [input] as never };
    const handle = await this.env.client.workflow.start<T>(type, options);
    this.watch(handle);
    return handle;
  }

  #newId(kind: string, given?: string): string {
    if (this.#next === null) throw new Error('call rig.fakes() before a workflow is started');
    const workflowId = given ?? `${kind}-${this.#suffix}-${this.#fakes.size + 1}`;
    this.#fakes.set(workflowId, this.#next);
    this.#started.push(workflowId);
    return workflowId;
  }

  async #terms(): Promise<IssuingTerms> {
    const now = await this.now();
    return {
      reuseSince: 0,
      rowDeadlineMs: 24 * hour,
      requestUntil: now + 48 * hour,
      onUnknown: 'report',
      interactive: false,
      queueSuffix: this.#suffix,
    };
  }

  /** Activities that look up, at each call, the fakes of the workflow that calls. */
  #delegates(): ReturnType<FakeActivities['activities']> {
    const own = (): ReturnType<FakeActivities['activities']> => {
      const id = Context.current().info.workflowExecution?.workflowId.split('/')[0] ?? '';
      const fakes = this.#fakes.get(id);
      if (fakes === undefined) throw new Error(`no test has started ${id}`);
      return fakes.activities(
        () => this.#clock(),
        () => this.#reportCancelled(),
      );
    };
    return {
      requests: {
        requestCertificates: (input) => own().requests.requestCertificates(input),
        proveAccess: () => own().requests.proveAccess(),
        recoverRequests: (input) => own().requests.recoverRequests(input),
        rereadReceipts: (input) => own().requests.rereadReceipts(input),
      },
      watches: {
        pollCertificates: (input) => own().watches.pollCertificates(input),
        leaveOutstanding: (input) => own().watches.leaveOutstanding(input),
        deferRows: (input) => own().watches.deferRows(input),
        takeDeferredRows: (input) => own().watches.takeDeferredRows(input),
        dropDeferredRows: (input) => own().watches.dropDeferredRows(input),
        finalizeRows: (input) => own().watches.finalizeRows(input),
        carryOutDecision: (input) => own().watches.carryOutDecision(input),
      },
    };
  }

  /** Heartbeats go straight to the server: the worker's are held back by the clock on the wall. */
  #clock(): ActivityClock {
    const { taskToken, workflowExecution } = Context.current().info;
    const isWanted = async (): Promise<boolean> => {
      try {
        await this.env.client.activity.heartbeat(taskToken);
        return true;
      } catch (error) {
        if (error instanceof ActivityCancelledError) return false;
        throw error;
      }
    };
    return {
      now: () => this.now(),
      sleep: async (ms) => {
        for (let left = Math.max(ms, 1); left > 0; left -= sleepMs) {
          await this.#locks.asleep(this.env.sleep(Math.min(left, sleepMs)));
          if (!(await isWanted())) return false;
        }
        return true;
      },
      untilNoTask: () => this.#locks.untilNoTask(workflowExecution as Run),
    };
  }

  async #reportCancelled(): Promise<never> {
    const { taskToken } = Context.current().info;
    await this.#locks.reporting(() => this.env.client.activity.reportCancellation(taskToken));
    throw new CompleteAsyncError();
  }
}

type SuiteTests = (rig: () => WorkflowRig) => void;

/** A suite of workflows, which are kept in memory; at full size replayed as well. */
export function workflowSuite(title: string, tests: SuiteTests): void {
  suiteIn(isFullSize ? [modes.kept, modes.replayed] : [modes.kept], title, tests);
}

/**
 * One that stands for the others: it runs a second time with every workflow replayed at every task.
 *
 * @param others tests of the suite that are replayed at full size alone
 */
export function representativeSuite(
  title: string,
  tests: SuiteTests,
  others: SuiteTests = () => undefined,
): void {
  suiteIn([modes.kept, modes.replayed], title, tests, others);
}

type Mode = (typeof modes)[keyof typeof modes];

function suiteIn(
  inModes: readonly Mode[],
  title: string,
  tests: SuiteTests,
  others: SuiteTests = () => undefined,
): void {
  describe(title, () => {
    let env: TestWorkflowEnvironment;
    jest.setTimeout(sized(60_000, 300_000));
    beforeAll(async () => {
      const logging = { forward: {}, filter: { core: 'ERROR', other: 'ERROR' } } as const;
      try {
        Runtime.install({ logger: new DefaultLogger('ERROR'), telemetryOptions: { logging } });
      } catch (error) {
        // That of the suite before, which may be closing its last connection, is the same.
        if (!(error instanceof IllegalStateError)) throw error;
      }
      env = await timeSkippingEnvironment(dataConverter);
    });
    afterAll(() => env.teardown());

    describe.each(inModes)('with workflows $mode', ({ mode, cached }) => {
      let rig: WorkflowRig;
      beforeAll(async () => {
        rig = new WorkflowRig(env, randomBytes(4).toString('hex'));
        await rig.startWorkers(cached);
      });
      afterEach(() => rig.endAll());
      afterAll(() => rig.stopWorkers());
      tests(() => rig);
      if (mode === modes.kept.mode || isFullSize) others(() => rig);
    });
  });
}

export function counted(counts: Partial<RowCounts>): RowCounts {
  return { issued: 0, failed: 0, expired: 0, unknown: 0, cancelled: 0, ...counts };
}

export function ascending(a: number, b: number): number {
  return a - b;
}

export function placesUpTo(count: number): number[] {
  return [...Array(count).keys()];
}

function workOf(jobId: string, items: number): RowListRef {
  const folder = `works/${jobId}`;
  return { folder, items, outcomesIn: folder };
}

export function workflowBundlePath(): string {
  const path = join(__dirname, '..', '..', 'dist', 'workflow-bundle.js');
  if (!existsSync(path)) throw new Error('dist/workflow-bundle.js is missing: run `npm run build`');
  return path;
}
