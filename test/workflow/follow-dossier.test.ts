import { ActivityFailure, ApplicationFailure } from '@temporalio/common';
import { Worker } from '@temporalio/worker';
import type { OrderAnswer } from '../../src/domain/order-answers';
import type { DossierCancelled } from '../../src/activities/dossiers/cancellations';
import type { AwaitDossierInput } from '../../src/activities/dossiers/dossiers';
import type { RetryDossierInput } from '../../src/activities/dossiers/retries';
import { notSettledYet } from '../../src/activities/core/failures';
import type {
  DossierOutcome,
  DossierReport,
  DossierSight,
  ReviewDecision,
} from '../../src/domain/dossiers/follow';
import type { Retried } from '../../src/domain/dossiers/retry';
import { queueName } from '../../src/domain/core/queues';
import type { Polled } from '../../src/domain/core/service/poll-request';
import type { followDossier } from '../../src/workflows/dossiers/follow-dossier';
import type { FollowDossierInput } from '../../src/workflows/inputs';
import {
  cancelUpdate,
  decideDossierUpdate,
  jobProgressQuery,
  type JobProgress,
} from '../../src/workflows/messages';
import { spanMs } from '../support/histories';
import {
  dataConverter,
  hour,
  minute,
  workflowSuite,
  type WorkflowRig,
} from '../support/workflow-environment';

const day = 24 * hour;

function sight(state: DossierSight['state'], number = 1, more: Partial<DossierSight> = {}) {
  const billing = {
    billingId: `b${number}`,
    status: state === 'completed' ? 'charged' : 'not_charged',
    amount: 0,
    unit: 'tokens',
    priceVersion: null,
    policyVersion: null,
  };
  const attempt = { number, status: state, billing };
  const none = { mode: 'standard', stale: false, coverage: null, failure: null };
  return { state, statusWord: state, attempt, ...none, ...more } satisfies DossierSight;
}

const failure = { code: 'F', message: 'm', retryable: true, retryAfterMs: 60_000 };
const settled = <T>(value: T): Polled<T> => ({ kind: 'settled', value });
const changed = (value: DossierSight, status: string): Polled<DossierSight> => ({
  kind: 'changed',
  status,
  value,
});
const begun = (attempt: number): Polled<Retried> =>
  settled({ kind: 'started', attempt, by: 'us' as const });
const unsettled = (): never => {
  throw notSettledYet(20 * minute);
};
const failedOnce = settled(sight('failed', 1, { failure }));

type Answer<T> = Polled<T> | (() => Polled<T> | Promise<Polled<T>>);
const soon = () => new Promise<void>((done) => setTimeout(done, 20));

interface Script {
  looks: Answer<DossierSight>[];
  retries?: Answer<Retried>[];
  cancels?: Answer<DossierCancelled>[];
  /** By what each report differs from a whole one. */
  reports?: Partial<DossierReport>[];
  terms?: Partial<FollowDossierInput>;
  possibleAttempt?: boolean;
  meanwhile?: (dossier: Running) => Promise<void>;
}

/** A dossier that is being followed. */
class Running {
  readonly #rig: WorkflowRig;
  readonly #id: string;

  constructor(rig: WorkflowRig, id: string) {
    this.#rig = rig;
    this.#id = id;
  }

  get handle() {
    return this.#rig.env.client.workflow.getHandle(this.#id);
  }

  progress(): Promise<JobProgress> {
    return this.handle.query(jobProgressQuery);
  }

  async until(stage: JobProgress['stage']): Promise<void> {
    while ((await this.progress()).stage !== stage) {
      await new Promise((done) => setTimeout(done, 20));
    }
  }

  /** What it does has failed once, and is to be begun again. */
  async untilTried(): Promise<void> {
    const isTried = async () => {
      const { raw } = await this.handle.describe();
      return raw.pendingActivities?.[0]?.lastFailure != null;
    };
    while (!(await isTried())) await soon();
  }

  decide(
    action: ReviewDecision['action'],
    more: Partial<ReviewDecision> = {},
  ): Promise<OrderAnswer> {
    const decision = { action, note: 'n', by: 'p', at: 't', maxAttempts: null, ...more };
    return this.handle.executeUpdate(decideDossierUpdate, { args: [decision] });
  }

