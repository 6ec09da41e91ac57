import { said } from '../support/batch-orders';
import type { ArtifactFiles } from '../../src/domain/core/artifact';
import { ApplicationFailure } from '@temporalio/common';
import { notSettledYet } from '../../src/activities/core/failures';
import type { AwaitLensInput } from '../../src/activities/lens/lens';
import type { SubmitLensInput } from '../../src/activities/lens/submit';
import type { LensOutcome, LensSeen, SubmittedLens } from '../../src/domain/lens/analyze';
import { queueName } from '../../src/domain/core/queues';
import type { PollRequest, Polled } from '../../src/domain/core/service/poll-request';
import type { analyzeLens } from '../../src/workflows/lens/analyze-lens';
import { cancelUpdate, jobProgressQuery } from '../../src/workflows/messages';
import { shareWorker, type ActivitiesByWorkflow } from '../support/shared-worker';
import { hour, minute, workflowSuite, type WorkflowRig } from '../support/workflow-environment';

type Answer<T> = Polled<T> | (() => never);

const analysisId = 'fa9d7ea9-0f5a-4b8e-9f0a-111111111111';
const submitted: Polled<SubmittedLens> = {
  kind: 'settled',
  value: { kind: 'submitted', analysisId, state: 'queued' },
};
const expired = (nth: number): Polled<SubmittedLens> => ({
  kind: 'settled',
  value: { kind: 'upload_expired', analysisId: `expired-${nth}`, billing: billed(nth) },
});

function seen(state: LensSeen['state'], more: Partial<LensSeen> = {}): LensSeen {
  return {
    analysisId,
    state,
    statusWord: state,
    mode: 'geo',
    hasResult: state === 'completed',
    artifacts: 0,
    billing: null,
    sha256: null,
    failure: null,
    ...more,
  };
}

const billed = (amount: number) => ({ status: 'charged', amount, unit: 'tokens' });
const running: Polled<LensSeen> = { kind: 'changed', status: 'running', value: seen('running') };
const ended = (state: LensSeen['state'], more: Partial<LensSeen> = {}): Polled<LensSeen> => ({
  kind: 'settled',
  value: seen(state, more),
});
const fetched: Polled<ArtifactFiles> = { kind: 'settled', value: { stored: [], notStored: [] } };

let started = 0;
const activities: ActivitiesByWorkflow = new Map();

interface Script {
  submits: Answer<SubmittedLens>[];
  reads?: Answer<LensSeen>[];
  files?: Answer<ArtifactFiles>[];
  /** What a look at a cancelled analysis tells. */
  look?: LensSeen | null;
  meanwhile?: (workflowId: string) => Promise<void>;
}

/** Drives one analysis to its end. */
async function analysed(rig: WorkflowRig, script: Script) {
  const { submits, reads = [], files = [], look = null, meanwhile } = script;
  const { env } = rig;
  started += 1;
  const workflowId = `lens/${rig.suffix}-${started}`;
  const handed: SubmitLensInput[] = [];
  const read: AwaitLensInput[] = [];
  const stored: PollRequest[] = [];
  const concluded: number[] = [];
  activities.set(workflowId, {
    submitLens: async (input: SubmitLensInput) => scripted(handed, submits, input),
    awaitLens: async (input: AwaitLensInput) => scripted(read, reads, input),
    fileLens: async (input: PollRequest) => scripted(stored, files, input),
    lookAtLens: async () => look,
    finalizeLens: async ({ outcome, attempt }: { outcome: LensOutcome; attempt: number }) => {
      concluded.push(attempt);
      return outcome;
    },
  });
  const deadlineAt = (await rig.now()) + hour;
  const handle = await env.client.workflow.start<typeof analyzeLens>('analyzeLens', {
    workflowId,
    taskQueue: queueName('workflows', rig.suffix),
    args: [
      {
        ref: { jobId: workflowId, folder: 'f' },
        attempt: 1,
        deadlineAt,
        interactive: true,
        queueSuffix: rig.suffix,
      },
    ],
  });
  rig.watch(handle);
  await meanwhile?.(workflowId);
  const outcome = await handle.result();
  const { events } = await handle.fetchHistory();
  const progress = await handle.query(jobProgressQuery);
  return {
    outcome,
    handed,
    read,
    stored,
    concluded,
    deadlineAt,
    progress,
    events: events?.length ?? 0,
  };
}

