import { Context } from '@temporalio/activity';
import { Worker } from '@temporalio/worker';
import { said } from '../support/batch-orders';
import type { RequestInput } from '../../src/activities/credit/requests';
import { notSettledYet } from '../../src/activities/core/failures';
import type { Polled } from '../../src/domain/core/service/poll-request';
import { queueName } from '../../src/domain/core/queues';
import type {
  AnalysisOutcome,
  AnalysisResultRef,
  EngineChosen,
  RequestAnswer,
  OperationSeen,
} from '../../src/domain/credit/job';
import type { analyzeCredit } from '../../src/workflows/credit/analyze-credit';
import { jobProgressQuery, cancelUpdate, resumeUpdate } from '../../src/workflows/messages';
import {
  dataConverter,
  hour,
  minute,
  workflowSuite,
  type WorkflowRig,
} from '../support/workflow-environment';

const accepted: RequestAnswer = {
  kind: 'accepted',
  operationId: 'op-1',
  acceptedAt: 0,
  afterUnknown: false,
};
const settled = <T>(value: T): Polled<T> => ({ kind: 'settled', value });
const ready = settled<OperationSeen>({ kind: 'ready', statusWord: 'done' });
const stored = { issuesKey: 'i', allKey: 'a', contradictions: [] } as unknown as AnalysisResultRef;

/** What the activities answer, one after the other; the last one for ever. A function throws. */
interface Script {
  requests: (RequestAnswer | (() => never))[];
  recoveries: RequestAnswer[];
  waits: (Polled<OperationSeen> | (() => never))[];
  results: Polled<AnalysisResultRef>;
  /** Null: its engine has no name to be looked up. */
  choice: Polled<EngineChosen> | typeof notYet | null;
}

class FakeCredit {
  readonly calls: { activity: string; input: unknown }[] = [];
  readonly #script: Script;

  constructor(script: Partial<Script>) {
    const usual = { requests: [accepted], recoveries: [accepted], waits: [ready] };
    this.#script = { ...usual, results: settled(stored), choice: null, ...script };
  }

  get namesEngine(): boolean {
    return this.#script.choice !== null;
  }

  inputsOf(activity: string): unknown[] {
    return this.calls.filter((call) => call.activity === activity).map(({ input }) => input);
  }

  activities() {
    const answer = <T>(activity: string, input: unknown, answers: (T | (() => T))[]): T => {
      const next = answers[Math.min(this.inputsOf(activity).length, answers.length - 1)] as T;
      this.calls.push({ activity, input });
      return typeof next === 'function' ? (next as () => T)() : next;
    };
    const { requests, recoveries, waits, results, choice } = this.#script;
    return {
      chooseNamedEngine: async (input: unknown) => {
        this.calls.push({ activity: 'chooseNamedEngine', input });
        if (choice === notYet) throw notSettledYet(10 * minute);
        return choice;
      },
      requestAnalysis: async (input: unknown) => {
        const given = answer('requestAnalysis', input, requests);
        return given === held ? heldUntilCancelled() : given;
      },
      recoverAnalysis: async (input: unknown) => answer('recoverAnalysis', input, recoveries),
      awaitAnalysis: async (input: unknown) => answer('awaitAnalysis', input, waits),
      fileResults: async (input: unknown) => answer('fileResults', input, [results]),
      finalizeAnalysis: async ({ outcome }: { outcome: AnalysisOutcome }) => outcome,
    };
  }
}

const notYet = 'not yet';

/** Told as the answer, it holds the activity as the real one does: until it is given up. */
const held: RequestAnswer = { kind: 'unsent', why: 'service', notBefore: 1 };

async function heldUntilCancelled(): Promise<RequestAnswer> {
  const context = Context.current();
  const beats = setInterval(() => context.heartbeat(), 100);
  await context.cancelled.catch(() => undefined);
  clearInterval(beats);
  return held;
}

let started = 0;