  cancel(remote: boolean): Promise<OrderAnswer> {
    return this.handle.executeUpdate(cancelUpdate, { args: [{ now: true, remote }] });
  }
}

let started = 0;

/** Follows one dossier to its end, with a worker of its own for its activities. */
async function followed(rig: WorkflowRig, script: Script) {
  const { env } = rig;
  started += 1;
  const workflowId = `dossier/${rig.suffix}-${started}`;
  const queueSuffix = `${rig.suffix}-d${started}`;
  const looks: AwaitDossierInput[] = [];
  const retries: RetryDossierInput[] = [];
  let cancels = 0;
  let reports = 0;
  let last: DossierSight = sight('completed');
  function play<T>(
    answers: readonly Answer<T>[] = [],
    nth: number,
  ): Polled<T> | Promise<Polled<T>> {
    const answer = answers[Math.min(nth, answers.length) - 1];
    if (answer === undefined) throw new Error('no answer is scripted');
    return typeof answer === 'function' ? answer() : answer;
  }
  const report: Omit<DossierReport, 'sight'> = {
    risk: {
      form: 'omitted',
      status: null,
      level: null,
      score: null,
      matchedRules: 0,
      missingFields: 0,
    },
    stored: [],
    notStored: [],
    note: null,
    movedOn: false,
  };
  const worker = await Worker.create({
    connection: env.nativeConnection,
    ...(env.namespace !== undefined && { namespace: env.namespace }),
    dataConverter,
    taskQueue: queueName('investigation', queueSuffix),
    activities: {
      awaitDossier: async (input: AwaitDossierInput) => {
        const answer = await play(script.looks, looks.push(input));
        if (answer.kind === 'settled') last = answer.value;
        return answer;
      },
      retryDossier: async (input: RetryDossierInput) => play(script.retries, retries.push(input)),
      cancelDossier: async () => play(script.cancels, (cancels += 1)),
      fileDossier: async (): Promise<Polled<DossierReport>> => {
        reports += 1;
        const told = script.reports?.[reports - 1] ?? {};
        return settled({ ...report, sight: last, ...told });
      },
      finalizeDossier: async ({ outcome }: { outcome: DossierOutcome }) => ({
        ...outcome,
        possibleAttempt: script.possibleAttempt ?? false,
      }),
    },
  });
  return worker.runUntil(async () => {
    const begunAt = await rig.now();
    const handle = await env.client.workflow.start<typeof followDossier>('followDossier', {
      workflowId,
      taskQueue: queueName('workflows', rig.suffix),
      args: [
        {
          ref: { jobId: workflowId, folder: 'f' },
          deadlineAt: begunAt + 10 * day,
          maxAttempts: 1,
          onReview: 'wait',
          toCancel: false,
          atOnce: false,
          interactive: true,
          queueSuffix,
          ...script.terms,
        },
      ],
    });
    const running = new Running(rig, workflowId);
    await script.meanwhile?.(running);
    const outcome = await handle.result();
    const { events } = await handle.fetchHistory();
    const attention = (await handle.describe()).searchAttributes['DiligenceNeedsAttention']?.[0];
    const tookMs = spanMs(events ?? []);
    return {
      outcome,
      looks,
      retries,
      cancels,
      reports,
      attention,
      events: events?.length ?? 0,
      tookMs,
    };
  });
}