function scripted<I, T>(inputs: I[], answers: Answer<T>[], input: I): Polled<T> {
  inputs.push(input);
  const answer = answers[Math.min(inputs.length, answers.length) - 1];
  if (answer === undefined) throw ApplicationFailure.nonRetryable('no answer is scripted');
  return typeof answer === 'function' ? answer() : answer;
}

function polls(count: number, last: Polled<LensSeen>): Answer<LensSeen>[] {
  const poll = (): never => {
    throw notSettledYet(10_000);
  };
  return [...Array.from({ length: count }, () => poll), last];
}

workflowSuite('an analysis', (rig) => {
  shareWorker(
    rig,
    ['submitLens', 'awaitLens', 'fileLens', 'lookAtLens', 'finalizeLens'],
    activities,
  );

  test('is handed in, read until it has settled and its artifacts fetched, in thirty events', async () => {
    const done = ended('completed', { artifacts: 2 });
    const script = { submits: [submitted], reads: [done], files: [fetched] };
    const { outcome, handed, read, stored, events, progress } = await analysed(rig(), script);
    expect(outcome).toMatchObject({ status: 'completed', replaced: [], seen: { artifacts: 2 } });
    expect(handed).toHaveLength(1);
    expect(read).toMatchObject([{ analysisId, seen: 'queued' }]);
    expect(stored).toHaveLength(1);
    expect(progress).toMatchObject({ stage: 'done', externalId: analysisId });
    expect(events).toBeLessThanOrEqual(30);
  });

  test('has eight more events at most for a change that a person would want to see', async () => {
    const done = ended('completed');
    const few = await analysed(rig(), { submits: [submitted], reads: [done] });
    const more = await analysed(rig(), { submits: [submitted], reads: [running, done] });
    expect(more.events - few.events).toBeLessThanOrEqual(8);
    expect(more.events).toBeGreaterThan(few.events);
  });

  test('leaves the same history after one poll and after fifty', async () => {
    const done = ended('completed');
    const few = await analysed(rig(), { submits: [submitted], reads: polls(1, done) });
    const many = await analysed(rig(), { submits: [submitted], reads: polls(50, done) });
    expect(many.read).toHaveLength(51);
    expect(many.events).toBe(few.events);
  });

  test('is made anew twice at most when uploads expire, and says which ones those were', async () => {
    const { outcome, handed, concluded } = await analysed(rig(), {
      submits: [expired(1), expired(2), submitted],
      reads: [ended('completed')],
    });
    expect(handed.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect(concluded).toEqual([3]);
    expect(outcome).toMatchObject({
      status: 'completed',
      replaced: [
        { attempt: 1, analysisId: 'expired-1', billing: billed(1) },
        { attempt: 2, analysisId: 'expired-2', billing: billed(2) },
      ],
    });
    const third = await analysed(rig(), { submits: [expired(1), expired(2), expired(3)] });
    expect(third.handed).toHaveLength(3);
    expect(third.outcome).toMatchObject({
      status: 'expired',
      error: { code: 'upload_expired' },
    });
    expect(third.outcome.replaced).toHaveLength(3);
  });

  test.each([
    ['failed', ended('failed', { failure: { code: 'x', message: '' } }), 'failed'],
    ['cancelled', ended('cancelled'), 'cancelled'],
    ['expired', ended('expired'), 'expired'],
    ['no longer read', { kind: 'refused', status: 404, code: 'not_found', message: '' }, 'refused'],
    ['not settled in time', { kind: 'expired', value: seen('running') }, 'expired'],
  ] as [string, Polled<LensSeen>, string][])(
    'that is %s at the service ends so',
    async (_, read, status) => {
      const { outcome } = await analysed(rig(), { submits: [submitted], reads: [read] });
      expect(outcome.status).toBe(status);
    },
  );

  test('whose key is refused, or whose upload is, is waited for no longer', async () => {
    const message = 'refused';
    const unknown = await analysed(rig(), {
      submits: [{ kind: 'settled', value: { kind: 'unknown', code: 'conflict', message } }],
    });
    expect(unknown.outcome).toMatchObject({ status: 'unknown_outcome', error: { message } });
    const refused = await analysed(rig(), {
      submits: [
        {
          kind: 'settled',
          value: {
            kind: 'upload_refused',
            analysisId,
            code: null,
            message,
            billing: billed(2),
          },
        },
      ],
    });
    expect(refused.outcome).toMatchObject({ status: 'refused', billing: billed(2) });
  });

  test('that settles at its deadline has an hour for its artifacts', async () => {
    const late = (): never => {
      throw notSettledYet(59 * minute);
    };
    const { stored, deadlineAt } = await analysed(rig(), {
      submits: [submitted],
      reads: [late, ended('completed', { artifacts: 1 })],
      files: [fetched],
    });
    expect(stored[0]?.deadlineAt).toBeGreaterThanOrEqual(deadlineAt + 58 * minute);
  });

  /**
   * Cancels in the stage, between two tries of its activity: the test server never ends the task that
   * asks to cancel one that has completed meanwhile.
   *
   * @returns what the update said
   */
  async function cancelAt(workflowId: string, stage: string): Promise<string> {
    const handle = rig().env.client.workflow.getHandle(workflowId);
    const isThere = async () => {
      if ((await handle.query(jobProgressQuery)).stage !== stage) return false;
      return (await handle.describe()).raw.pendingActivities?.[0]?.lastFailure != null;
    };
    while (!(await isThere())) await new Promise((done) => setTimeout(done, 20));
    const cancelling = handle.executeUpdate(cancelUpdate, { args: [{ now: true }] });
    return cancelling.then(said, (error: Error) => (error.cause as Error).message);
  }

  test('that nobody waits for any more is cancelled, says so at once, and what it cost', async () => {
    let told = '';
    const late = (): never => {
      throw notSettledYet(10 * minute);
    };
    const changed = seen('running', { billing: billed(4) });
    const { outcome, stored } = await analysed(rig(), {
      submits: [submitted],
      reads: [{ kind: 'changed', status: 'running', value: changed }, late],
      meanwhile: async (workflowId) => void (told = await cancelAt(workflowId, 'running')),
    });
    expect(told).toContain('goes on at the service');
    expect(outcome).toMatchObject({ status: 'cancelled', seen: { billing: billed(4) } });
    expect(stored).toEqual([]);
  });

  test('that had been completed when it was cancelled is told and kept', async () => {
    const late = (): never => {
      throw notSettledYet(10 * minute);
    };
    const { outcome, stored } = await analysed(rig(), {
      submits: [submitted],
      reads: [running, late],
      files: [fetched],
      look: seen('completed', { artifacts: 1, billing: billed(5) }),
      meanwhile: async (workflowId) => void (await cancelAt(workflowId, 'running')),
    });
    expect(outcome).toMatchObject({
      status: 'completed',
      seen: { billing: billed(5) },
      files: { stored: [], notStored: [] },
    });
    expect(stored).toHaveLength(1);
  });

  test('whose artifacts are being fetched cannot be cancelled any more', async () => {
    let told = '';
    const late = (): never => {
      throw notSettledYet(10 * minute);
    };
    const { outcome } = await analysed(rig(), {
      submits: [submitted],
      reads: [ended('completed', { artifacts: 1 })],
      files: [late, fetched],
      meanwhile: async (workflowId) => {
        told = await cancelAt(workflowId, 'fetching');
        await rig().env.client.workflow.getHandle(workflowId).cancel();
      },
    });
    expect(told).toBe('it has settled');
    expect(outcome).toMatchObject({ status: 'completed', files: { stored: [] } });
  });

  test('is cancelled while its file is handed in, and handed in no more', async () => {
    const { outcome, handed } = await analysed(rig(), {
      submits: [
        () => {
          throw notSettledYet(10 * minute);
        },
      ],
      meanwhile: async (workflowId) => void (await cancelAt(workflowId, 'handing in')),
    });
    expect(outcome).toMatchObject({ status: 'cancelled' });
    expect(handed.length).toBeLessThanOrEqual(2);
  });
});