/** Runs one analysis to its end, with a worker of its own for its activities. */
async function analysed(
  rig: WorkflowRig,
  fakes: FakeCredit,
  meanwhile: (workflowId: string) => Promise<unknown> = async () => undefined,
  deadlineMs = 24 * hour,
) {
  const { env } = rig;
  started += 1;
  const workflowId = `credit/${rig.suffix}-${started}`;
  // The queue of the activities is that of this test alone.
  const queueSuffix = `${rig.suffix}-${started}`;
  const { requestAnalysis, ...others } = fakes.activities();
  const common = {
    connection: env.nativeConnection,
    ...(env.namespace !== undefined && { namespace: env.namespace }),
    maxHeartbeatThrottleInterval: 100,
    dataConverter,
  };
  const uploads = await Worker.create({
    ...common,
    taskQueue: queueName('credit-uploads', queueSuffix),
    activities: { requestAnalysis },
  });
  const worker = await Worker.create({
    ...common,
    taskQueue: queueName('credit', queueSuffix),
    activities: others,
  });
  const drive = async () => {
    const deadlineAt = (await rig.now()) + deadlineMs;
    const handle = await env.client.workflow.start<typeof analyzeCredit>('analyzeCredit', {
      workflowId,
      taskQueue: queueName('workflows', rig.suffix),
      args: [
        {
          ref: { jobId: workflowId, folder: 'f' },
          deadlineAt,
          queueSuffix,
          ...(fakes.namesEngine && { namesEngine: true }),
        },
      ],
    });
    await meanwhile(workflowId);
    const outcome = await handle.result();
    const { events } = await handle.fetchHistory();
    return { outcome, events: events?.length ?? 0, handle };
  };
  return uploads.runUntil(worker.runUntil(drive()));
}

const notSent = (why: 'credentials' | 'service'): RequestAnswer => ({
  kind: 'unsent',
  why,
  notBefore: 0,
});
/** The upload waits: its second activity has been given out. */
async function calledTwice(fakes: FakeCredit): Promise<void> {
  while (fakes.inputsOf('requestAnalysis').length < 2) {
    await new Promise((done) => setTimeout(done, 20));
  }
}

const lost = (): never => {
  throw new Error('the worker was lost');
};

