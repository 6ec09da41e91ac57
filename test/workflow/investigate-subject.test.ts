import { ApplicationFailure } from '@temporalio/common';
import { Worker } from '@temporalio/worker';
import { said } from '../support/batch-orders';
import type {
  PreparedStep,
  SettleInput,
  SettledStep,
  StepInput,
} from '../../src/activities/investigations/investigations';
import { notSettledYet } from '../../src/activities/core/failures';
import { queueName } from '../../src/domain/core/queues';
import type {
  GraphStep,
  InvestigationOutcome,
  StepEnd,
} from '../../src/domain/investigations/investigation';
import type { investigateSubject } from '../../src/workflows/investigations/investigate-subject';
import type { InvestigateInput } from '../../src/workflows/inputs';
import {
  cancelUpdate,
  jobProgressQuery,
  resumeUpdate,
  type CancelOrder,
} from '../../src/workflows/messages';
import {
  dataConverter,
  hour,
  workflowSuite,
  type WorkflowRig,
} from '../support/workflow-environment';

const day = 24 * hour;

interface Script {
  steps: (Partial<GraphStep> & { id: string })[];
  /** Of a step; left out: one dossier. */
  prepare?(input: StepInput): PreparedStep;
  /** Of its job, by the dossier; left out: at once. */
  settlesAfterMs?: Record<string, number>;
  /** Dossiers whose jobs fail. */
  broken?: string[];
  /** Steps that wait for a person first. */
  undecided?: string[];
  terms?: Partial<InvestigateInput>;
  /** Before a dossier is cancelled at the service. */
  beforeCancel?: Promise<void>;
  /** By a command of its own, before the investigation. */
  runsAlready?: string;
  meanwhile?(running: Running): Promise<void>;
}

interface Running {
  until(step: string, word: string): Promise<void>;
  waitsFor(reason: string): Promise<void>;
  cancel(order: CancelOrder): Promise<string>;
  resume(): Promise<string>;
}

let started = 0;

