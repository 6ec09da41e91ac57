import { Worker } from '@temporalio/worker';
import { notSettledYet } from '../../src/activities/failures';
import { queueName } from '../../src/domain/queues';
import type {
  AnalysisOutcome,
  AnalysisResultRef,
  RequestAnswer,
  WaitAnswer,
} from '../../src/domain/credit/work';
import type { analyzeCredit } from '../../src/workflows/analyze-credit';
import { analysisProgressQuery, cancelUpdate, resumeUpdate } from '../../src/workflows/messages';
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
const ready: WaitAnswer = { kind: 'ready', statusWord: 'done' };
const filed = { issuesKey: 'i', allKey: 'a', contradictions: [] } as unknown as AnalysisResultRef;

/** What the activities answer, one after the other; the last one for ever. A function throws. */
interface Script {
  requests: (RequestAnswer | (() => never))[];
  recoveries: RequestAnswer[];
  waits: (WaitAnswer | (() => never))[];
}

class FakeCredit {
  readonly calls: { activity: string; input: unknown }[] = [];
  readonly #script: Script;

  constructor(script: Partial<Script>) {
    this.#script = { requests: [accepted], recoveries: [accepted], waits: [ready], ...script };
  }

  inputsOf(activity: string): unknown[] {
    return this.calls.filter((call) => call.activity === activity).map(({ input }) => input);
  }

  activities() {
    const answer = <T>(activity: string, input: unknown, answers: (T | (() => never))[]): T => {
      const next = answers[Math.min(this.inputsOf(activity).length, answers.length - 1)];
      this.calls.push({ activity, input });
      return typeof next === 'function' ? (next as () => never)() : (next as T);
    };
    const { requests, recoveries, waits } = this.#script;
    return {
      requestAnalysis: async (input: unknown) => answer('requestAnalysis', input, requests),
      recoverAnalysis: async (input: unknown) => answer('recoverAnalysis', input, recoveries),
      awaitAnalysis: async (input: unknown) => answer('awaitAnalysis', input, waits),
      fileResults: async (input: unknown) => answer('fileResults', input, [filed]),
      concludeAnalysis: async ({ outcome }: { outcome: AnalysisOutcome }) => outcome,
    };
  }
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
  const worker = await Worker.create({
    connection: env.nativeConnection,
    ...(env.namespace !== undefined && { namespace: env.namespace }),
    taskQueue: queueName('credit', queueSuffix),
    activities: fakes.activities(),
    dataConverter,
  });
  return worker.runUntil(async () => {
    const deadlineAt = (await rig.now()) + deadlineMs;
    const handle = await env.client.workflow.start<typeof analyzeCredit>('analyzeCredit', {
      workflowId,
      taskQueue: queueName('workflows', rig.suffix),
      args: [{ ref: { workId: workflowId, folder: 'f' }, deadlineAt, queueSuffix }],
    });
    await meanwhile(workflowId);
    const outcome = await handle.result();
    const { events } = await handle.fetchHistory();
    return { outcome, events: events?.length ?? 0, handle };
  });
}

const turnedAway = (why: 'credentials' | 'service'): RequestAnswer => ({
  kind: 'unsent',
  why,
  notBefore: 0,
});
const lost = (): never => {
  throw new Error('the worker was lost');
};

