import { randomUUID } from 'node:crypto';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { notSettledYet } from '../../src/activities/core/failures';
import { createPolling, type Reading } from '../../src/activities/core/poll-until-settled';
import type {
  AwaitTraceInput,
  StartedTrace,
  StartTraceInput,
} from '../../src/activities/traces/traces';
import { waitBounds, type WaitBounds } from '../../src/domain/core/service/poll-timing';
import { queueName } from '../../src/domain/core/queues';
import type { Polled } from '../../src/domain/core/service/poll-request';
import type { TraceOutcome, TraceSeen } from '../../src/domain/traces/search';
import { cancelUpdate, jobProgressQuery } from '../../src/workflows/messages';
import type { searchTrace } from '../../src/workflows/traces/search-trace';
import type { HistoryEvents } from '../support/growing-histories';
import { eventually } from '../support/diligence-process';
import { makeNamespace } from '../support/namespaces';
import { MachineLoad } from '../support/machine-load';
import { sharedServer } from '../support/temporal-servers';
import { dataConverter, hour, second, workflowBundlePath } from '../support/workflow-environment';

type Search = WorkflowHandle<typeof searchTrace>;

const made: Polled<StartedTrace> = {
  kind: 'settled',
  value: { kind: 'created', traceId: 't', state: 'queued', seen: null },
};
const settled: Reading<TraceSeen> = { kind: 'settled', value: { state: 'completed' } as TraceSeen };

function unsettled(pollAfterMs: number): Reading<TraceSeen> {
  const value = { state: 'queued' } as TraceSeen;
  return { kind: 'unsettled', value, status: 'queued', unknownWord: null, pollAfterMs };
}