/** An investigation whose steps follow dossiers, with a worker of its own for the activities. */
async function investigated(rig: WorkflowRig, script: Script) {
  const { env } = rig;
  started += 1;
  const name = `${rig.suffix}-${started}`;
  const queueSuffix = `${rig.suffix}-i${started}`;
  const begunAt = await rig.now();
  const idOf = (dossier: string): string => `dossier/${name}-${dossier}/20300101T000000000Z`;
  const prepared: StepInput[] = [];
  const settled: SettleInput[] = [];
  const cancelled: string[] = [];
  const dossierOf = (folder: string): string => folder.split('/').at(-2)?.split('-').at(-1) ?? '';
  const child = (dossier: string) => {
    const jobId = idOf(dossier);
    const about = { jobId, dossierId: dossier, maxAttempts: 1, onReview: 'wait', toCancel: false };
    return {
      jobId: jobId,
      kind: 'dossier' as const,
      terms: { ...about, atOnce: false, record: about },
    };
  };
  const sight = (state: string) => ({
    state,
    statusWord: state,
    attempt: null,
    mode: 'standard',
    stale: false,
    coverage: null,
    failure: null,
  });
  const asked = (stepId: string): PreparedStep => ({
    kind: 'requested',
    children: [child(stepId)],
    cut: 0,
    left: [],
    requests: 1,
  });
  const worker = await Worker.create({
    connection: env.nativeConnection,
    ...(env.namespace !== undefined && { namespace: env.namespace }),
    dataConverter,
    taskQueue: queueName('investigation', queueSuffix),
    activities: {
      prepareStep: async (input: StepInput) => {
        prepared.push(input);
        return script.prepare?.(input) ?? asked(input.stepId);
      },
      settleStep: async (input: SettleInput): Promise<SettledStep> => {
        settled.push(input);
        const { isCancelled, lost, stepId: id, until } = input;
        const isOpen = until === null && !isCancelled && script.undecided?.includes(id) === true;
        const status = isCancelled ? 'cancelled' : lost.length > 0 ? 'missing' : 'answered';
        const end: StepEnd = { id, status, why: null, cut: 0, children: [] };
        return { end, waits: isOpen ? 'person' : null };
      },
      finalizeInvestigation: async ({
        ended,
      }: {
        ended: { steps: StepEnd[]; cancelled: boolean };
      }) => ({
        status: ended.cancelled ? 'cancelled' : 'completed',
        steps: ended.steps,
      }),
      beginFollow: async () => null,
      awaitDossier: async ({ ref }: { ref: { folder: string } }) => {
        const endsAt = begunAt + (script.settlesAfterMs?.[dossierOf(ref.folder)] ?? 0);
        if ((await rig.now()) < endsAt) throw notSettledYet(6 * hour);
        return { kind: 'settled', value: sight('completed') };
      },
      cancelDossier: async ({ ref }: { ref: { folder: string } }) => {
        cancelled.push(dossierOf(ref.folder));
        await script.beforeCancel;
        return { kind: 'settled', value: { kind: 'settled', sight: sight('cancelled') } };
      },
      fileDossier: async () => ({
        kind: 'settled',
        value: { stored: [], notStored: [], movedOn: false },
      }),
      finalizeDossier: async ({ ref, outcome }: { ref: { folder: string }; outcome: object }) => {
        if (script.broken?.includes(dossierOf(ref.folder)) === true)
          throw ApplicationFailure.nonRetryable('it cannot be stored', 'Broken');
        return { ...outcome, possibleAttempt: false };
      },
    },
  });
  return worker.runUntil(async () => {
    const { workflow } = env.client;
    const taskQueue = queueName('workflows', rig.suffix);
    const terms = { deadlineAt: begunAt + 60 * day, interactive: true, queueSuffix };
    if (script.runsAlready !== undefined) {
      const { jobId, ...about } = child(script.runsAlready).terms.record;
      const ref = { jobId, folder: `works/${jobId}` };
      await workflow.start('followDossier', {
        workflowId: `dossier/${name}-${script.runsAlready}`,
        taskQueue,
        args: [{ ...terms, ...about, ref, atOnce: false }],
      });
    }
    const workflowId = `investigation/${name}`;
    const handle = await workflow.start<typeof investigateSubject>('investigateSubject', {
      workflowId,
      taskQueue,
      args: [
        {
          ...terms,
          ref: { jobId: `${workflowId}/1`, folder: 'f' },
          steps: script.steps.map((step) => ({
            needs: [],
            required: false,
            deadlineMs: null,
            ...step,
          })),
          budget: null,
          ...script.terms,
        },
      ],
    });
    const progress = () => handle.query(jobProgressQuery);
    const breathe = () => new Promise<void>((done) => setTimeout(done, 20));
    await script.meanwhile?.({
      until: async (step, word) => {
        while ((await progress()).details.steps?.[step] !== word) await breathe();
      },
      waitsFor: async (reason) => {
        while ((await progress()).waiting?.reason !== reason) await breathe();
      },
      cancel: async (order) => said(await handle.executeUpdate(cancelUpdate, { args: [order] })),
      resume: async () => said(await handle.executeUpdate(resumeUpdate)),
    });
    const outcome: InvestigationOutcome = await handle.result();
    // One that is left without a worker would keep the clock of the server from skipping.
    if (script.runsAlready !== undefined)
      await workflow.getHandle(`dossier/${name}-${script.runsAlready}`).result();
    const { events } = await handle.fetchHistory();
    const words = outcome.steps.map(({ id, status }) => `${id} ${status}`);
    /** Orders that the job of a step was given. */
    const ordersTo = async (dossier: string): Promise<number> => {
      const told = await workflow.getHandle(`dossier/${name}-${dossier}`).fetchHistory();
      return (told.events ?? []).filter((one) => one.workflowExecutionSignaledEventAttributes)
        .length;
    };
    return {
      cancelled,
      events: events?.length ?? 0,
      ordersTo,
      outcome,
      prepared,
      settled,
      words,
    };
  });
}

