import { WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { LookUpInput } from '../../src/activities/profiles/profiles';
import { notSettledYet } from '../../src/activities/core/failures';
import type { LookedUp, ProfileOutcome } from '../../src/domain/profiles/lookup';
import { queueName } from '../../src/domain/core/queues';
import type { Polled } from '../../src/domain/core/service/poll-request';
import type { lookUpProfile } from '../../src/workflows/profiles/look-up-profile';
import { cancelUpdate, jobProgressQuery } from '../../src/workflows/messages';
import { spanMs } from '../support/histories';
import { shareWorker, type ActivitiesByWorkflow } from '../support/shared-worker';
import { hour, minute, workflowSuite, type WorkflowRig } from '../support/workflow-environment';

const counts = { vehicles: 1, properties: 0, planes: 0, drones: null, patents: 2 };

function found(call: number, rural: 'reported' | 'failed'): Polled<LookedUp> {
  return { kind: 'settled', value: { kind: 'found', call, sha256: `${call}`, rural, counts } };
}

const noted: Polled<LookedUp> = { kind: 'changed', status: 'waiting: credentials', value: null };

/** One answer of the activity after the other; the last one for ever. A function throws. */
type Answer = Polled<LookedUp> | (() => never);

let started = 0;
const activities: ActivitiesByWorkflow = new Map();

/** Drives one lookup to its end. */
async function lookedUp(
  rig: WorkflowRig,
  answers: Answer[],
  {
    retryRural = true,
    meanwhile = async (_id: string): Promise<void> => undefined,
    atEnd = async (): Promise<void> => undefined,
  } = {},
) {
  const { env } = rig;
  started += 1;
  const workflowId = `profile/${rig.suffix}-${started}`;
  const inputs: LookUpInput[] = [];
  activities.set(workflowId, {
    lookUpProfile: async (input: LookUpInput) => {
      inputs.push(input);
      const answer = answers[Math.min(inputs.length, answers.length) - 1];
      if (answer === undefined) throw new Error('no answer is scripted');
      return typeof answer === 'function' ? answer() : answer;
    },
    finalizeProfile: async ({ outcome }: { outcome: ProfileOutcome }) => {
      await atEnd();
      return outcome;
    },
  });
  const begunAt = await rig.now();
  const handle = await env.client.workflow.start<typeof lookUpProfile>('lookUpProfile', {
    workflowId,
    taskQueue: queueName('workflows', rig.suffix),
    args: [
      {
        ref: { jobId: workflowId, folder: 'f' },
        deadlineAt: begunAt + hour,
        retryRural,
        queueSuffix: rig.suffix,
      },
    ],
  });
  rig.watch(handle);
  await meanwhile(workflowId);
  const outcome = await handle.result();
  const { events } = await handle.fetchHistory();
  const tookMs = spanMs(events ?? []);
  const progress = await handle.query(jobProgressQuery);
  const told = (events ?? []).map(
    (event) => event.upsertWorkflowSearchAttributesEventAttributes?.searchAttributes?.indexedFields,
  );
  const attention = told.findLast((fields) => fields?.DiligenceNeedsAttention !== undefined);
  const needsAPerson = Buffer.from(attention?.DiligenceNeedsAttention?.data ?? [])
    .toString()
    .includes('true');
  return { outcome, inputs, events: events?.length ?? 0, tookMs, progress, needsAPerson };
}

workflowSuite('the lookup of a profile', (rig) => {
  shareWorker(rig, ['lookUpProfile', 'finalizeProfile'], activities);

  test('ends with the first answer when nothing is missing', async () => {
    const { outcome, inputs, events } = await lookedUp(rig(), [found(1, 'reported')]);
    expect(outcome).toMatchObject({
      status: 'found',
      call: 1,
      rural: 'reported',
      answered: 1,
      counts,
    });
    expect(inputs).toHaveLength(1);
    expect(events).toBeLessThanOrEqual(20);
  });

  test('asks once more for a rural part that is missing, after a pause', async () => {
    const { outcome, inputs, tookMs } = await lookedUp(rig(), [
      found(1, 'failed'),
      found(2, 'reported'),
    ]);
    expect(outcome).toMatchObject({ status: 'found', call: 2, rural: 'reported', answered: 2 });
    expect(inputs.map(({ call }) => call)).toEqual([1, 2]);
    expect(tookMs).toBeGreaterThanOrEqual(30_000);
  });

  test('asks no third time', async () => {
    const { outcome, inputs } = await lookedUp(rig(), [found(1, 'failed'), found(2, 'failed')]);
    expect(outcome).toMatchObject({ rural: 'failed', answered: 2 });
    expect(inputs).toHaveLength(2);
  });

  test('asks once when it is not told to ask again', async () => {
    const answers = [found(1, 'failed')];
    const { outcome, inputs } = await lookedUp(rig(), answers, { retryRural: false });
    expect(outcome).toMatchObject({ status: 'found', rural: 'failed', answered: 1 });
    expect(inputs).toHaveLength(1);
  });

  test.each<[string, Answer]>([
    ['expired', { kind: 'expired', value: null }],
    ['refused', { kind: 'refused', status: 403, code: null, message: 'm' }],
    [
      'a no',
      { kind: 'settled', value: { kind: 'no', status: 'refused', code: null, message: 'm' } },
    ],
  ])('the first answer stands when the second one is %s', async (_, second) => {
    const { outcome } = await lookedUp(rig(), [found(1, 'failed'), second]);
    expect(outcome).toMatchObject({ status: 'found', call: 1, rural: 'failed', answered: 1 });
  });

  test.each([
    ['invalid', false],
    ['not_found', false],
    ['refused', false],
    ['unreadable', true],
    ['unknown_outcome', true],
  ] as const)('that is %s is an end; a person is needed: %p', async (status, isForAPerson) => {
    const no: Answer = {
      kind: 'settled',
      value: { kind: 'no', status, code: 'C', message: 'm' },
    };
    const { outcome, needsAPerson } = await lookedUp(rig(), [no]);
    expect(outcome).toMatchObject({ status, call: null, error: { code: 'C', message: 'm' } });
    expect(needsAPerson).toBe(isForAPerson);
  });

  test('that has an end on file asks no more, and ends as that', async () => {
    const ended: Answer = { kind: 'settled', value: { kind: 'ended', status: 'found' } };
    const { outcome, inputs } = await lookedUp(rig(), [ended]);
    expect(outcome).toMatchObject({ status: 'found', error: null });
    expect(inputs).toHaveLength(1);
  });

  test('waits for credentials, with the state that it has seen', async () => {
    const { outcome, inputs, progress } = await lookedUp(rig(), [noted, found(1, 'reported')]);
    expect(inputs.map(({ seen }) => seen)).toEqual(['asking', 'waiting: credentials']);
    expect(outcome.status).toBe('found');
    expect(progress).toMatchObject({ stage: 'done', waiting: null });
  });

  test('that is refused its token to the end tells so, which is another thing than no answer', async () => {
    const refusedToken = await lookedUp(rig(), [noted, { kind: 'expired', value: null }]);
    expect(refusedToken.outcome).toMatchObject({
      status: 'expired',
      error: { code: 'credentials' },
    });
    const noAnswer = await lookedUp(rig(), [{ kind: 'expired', value: null }]);
    expect(noAnswer.outcome).toMatchObject({ status: 'expired', error: { code: 'deadline' } });
  });

  test('leaves the same history after one wait of the server and after fifty', async () => {
    const unsettled = (): never => {
      throw notSettledYet(minute);
    };
    const once = await lookedUp(rig(), [unsettled, found(1, 'reported')]);
    const often = await lookedUp(rig(), [
      ...Array(50).fill(unsettled),
      found(1, 'reported'),
    ] as Answer[]);
    expect(often.inputs).toHaveLength(51);
    expect(often.events).toBe(once.events);
  });

  test('that has no more time is expired, in whatever shape the engine tells it', async () => {
    const unsettled = (): never => {
      throw notSettledYet(2 * hour);
    };
    const { outcome } = await lookedUp(rig(), [unsettled]);
    expect(outcome).toMatchObject({ status: 'expired', error: { code: 'deadline' } });
  });

  test('fails on what no time can mend', async () => {
    const broken = (): never => {
      throw ApplicationFailure.nonRetryable('gone', 'StoreIncomplete');
    };
    await expect(lookedUp(rig(), [broken])).rejects.toThrow('Workflow execution failed');
  });

  test('cancelled while it waits to ask again, it keeps the first answer', async () => {
    const { env } = rig();
    const meanwhile = async (id: string): Promise<void> => {
      const handle = env.client.workflow.getHandle(id);
      while ((await handle.query(jobProgressQuery)).stage !== 'asking again') {
        await new Promise((done) => setTimeout(done, 20));
      }
      await handle.executeUpdate(cancelUpdate, { args: [{ now: true }] });
    };
    const { outcome, inputs } = await lookedUp(rig(), [found(1, 'failed')], { meanwhile });
    expect(outcome).toMatchObject({ status: 'found', call: 1, answered: 1 });
    expect(inputs).toHaveLength(1);
  });

  test('cancelled while its end is put on file, it refuses, and the answer stands', async () => {
    let tried = false;
    let isEnding = false;
    const pause = () => new Promise((done) => setTimeout(done, 20));
    const { outcome } = await lookedUp(rig(), [found(1, 'reported')], {
      atEnd: async () => {
        isEnding = true;
        while (!tried) await pause();
      },
      meanwhile: async (id) => {
        while (!isEnding) await pause();
        const handle = rig().env.client.workflow.getHandle(id);
        const order = handle.executeUpdate(cancelUpdate, { args: [{ now: true }] });
        await expect(order.finally(() => (tried = true))).rejects.toThrow(
          WorkflowUpdateFailedError,
        );
      },
    });
    expect(outcome).toMatchObject({ status: 'found', call: 1, answered: 1 });
  });

  test('cancelled while it asks, it is cancelled', async () => {
    const unsettled = (): never => {
      throw notSettledYet(10 * minute);
    };
    const meanwhile = async (id: string): Promise<void> => {
      await rig().untilBetweenTries(id);
      const handle = rig().env.client.workflow.getHandle(id);
      await handle.executeUpdate(cancelUpdate, { args: [{ now: true }] });
    };
    const { outcome } = await lookedUp(rig(), [unsettled], { meanwhile });
    expect(outcome.status).toBe('cancelled');
  });
});