workflowSuite('an analysis', (rig) => {
  it('is sent, waited for, and its results put on file, in few events', async () => {
    const fakes = new FakeCredit({});
    const { outcome, events } = await analysed(rig(), fakes);
    expect(outcome).toMatchObject({ status: 'completed', operationId: 'op-1', result: stored });
    expect(events).toBeLessThan(60);
  });

  it('whose upload was lost is looked into, and never sent again', async () => {
    const fakes = new FakeCredit({ requests: [lost] });
    const { outcome } = await analysed(rig(), fakes);
    expect(outcome.status).toBe('completed');
    expect(fakes.inputsOf('requestAnalysis')).toHaveLength(1);
    const [{ ref, chunk }] = fakes.inputsOf('requestAnalysis') as [RequestInput];
    expect(fakes.inputsOf('recoverAnalysis')).toEqual([{ ref, chunk }]);
  });

  it('asks which engine a name means before it is sent, and is not sent when there is none', async () => {
    const fakes = new FakeCredit({ choice: settled<EngineChosen>({ kind: 'chosen' }) });
    expect((await analysed(rig(), fakes)).outcome.status).toBe('completed');
    expect(fakes.calls.slice(0, 2).map(({ activity }) => activity)).toEqual([
      'chooseNamedEngine',
      'requestAnalysis',
    ]);
    const why = { kind: 'refused', code: 'engine_unknown', message: 'no such engine' } as const;
    const expired = { kind: 'expired', value: null } as const;
    for (const [choice, status, code] of [
      [settled<EngineChosen>(why), 'refused', 'engine_unknown'],
      [{ ...why, status: 404 }, 'refused', 'engine_unknown'],
      [expired, 'expired', 'never_sent'],
    ] as const) {
      const none = new FakeCredit({ choice });
      const { outcome } = await analysed(rig(), none);
      expect(outcome).toMatchObject({ status, operationId: null, error: { code } });
      expect(none.inputsOf('requestAnalysis')).toEqual([]);
    }
  });

  it('cancelled while it asks which engine a name means is never sent', async () => {
    const fakes = new FakeCredit({ choice: notYet });
    const { outcome } = await analysed(rig(), fakes, async (workflowId) => {
      while (fakes.calls.length === 0) await new Promise((done) => setTimeout(done, 20));
      const running = rig().env.client.workflow.getHandle(workflowId);
      await running.executeUpdate(cancelUpdate, { args: [{ now: false }] });
    });
    expect(outcome).toMatchObject({ status: 'cancelled', error: { code: 'never_sent' } });
    expect(fakes.inputsOf('requestAnalysis')).toEqual([]);
  });

  it('of unknown outcome ends so, and a person decides', async () => {
    const fakes = new FakeCredit({
      requests: [lost],
      recoveries: [{ kind: 'unknown', reason: 'the sender was lost', afterUnknown: true }],
    });
    const { outcome } = await analysed(rig(), fakes);
    expect(outcome).toMatchObject({ status: 'unknown_outcome', operationId: null, result: null });
    expect(outcome.possibleDoubleCharge).toBe(true);
    expect(fakes.inputsOf('requestAnalysis')).toHaveLength(1);
    expect(fakes.inputsOf('awaitAnalysis')).toEqual([]);
  });

  it('that is turned away waits in one activity, in as few events, and is shown to wait', async () => {
    const fakes = new FakeCredit({ requests: [notSent('credentials'), accepted] });
    const { outcome, events } = await analysed(rig(), fakes);
    expect(outcome.status).toBe('completed');
    const [first, second] = fakes.inputsOf('requestAnalysis') as RequestInput[];
    expect(first).toMatchObject({ before: null });
    expect(second).toMatchObject({ before: { why: 'credentials' } });
    expect(second?.chunk).not.toBe(first?.chunk);
    // At first for seconds, then as long as there is time to send it.
    expect((second?.until ?? 0) - (first?.until ?? 0)).toBeGreaterThan(23 * hour);
    expect(events).toBeLessThan(60);
  });

  it('costs at most twenty events for each upload that is looked into', async () => {
    const unsent = notSent('service');
    const script = { requests: [lost, lost, accepted], recoveries: [unsent] };
    const { outcome, events } = await analysed(rig(), new FakeCredit(script));
    expect(outcome.status).toBe('completed');
    expect(events).toBeLessThan(40 + 2 * 20);
  });

  it('waits longer after each upload that its worker did not survive', async () => {
    const script = { requests: [lost, lost, accepted], recoveries: [notSent('service')] };
    const fakes = new FakeCredit(script);
    const begunAt = await rig().now();
    await analysed(rig(), fakes);
    const [, second, third] = fakes.inputsOf('requestAnalysis') as RequestInput[];
    expect(second?.before?.notBefore).toBeGreaterThan(begunAt);
    expect(third?.before?.notBefore).toBeGreaterThan(second?.before?.notBefore ?? 0);
  });

  it('that was never sent ends at its deadline, and says so', async () => {
    const fakes = new FakeCredit({ requests: [notSent('credentials')] });
    const { outcome } = await analysed(rig(), fakes, undefined, -1);
    expect(outcome).toMatchObject({
      status: 'expired',
      operationId: null,
      error: { code: 'never_sent' },
    });
    expect(fakes.inputsOf('awaitAnalysis')).toEqual([]);
  });

  it('is over when its worker says so, whose clock may be ahead', async () => {
    const over: RequestAnswer = { kind: 'unsent', why: 'service', notBefore: 0, isOver: true };
    const fakes = new FakeCredit({ requests: [notSent('service'), over] });
    const { outcome } = await analysed(rig(), fakes);
    expect(outcome).toMatchObject({ status: 'expired', error: { code: 'never_sent' } });
    expect(fakes.inputsOf('requestAnalysis')).toHaveLength(2);
  });

  it('whose file is spoilt in the store fails at once', async () => {
    const fakes = new FakeCredit({
      requests: [{ kind: 'corrupt', message: 'not what was stored' }],
    });
    const { outcome } = await analysed(rig(), fakes);
    expect(outcome).toMatchObject({
      status: 'failed',
      operationId: null,
      error: { code: 'spoilt_input', message: 'not what was stored' },
    });
  });

  it('whose complete result nobody can read fails, and says what is wrong with it', async () => {
    const fakes = new FakeCredit({
      results: {
        kind: 'refused',
        status: 200,
        code: 'unreadable_answer',
        message: 'cedente: invalid_type',
      },
    });
    const { outcome } = await analysed(rig(), fakes);
    expect(outcome).toMatchObject({
      status: 'failed',
      operationId: 'op-1',
      error: { code: 'unreadable_result', message: 'cedente: invalid_type' },
    });
  });

  it('that takes hours leaves no history while it is waited for', async () => {
    const later = (): never => {
      throw notSettledYet(10 * minute);
    };
    const waits = [...Array.from({ length: 30 }, () => later), ready];
    const fakes = new FakeCredit({ waits });
    const { outcome, events } = await analysed(rig(), fakes);
    expect(outcome.status).toBe('completed');
    expect(fakes.inputsOf('awaitAnalysis')).toHaveLength(31);
    expect(events).toBeLessThan(60);
  });

  it('that waits to be sent is cancelled, and is not sent', async () => {
    const fakes = new FakeCredit({ requests: [notSent('credentials'), held] });
    const { outcome, handle } = await analysed(rig(), fakes, async (workflowId) => {
      await calledTwice(fakes);
      const running = rig().env.client.workflow.getHandle(workflowId);
      expect((await running.query(jobProgressQuery)).waiting?.reason).toBe('credentials');
      await running.executeUpdate(cancelUpdate, { args: [{ now: true }] });
    });
    expect(outcome).toMatchObject({ status: 'cancelled', error: { code: 'never_sent' } });
    expect((await handle.query(jobProgressQuery)).stage).toBe('done');
  });

  it('that waits to be sent goes at once when a person says so', async () => {
    const fakes = new FakeCredit({ requests: [notSent('service'), held, accepted] });
    const { outcome } = await analysed(rig(), fakes, async (workflowId) => {
      const running = rig().env.client.workflow.getHandle(workflowId);
      await calledTwice(fakes);
      expect(said(await running.executeUpdate(resumeUpdate))).toBe('trying at once');
    });
    expect(outcome.status).toBe('completed');
    const [, , third] = fakes.inputsOf('requestAnalysis') as RequestInput[];
    expect(third?.before).toMatchObject({ why: 'service', notBefore: 0 });
  });

  it('that failed, was refused or expired tells how', async () => {
    const failed = settled<OperationSeen>({
      kind: 'failed',
      statusWord: 'erro',
      code: 'E1',
      message: 'no',
    });
    expect((await analysed(rig(), new FakeCredit({ waits: [failed] }))).outcome).toMatchObject({
      status: 'failed',
      statusWord: 'erro',
      error: { code: 'E1', message: 'no' },
    });
    const refused = { kind: 'refused', code: null, message: '413', wasSent: true } as const;
    expect((await analysed(rig(), new FakeCredit({ requests: [refused] }))).outcome.status).toBe(
      'refused',
    );
    const value = { kind: 'unsettled', statusWord: 'working' } as const;
    const expired = { kind: 'expired', value } as const;
    expect((await analysed(rig(), new FakeCredit({ waits: [expired] }))).outcome).toMatchObject({
      status: 'expired',
      operationId: 'op-1',
    });
  });
});