workflowSuite('an analysis', (rig) => {
  it('is sent, waited for, and its results put on file, in few events', async () => {
    const fakes = new FakeCredit({});
    const { outcome, events } = await analysed(rig(), fakes);
    expect(outcome).toMatchObject({ status: 'completed', operationId: 'op-1', result: filed });
    expect(events).toBeLessThan(40);
  });

  it('whose upload was lost is looked into, and never sent again', async () => {
    const fakes = new FakeCredit({ requests: [lost] });
    const { outcome } = await analysed(rig(), fakes);
    expect(outcome.status).toBe('completed');
    expect(fakes.inputsOf('requestAnalysis')).toHaveLength(1);
    expect(fakes.inputsOf('recoverAnalysis')).toEqual(fakes.inputsOf('requestAnalysis'));
  });

  it('of unknown outcome ends so, and a person decides', async () => {
    const fakes = new FakeCredit({
      requests: [lost],
      recoveries: [{ kind: 'unknown', reason: 'the sender was lost before the answer' }],
    });
    const { outcome } = await analysed(rig(), fakes);
    expect(outcome).toMatchObject({ status: 'unknown_outcome', operationId: null, result: null });
    expect(fakes.inputsOf('requestAnalysis')).toHaveLength(1);
    expect(fakes.inputsOf('awaitAnalysis')).toEqual([]);
  });

  it('that was turned away goes again later, as another run', async () => {
    const requests = [turnedAway('service'), turnedAway('service'), accepted];
    const fakes = new FakeCredit({ requests });
    const before = await rig().now();
    const { outcome } = await analysed(rig(), fakes);
    expect(outcome.status).toBe('completed');
    const runs = fakes.inputsOf('requestAnalysis').map((input) => (input as { run: string }).run);
    expect(new Set(runs).size).toBe(3);
    expect((await rig().now()) - before).toBeGreaterThan(2_000);
  });

  it('that was never sent ends at its deadline, and says so', async () => {
    const fakes = new FakeCredit({ requests: [turnedAway('credentials')] });
    const { outcome } = await analysed(rig(), fakes, undefined, hour);
    expect(outcome).toMatchObject({ status: 'cancelled', error: { code: 'never_sent' } });
    expect(fakes.inputsOf('awaitAnalysis')).toEqual([]);
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
    expect(events).toBeLessThan(40);
  });

  it('that waits to be sent is cancelled, and is not sent', async () => {
    const fakes = new FakeCredit({ requests: [turnedAway('credentials')] });
    const { outcome, handle } = await analysed(rig(), fakes, async (workflowId) => {
      await rig().pass(minute);
      const running = rig().env.client.workflow.getHandle(workflowId);
      expect((await running.query(analysisProgressQuery)).waiting?.reason).toBe('credentials');
      await running.executeUpdate(cancelUpdate, { args: [{ now: true }] });
    });
    expect(outcome).toMatchObject({ status: 'cancelled', error: { code: 'never_sent' } });
    expect((await handle.query(analysisProgressQuery)).stage).toBe('done');
  });

  it('that waits to be sent goes at once when a person says so', async () => {
    const requests = [...Array.from({ length: 12 }, () => turnedAway('service')), accepted];
    const fakes = new FakeCredit({ requests });
    const { outcome } = await analysed(rig(), fakes, async (workflowId) => {
      const running = rig().env.client.workflow.getHandle(workflowId);
      await rig().until(() => fakes.inputsOf('requestAnalysis').length === 12, minute);
      expect(await running.executeUpdate(resumeUpdate)).toBe('trying at once');
    });
    expect(outcome.status).toBe('completed');
  });

  it('that failed, was refused or expired tells how', async () => {
    const failed = { kind: 'failed', statusWord: 'erro', code: 'E1', message: 'no' } as const;
    expect((await analysed(rig(), new FakeCredit({ waits: [failed] }))).outcome).toMatchObject({
      status: 'failed',
      statusWord: 'erro',
      error: { code: 'E1', message: 'no' },
    });
    const refused = { kind: 'refused', code: null, message: '413', wasSent: true } as const;
    expect((await analysed(rig(), new FakeCredit({ requests: [refused] }))).outcome.status).toBe(
      'refused',
    );
    const expired = { kind: 'expired', statusWord: 'working' } as const;
    expect((await analysed(rig(), new FakeCredit({ waits: [expired] }))).outcome).toMatchObject({
      status: 'expired',
      operationId: 'op-1',
    });
  });
});