workflowSuite('following a dossier', (rig) => {
  test('ends with what the service reaches, and has its report stored', async () => {
    const { events, outcome, reports } = await followed(rig(), {
      looks: [settled(sight('completed'))],
    });
    expect(outcome).toMatchObject({
      status: 'completed',
      remote: 'completed',
      attempts: [{ number: 1, billing: { status: 'charged' } }],
    });
    expect(reports).toBe(1);
    expect(events).toBeLessThanOrEqual(30);
  });

  test('grows by eight events at most for each change, and by none for polls', async () => {
    const ends: Script['looks'] = [settled(sight('completed'))];
    const plain = await followed(rig(), { looks: ends });
    const polled = await followed(rig(), {
      looks: [...(Array(100).fill(unsettled) as Script['looks']), ...ends],
    });
    const seen = await followed(rig(), {
      looks: [changed(sight('queued'), 'queued'), changed(sight('running'), 'running'), ...ends],
    });
    expect(polled.looks).toHaveLength(101);
    expect(polled.events).toBe(plain.events);
    expect(polled.tookMs).toBeGreaterThanOrEqual(100 * 20 * minute);
    expect(seen.events - plain.events).toBeLessThanOrEqual(16);
    expect(seen.looks.map((look) => look.seen)).toEqual([null, 'queued', 'running']);
  });

  test('asks for no attempt unless it may, and for none above the bound', async () => {
    const alone = await followed(rig(), { looks: [failedOnce] });
    expect(alone.retries).toEqual([]);
    expect(alone.outcome).toMatchObject({ status: 'failed', error: { code: 'F' } });
    const bound = await followed(rig(), {
      looks: [failedOnce, settled(sight('failed', 2, { failure }))],
      retries: [begun(2)],
      terms: { maxAttempts: 2 },
    });
    expect(bound.retries).toMatchObject([{ from: 1, requested: 1 }]);
    expect(bound.looks[1]).toMatchObject({ atLeast: 2 });
    expect(bound.outcome.attempts.map(({ number }) => number)).toEqual([1, 2]);
    expect(bound.events).toBeLessThanOrEqual(30 + 3 * 8);
    expect(bound.tookMs).toBeGreaterThanOrEqual(minute);
  });

  test('asks at once after a failure that was there before, and not after a fresh one', async () => {
    const untold = sight('failed', 1, { failure: { ...failure, retryAfterMs: null } });
    const rest = {
      retries: [begun(2)],
      terms: { maxAttempts: 2 },
    };
    const past = await followed(rig(), {
      looks: [settled(untold), settled(sight('completed', 2))],
      ...rest,
    });
    const fresh = await followed(rig(), {
      looks: [
        changed(sight('running'), 'running'),
        settled(untold),
        settled(sight('completed', 2)),
      ],
      ...rest,
    });
    expect(past.tookMs).toBeLessThan(20_000);
    expect(fresh.tookMs - past.tookMs).toBeGreaterThan(20_000);
  });

  test('does not ask again for what is not worth it, nor past the deadline', async () => {
    const never = { failure: { ...failure, retryable: false } };
    const permanent = await followed(rig(), {
      looks: [settled(sight('failed', 1, never))],
      terms: { maxAttempts: 9 },
    });
    expect(permanent).toMatchObject({ retries: [], outcome: { status: 'failed' } });
    const late = { failure: { ...failure, retryAfterMs: 11 * day } };
    const past = await followed(rig(), {
      looks: [settled(sight('failed', 1, late))],
      terms: { maxAttempts: 9 },
    });
    expect(past).toMatchObject({ retries: [], outcome: { status: 'failed' } });
    const refused = await followed(rig(), {
      looks: [failedOnce],
      retries: [
        settled({ kind: 'refused', status: 403, code: 'dossie_custom_not_enabled', message: '' }),
      ],
      terms: { maxAttempts: 9 },
    });
    expect(refused.outcome).toMatchObject({
      status: 'failed',
      error: { code: 'dossie_custom_not_enabled' },
    });
    expect(refused.retries).toHaveLength(1);
  });

  test('leaves a review for a day, refuses wrong decisions, and takes the right one', async () => {
    const review = sight('needs_review');
    const { outcome, retries } = await followed(rig(), {
      looks: [settled(review), unsettled],
      retries: [begun(2)],
      meanwhile: async (dossier) => {
        await dossier.until('review');
        await rig().pass(day);
        await expect(dossier.decide('accept', { note: ' ' })).rejects.toMatchObject({
          cause: { details: [{ code: 'note_missing' }] },
        });
        await dossier.decide('accept', { note: 'seen by us' });
      },
    });
    expect(outcome).toMatchObject({
      status: 'completed',
      remote: 'needs_review',
      review: { action: 'accept', note: 'seen by us', by: 'p' },
    });
    expect(retries).toEqual([]);
  });

  test('carries out a retry that a person decides on, and a cancellation meanwhile', async () => {
    const review = settled(sight('needs_review'));
    const again = await followed(rig(), {
      looks: [review, unsettled],
      retries: [settled<Retried>({ kind: 'refused', status: 409, code: 'no', message: '' })],
      meanwhile: async (dossier) => {
        await dossier.until('review');
        await dossier.decide('retry');
      },
    });
    expect(again.retries).toMatchObject([{ from: 1 }]);
    const cancelled = await followed(rig(), {
      looks: [review, unsettled],
      cancels: [settled({ kind: 'settled', sight: sight('cancelled') })],
      meanwhile: async (dossier) => {
        await dossier.until('review');
        await dossier.cancel(true);
      },
    });
    expect(cancelled).toMatchObject({ cancels: 1, outcome: { status: 'cancelled' } });
  });

  test('takes no decision about an attempt that runs, and one about the review that follows', async () => {
    const review = (number: number) => sight('needs_review', number);
    let ask = (): void => undefined;
    const asked = new Promise<void>((done) => (ask = done));
    const { outcome, retries } = await followed(rig(), {
      looks: [
        settled(review(1)),
        changed(sight('running', 2), 'running (attempt 2)'),
        () => asked.then(() => changed(review(2), 'needs_review (attempt 2)')),
        unsettled,
      ],
      retries: [settled<Retried>({ kind: 'refused', status: 409, code: 'no', message: '' })],
      meanwhile: async (dossier) => {
        while ((await dossier.progress()).details.state !== 'running (attempt 2)') await soon();
        const early = await Promise.allSettled([dossier.decide('accept')]);
        ask();
        expect(early).toMatchObject([
          { reason: { cause: { details: [{ code: 'not_in_review' }] } } },
        ]);
        await dossier.until('review');
        await dossier.untilTried();
        await dossier.decide('retry');
      },
    });
    expect(retries).toMatchObject([{ from: 2 }]);
    expect(outcome).toMatchObject({ status: 'failed', review: { action: 'retry' } });
  });

  test('follows an attempt that was begun before the report of the last one was had', async () => {
    const { looks, outcome, reports } = await followed(rig(), {
      looks: [settled(sight('completed')), settled(sight('completed', 2))],
      reports: [{ sight: sight('running', 2), movedOn: true }],
    });
    expect(outcome).toMatchObject({
      status: 'completed',
      note: null,
      attempts: [{ number: 1 }, { number: 2 }],
    });
    expect(looks).toMatchObject([{ atLeast: null }, { atLeast: 2 }]);
    expect(reports).toBe(2);
  });

  test('tells the report that an accepted review has lost to another attempt', async () => {
    const told = 'another attempt started before its report was fetched';
    const { looks, outcome } = await followed(rig(), {
      looks: [settled(sight('needs_review'))],
      reports: [{ sight: sight('running', 2), movedOn: true, note: told }],
      terms: { onReview: 'accept' },
    });
    expect(outcome).toMatchObject({ status: 'completed', note: told });
    expect(looks).toHaveLength(1);
  });

  test('does not wait for an attempt that the service has forgotten', async () => {
    const { outcome, looks, retries } = await followed(rig(), {
      looks: [failedOnce],
      retries: [begun(2)],
      terms: { maxAttempts: 5 },
    });
    expect(outcome).toMatchObject({ status: 'expired', error: { code: 'attempt_not_shown' } });
    expect({ looks: looks.length, retries: retries.length }).toEqual({ looks: 2, retries: 1 });
  });

  test('is cancelled at the service between two tries of a retry', async () => {
    const { cancels, outcome } = await followed(rig(), {
      looks: [failedOnce],
      retries: [unsettled],
      cancels: [settled({ kind: 'settled', sight: sight('cancelled') })],
      terms: { maxAttempts: 2, atOnce: true },
      meanwhile: async (dossier) => {
        await dossier.until('retrying');
        await dossier.untilTried();
        await dossier.cancel(true);
      },
    });
    expect({ cancels, status: outcome.status }).toEqual({ cancels: 1, status: 'cancelled' });
  });

  test('ends as failed when nobody can tell whether a retry has begun an attempt', async () => {
    const { attention, outcome } = await followed(rig(), {
      looks: [failedOnce],
      retries: [settled<Retried>({ kind: 'unknown', status: 409, code: 'in_use', message: 'm' })],
      terms: { maxAttempts: 2 },
      possibleAttempt: true,
    });
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'in_use' } });
    expect(attention).toBe(true);
  });

  test('goes on when somebody else has reviewed it, and is left as a review at the deadline', async () => {
    const review = settled(sight('needs_review'));
    const elsewhere = await followed(rig(), { looks: [review, settled(sight('completed'))] });
    expect(elsewhere.outcome).toMatchObject({ status: 'completed', review: null });
    expect(elsewhere.looks[1]).toMatchObject({ inReview: true });
    const undecided = await followed(rig(), {
      looks: [review, { kind: 'expired', value: null }],
    });
    expect(undecided.outcome).toMatchObject({ status: 'needs_review' });
    const begunElsewhere = await followed(rig(), {
      looks: [
        review,
        changed(sight('running', 2), 'running (attempt 2)'),
        { kind: 'expired', value: null },
      ],
    });
    expect(begunElsewhere.outcome).toMatchObject({ status: 'expired', remote: 'running' });
  });

  test('waits for no review once it is cancelled', async () => {
    let tell = (): void => undefined;
    const told = new Promise<void>((done) => (tell = done));
    const { outcome } = await followed(rig(), {
      looks: [settled(sight('needs_review')), unsettled],
      cancels: [
        { kind: 'changed', status: 'waiting: credentials', value: null },
        () => told.then(() => settled({ kind: 'settled', sight: sight('cancelled') })),
      ],
      meanwhile: async (dossier) => {
        await dossier.until('review');
        await dossier.cancel(true);
        while ((await dossier.progress()).waiting?.reason !== 'credentials') await soon();
        const { stage } = await dossier.progress();
        const [late] = await Promise.allSettled([dossier.decide('accept')]);
        tell();
        expect(stage).toBe('cancelling');
        expect(late).toMatchObject({
          reason: { cause: { details: [{ code: 'not_in_review' }] } },
        });
      },
    });
    expect(outcome).toMatchObject({ status: 'cancelled', review: null });
  });

  test.each([
    ['accept', 'completed'],
    ['fail', 'failed'],
    ['leave', 'needs_review'],
  ] as const)('a review is settled at once by the policy %s', async (onReview, status) => {
    const { looks, outcome, reports } = await followed(rig(), {
      looks: [settled(sight('needs_review'))],
      terms: { onReview },
    });
    expect({ status: outcome.status, looks: looks.length, reports }).toEqual({
      status,
      looks: 1,
      reports: 1,
    });
  });

  test('is over at its deadline, in whatever shape the engine tells it', async () => {
    const { outcome, tookMs } = await followed(rig(), {
      looks: [
        () => {
          throw notSettledYet(20 * day);
        },
      ],
    });
    expect(outcome).toMatchObject({ status: 'expired', error: { code: 'deadline' } });
    expect(tookMs).toBeLessThanOrEqual(10 * day + 2 * minute);
  });

  test('is cancelled alone, or with the dossier, whatever that comes to', async () => {
    const looks: Script['looks'] = [unsettled];
    const alone = await followed(rig(), {
      looks,
      meanwhile: async (dossier) => {
        await dossier.cancel(false);
      },
    });
    expect(alone).toMatchObject({ cancels: 0, outcome: { status: 'cancelled', remote: null } });
    for (const [answer, status] of [
      [settled({ kind: 'settled', sight: sight('cancelled') }), 'cancelled'],
      [settled({ kind: 'settled', sight: sight('completed') }), 'completed'],
      [settled({ kind: 'refused', code: 'c', message: 'm', sight: sight('running') }), 'refused'],
      [{ kind: 'expired', value: null }, 'expired'],
    ] as [Polled<DossierCancelled>, string][]) {
      const both = await followed(rig(), {
        looks,
        cancels: [answer],
        meanwhile: async (dossier) => {
          await dossier.cancel(true);
        },
      });
      expect({ cancels: both.cancels, status: both.outcome.status }).toEqual({
        cancels: 1,
        status,
      });
    }
  });

  test('is cancelled in the pause before a retry, and none is sent', async () => {
    const { outcome, retries } = await followed(rig(), {
      looks: [settled(sight('failed', 1, { failure: { ...failure, retryAfterMs: day } }))],
      terms: { maxAttempts: 2 },
      meanwhile: async (dossier) => {
        await dossier.until('waiting to retry');
        await dossier.cancel(false);
      },
    });
    expect({ status: outcome.status, retries }).toEqual({ status: 'cancelled', retries: [] });
  });

  test('fails on what no time can mend', async () => {
    const broken = (): never => {
      throw ApplicationFailure.nonRetryable('gone', 'StoreIncomplete');
    };
    await expect(followed(rig(), { looks: [broken] })).rejects.toMatchObject({
      cause: expect.any(ActivityFailure),
    });
  });
});