workflowSuite('an investigation', (rig) => {
  test('whose dossier takes 30 days, with a person in between, has fewer than 300 events', async () => {
    const steps = ['a', 'b', 'c', 'd', 'e', 'long'].map((id) => ({ id }));
    const { events, words } = await investigated(rig(), {
      steps: [...steps, { id: 'last', needs: ['long'] }],
      settlesAfterMs: { long: 30 * day, e: 3 * day },
      undecided: ['b'],
    });
    expect(words).toHaveLength(7);
    expect(words.every((word) => word.endsWith(' answered'))).toBe(true);
    process.stderr.write(`investigation of 30 days: ${events} events\n`);
    expect(events).toBeLessThan(200);
  });

  test('goes on with the other steps when the job of one fails, and does not wait for it', async () => {
    const { settled, words } = await investigated(rig(), {
      steps: [{ id: 'bad' }, { id: 'after', needs: ['bad'] }, { id: 'good' }],
      broken: ['bad'],
    });
    expect(words).toEqual(['bad missing', 'after not_requested', 'good answered']);
    const bad = settled.filter(({ stepId }) => stepId === 'bad');
    expect(bad.map(({ lost, until }) => [lost.length, until])).toEqual([[1, null]]);
  });

  test('joins a job that runs already, and settles its step by the store', async () => {
    const { settled, words } = await investigated(rig(), {
      steps: [{ id: 'theirs' }],
      runsAlready: 'theirs',
      settlesAfterMs: { theirs: day },
    });
    expect(words).toEqual(['theirs answered']);
    expect(settled[0]).toMatchObject({ lost: [], until: null });
  });

  test('cancelled, tells its jobs how to end, waits for them and says how each step stands', async () => {
    let goOn = (): void => undefined;
    const beforeCancel = new Promise<void>((done) => (goOn = done));
    const { cancelled, ordersTo, outcome, words } = await investigated(rig(), {
      steps: [{ id: 'done' }, { id: 'open' }, { id: 'never', needs: ['open'] }],
      settlesAfterMs: { open: 30 * day },
      beforeCancel,
      async meanwhile(running) {
        await running.until('done', 'answered');
        await running.cancel({ now: false, remote: true });
        // They are told again where a person asks for more.
        await running.cancel({ now: true });
        goOn();
      },
    });
    expect([await ordersTo('done'), await ordersTo('open')]).toEqual([0, 2]);
    expect(outcome.status).toBe('cancelled');
    expect(words).toEqual(['done answered', 'open cancelled', 'never cancelled']);
    expect(cancelled).toEqual(['open']);
  });

  test('waits for a person where its budget is reached, and goes on when it is told to', async () => {
    const { prepared, words } = await investigated(rig(), {
      steps: [{ id: 'a' }, { id: 'b' }, { id: 'c' }],
      terms: { budget: 2 },
      prepare: ({ mayRequest, stepId }) =>
        mayRequest === null || mayRequest < 1
          ? { kind: 'beyondBudget', requests: 1, rest: 1 }
          : {
              kind: 'over',
              end: { id: stepId, status: 'answered', why: null, cut: 0, children: [] },
            },
    });
    expect(prepared.map(({ mayRequest }) => mayRequest)).toEqual([2, 2, 2]);
    expect(words).toHaveLength(3);

    let answer = '';
    const again = await investigated(rig(), {
      steps: [{ id: 'd' }, { id: 'e' }, { id: 'f' }],
      terms: { budget: 2 },
      prepare: ({ mayRequest, stepId }) =>
        (mayRequest ?? 0) < 1
          ? { kind: 'beyondBudget', requests: 1, rest: 1 }
          : { kind: 'requested', children: [], cut: 0, left: [stepId], requests: 1 },
      async meanwhile(running) {
        await running.waitsFor('budget');
        answer = await running.resume();
      },
    });
    expect(answer).toContain('2 more requests');
    expect(again.prepared.map(({ mayRequest }) => mayRequest)).toEqual([2, 1, 0, 2]);
    expect(again.words).toEqual(['d answered', 'e answered', 'f answered']);
  });

  test('ends a step that the budget does not allow by its deadline as missing', async () => {
    const { outcome } = await investigated(rig(), {
      steps: [{ id: 'a', deadlineMs: hour }],
      terms: { budget: 1 },
      prepare: () => ({ kind: 'beyondBudget', requests: 5, rest: 5 }),
    });
    expect(outcome.steps).toMatchObject([
      { status: 'missing', why: expect.stringContaining('5 more requests') },
    ]);
  });
});