/** What a real server makes of the wait that all resources share; searches stand for all. */
describe('the shared wait, on a real server', () => {
  jest.setTimeout(60_000);
  const namespace = `wait-${randomUUID()}`;
  let native: NativeConnection;
  let client: Client;
  let workflows: Worker;
  let finished: Promise<void>;
  let started = 0;

  beforeAll(async () => {
    Runtime.install({ logger: new DefaultLogger('ERROR') });
    const address = sharedServer();
    await makeNamespace(address, namespace);
    native = await NativeConnection.connect({ address });
    const connection = await Connection.connect({ address });
    client = new Client({ connection, namespace, dataConverter });
    workflows = await Worker.create({
      connection: native,
      namespace,
      dataConverter,
      taskQueue: queueName('workflows', 'wait'),
      workflowBundle: { codePath: workflowBundlePath() },
    });
    finished = workflows.run();
  }, 60_000);

  afterAll(async () => {
    workflows.shutdown();
    await finished;
    await client.connection.close();
    await native.close();
  }, 60_000);

  /** A worker for the activities of one test, on a queue of its own. */
  async function withWorker<T>(
    { read, request = async () => made, slots = 10, bounds = waitBounds }: Fakes,
    test: (start: (deadlineMs?: number, name?: string) => Promise<Search>) => Promise<T>,
  ): Promise<T> {
    const queueSuffix = `wait-${(started += 1)}`;
    const pollUntilSettled = createPolling({
      stopping: new AbortController().signal,
      warn: () => undefined,
      now: Date.now,
      random: () => 0.5,
      bounds,
    });
    const worker = await Worker.create({
      connection: native,
      namespace,
      dataConverter,
      taskQueue: queueName('investigation', queueSuffix),
      maxConcurrentActivityTaskExecutions: slots,
      activities: {
        startTrace: request,
        awaitTrace: (input: AwaitTraceInput) =>
          pollUntilSettled(async () => read(input), { ...input, what: 'a search' }),
        finalizeTrace: async ({ outcome }: { outcome: TraceOutcome }) => outcome,
      },
    });
    const start = (deadlineMs = hour, name = 'f'): Promise<Search> => {
      const jobId = `trace/wait-${(started += 1)}`;
      const deadlineAt = Date.now() + deadlineMs;
      return client.workflow.start<typeof searchTrace>('searchTrace', {
        workflowId: jobId,
        taskQueue: queueName('workflows', 'wait'),
        args: [{ ref: { jobId, folder: name }, deadlineAt, interactive: true, queueSuffix }],
      });
    };
    return worker.runUntil(() => test(start));
  }

  async function eventsOf(search: Search): Promise<HistoryEvents> {
    return (await search.fetchHistory()).events ?? [];
  }

  test('takes a cancel that meets a failing attempt for a cancel', async () => {
    let begin = (): void => undefined;
    const begun = new Promise<void>((done) => (begin = done));
    let fail = (): void => undefined;
    const cancelled = new Promise<void>((done) => (fail = done));
    const request = async (): Promise<never> => {
      begin();
      await cancelled;
      throw notSettledYet(20 * second);
    };
    await withWorker({ request, read: () => settled }, async (start) => {
      const search = await start();
      await begun;
      await search.executeUpdate(cancelUpdate, { args: [{ now: true }] });
      fail();
      expect(await search.result()).toMatchObject({ status: 'cancelled', error: null });
    });
  });

  test('ends at its deadline, to the second, when it is to read rarely and when often', async () => {
    const endsInTime = (pollAfterMs: number): Promise<void> =>
      withWorker({ read: () => unsettled(pollAfterMs) }, async (start) => {
        const load = new MachineLoad();
        const deadlineMs = 7 * second;
        const deadlineAt = Date.now() + deadlineMs;
        const search = await start(deadlineMs);
        const outcome = await search.result();
        expect(outcome).toMatchObject({ status: 'expired', seen: { state: 'queued' } });
        const read = (await eventsOf(search)).filter((event) => activityEnd(event)).at(1);
        const lateMs = tsToMs(read?.eventTime) - deadlineAt;
        expect(lateMs).toBeGreaterThanOrEqual(0);
        expect(lateMs).toBeLessThan(second * load.slowness());
      });
    await Promise.all([endsInTime(hour), endsInTime(2 * second)]);
  });

  test('leaves the same history after one poll and after five hundred', async () => {
    // Most are held, and the last two are left to the server, whose timers are a second long at least.
    const bounds = { ...waitBounds, holdMs: 2, holdInAllMs: hour, minMs: 2 };
    const polledTimes = async (polls: number) => {
      let reads = 0;
      const read = (): Reading<TraceSeen> => {
        reads += 1;
        if (reads > polls) return settled;
        return unsettled(reads > polls - 2 ? second : 2);
      };
      return withWorker({ read, bounds }, async (start) => {
        const search = await start();
        expect(await search.result()).toMatchObject({ status: 'completed' });
        return { reads, types: (await eventsOf(search)).map(({ eventType }) => eventType) };
      });
    };
    const [once, often] = await Promise.all([polledTimes(1), polledTimes(500)]);
    expect([once.reads, often.reads]).toEqual([2, 501]);
    expect(often.types).toEqual(once.types);
    expect(often.types.length).toBeLessThanOrEqual(30);
  });

  test('holds no slot over a wait of hours: one is enough for other work', async () => {
    let reads = 0;
    const read = (): Reading<TraceSeen> => ((reads += 1) === 1 ? unsettled(2 * hour) : settled);
    await withWorker({ read, slots: 1 }, async (start) => {
      const long = await start(4 * hour);
      await eventually(
        'it is left to the server',
        async () => (await lastFailureOf(long)) !== null,
      );
      const others = await Promise.all([start(), start(), start()]);
      const ends = await Promise.all(others.map((other) => other.result()));
      expect(ends.map(({ status }) => status)).toEqual(Array(3).fill('completed'));
      const { pendingActivities } = (await long.describe()).raw;
      const dueInMs = tsToMs(pendingActivities?.[0]?.scheduledTime) - Date.now();
      // It is asked once an hour at least, whatever the service wants.
      expect(dueInMs / hour).toBeCloseTo(1, 1);
      expect(reads).toBe(4);
      await long.executeUpdate(cancelUpdate, { args: [{ now: true }] });
      expect(await long.result()).toMatchObject({ status: 'cancelled' });
    });
  });

  test('gives its slot up though the service asks to be read every second', async () => {
    const bounds = { ...waitBounds, holdInAllMs: 2 * second };
    let isOver = false;
    const read = ({ ref }: AwaitTraceInput): Reading<TraceSeen> =>
      isOver || ref.folder === 'short' ? settled : unsettled(second);
    await withWorker({ read, bounds, slots: 1 }, async (start) => {
      const long = await start();
      await eventually(
        'it waits',
        async () => (await long.query(jobProgressQuery)).externalId !== null,
      );
      const short = await start(hour, 'short');
      expect(await short.result()).toMatchObject({ status: 'completed' });
      expect((await long.describe()).status.name).toBe('RUNNING');
      isOver = true;
      expect(await long.result()).toMatchObject({ status: 'completed' });
    });
  });

  test('a cancel between two tries is not waited for', async () => {
    const request = async (): Promise<never> => {
      throw notSettledYet(hour);
    };
    await withWorker({ request, read: () => settled }, async (start) => {
      const search = await start(4 * hour);
      await eventually('it was tried', async () => (await lastFailureOf(search)) !== null);
      await search.executeUpdate(cancelUpdate, { args: [{ now: true }] });
      expect(await search.result()).toMatchObject({ status: 'cancelled', seen: null });
    });
  });

  test('a cancel ends a wait that is held', async () => {
    let reads = 0;
    const read = (): Reading<TraceSeen> => {
      reads += 1;
      return unsettled(9 * second);
    };
    await withWorker({ read }, async (start) => {
      const search = await start();
      await eventually('it is held', () => reads > 0);
      await search.executeUpdate(cancelUpdate, { args: [{ now: true }] });
      expect(await search.result()).toMatchObject({ status: 'cancelled' });
      expect(reads).toBe(1);
    });
  });

  async function lastFailureOf(search: Search) {
    return (await search.describe()).raw.pendingActivities?.[0]?.lastFailure ?? null;
  }
});

interface Fakes {
  read: (input: AwaitTraceInput) => Reading<TraceSeen>;
  request?: (input: StartTraceInput) => Promise<Polled<StartedTrace>>;
  slots?: number;
  bounds?: WaitBounds;
}

function activityEnd(event: HistoryEvents[number]): boolean {
  return event.activityTaskCompletedEventAttributes != null;
}
