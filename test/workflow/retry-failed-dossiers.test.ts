import { Worker } from '@temporalio/worker';
import type { AwaitDossierInput } from '../../src/activities/dossiers/dossiers';
import type { RetryDossierInput } from '../../src/activities/dossiers/retries';
import { notSettledYet } from '../../src/activities/core/failures';
import type {
  DossierOutcome,
  DossierRecord,
  DossierReport,
  DossierSight,
} from '../../src/domain/dossiers/follow';
import type { Retried } from '../../src/domain/dossiers/retry';
import type { DossierBatchOutcome } from '../../src/domain/dossiers/retry-batch';
import type { ListAtFault, RetryPlan } from '../../src/domain/dossiers/retry-plan';
import { queueName } from '../../src/domain/core/queues';
import type { PollRequest, Polled } from '../../src/domain/core/poll-request';
import { cancelUpdate, dossierBatchProgressQuery } from '../../src/workflows/messages';
import type { followDossier } from '../../src/workflows/dossiers/follow-dossier';
import type { retryFailedDossiers } from '../../src/workflows/dossiers/retry-failed-dossiers';
import {
  dataConverter,
  hour,
  minute,
  workflowSuite,
  type WorkflowRig,
} from '../support/workflow-environment';

function sight(state: DossierSight['state'], number: number): DossierSight {
  const billing = { status: 'charged', amount: 10, unit: 'tokens', billingId: null };
  const attempt = {
    number,
    status: state,
    billing: { ...billing, priceVersion: null, policyVersion: null },
  };
  return {
    state,
    statusWord: state,
    mode: null,
    stale: null,
    attempt,
    coverage: null,
    failure: null,
  };
}

let started = 0;

/** Tries dossiers again that complete with their second attempt; some are followed already. */
async function retried(
  rig: WorkflowRig,
  {
    dossiers,
    followed = [],
    running = [],
    ended = [],
    looks = 1,
    plan,
    onRetry = async () => undefined,
    meanwhile = async () => undefined,
  }: {
    dossiers: number;
    /** By another work. */
    followed?: number[];
    /** By this one, before it was broken off. */
    running?: number[];
    ended?: number[];
    /** After how many it is told how those that run already end. */
    looks?: number;
    plan?: Polled<RetryPlan | ListAtFault>;
    onRetry?: () => Promise<void>;
    meanwhile?: (workId: string) => Promise<void>;
  },
) {
  const { env } = rig;
  started += 1;
  const workId = `dossier-batch/${rig.suffix}-${started}`;
  const queueSuffix = rig.suffix;
  const ids = Array.from({ length: dossiers }, (_, place) => `${rig.suffix}-${started}-${place}`);
  const retries: RetryDossierInput[] = [];
  const filed: DossierRecord[] = [];
  const looksMs: number[] = [];
  const createdAt = '2026-01-05T10:00:00.000Z';
  const workOf = (place: number) => `dossier/${ids[place]}/20260105T100000000Z`;
  const before = { caused: 1, possibleAttempt: false, status: 'failed', attempts: [] };
  const endOf = (work: string) => ({ ...before, workId: work, dossierId: work.split('/')[1] });
  let underWay = 0;
  let mostUnderWay = 0;
  const worker = await Worker.create({
    connection: env.nativeConnection,
    ...(env.namespace !== undefined && { namespace: env.namespace }),
    dataConverter,
    taskQueue: queueName('investigation', queueSuffix),
    activities: {
      planRetries: async (): Promise<Polled<RetryPlan | ListAtFault>> =>
        plan ?? {
          kind: 'settled',
          value: { dossiers: ids.map((dossierId) => ({ dossierId, from: 1 })), left: { older: 3 } },
        },
      beginFollow: async ({ record }: { record: DossierRecord }) => {
        if (ended.map(workOf).includes(record.workId)) return endOf(record.workId);
        filed.push(record);
        return null;
      },
      awaitFollow: async (own: PollRequest & { workId: string }) => {
        looksMs.push(own.deadlineAt - own.since);
        if (looksMs.length < looks) return { kind: 'expired', value: null };
        const value = running.map(workOf).includes(own.workId) ? endOf(own.workId) : null;
        return { kind: 'settled', value };
      },
      awaitDossier: async (input: AwaitDossierInput): Promise<Polled<DossierSight>> => {
        if (input.inReview) throw notSettledYet(hour);
        if (input.ref.folder === 'reviewed') {
          return { kind: 'settled', value: sight('needs_review', 1) };
        }
        const value = input.atLeast === null ? sight('failed', 1) : sight('completed', 2);
        return { kind: 'settled', value };
      },
      retryDossier: async (input: RetryDossierInput): Promise<Polled<Retried>> => {
        retries.push(input);
        underWay += 1;
        mostUnderWay = Math.max(mostUnderWay, underWay);
        await onRetry();
        underWay -= 1;
        return { kind: 'settled', value: { kind: 'begun', attempt: 2, by: 'us' } };
      },
      fileDossier: async (): Promise<Polled<DossierReport>> => ({
        kind: 'settled',
        value: {
          sight: sight('completed', 2),
          risk: {
            form: 'omitted',
            status: null,
            level: null,
            score: null,
            matchedRules: 0,
            missingFields: 0,
          },
          filed: [],
          unfiled: [],
          note: null,
          movedOn: false,
        },
      }),
      finalizeDossier: async ({ outcome, ref }: { outcome: DossierOutcome; ref: object }) => ({
        ...outcome,
        ...ref,
        caused: 1,
        possibleAttempt: false,
      }),
      concludeRetries: async ({ outcome }: { outcome: DossierBatchOutcome }) => outcome,
    },
  });
  return worker.runUntil(async () => {
    const begunAt = await rig.now();
    const others = await Promise.all(
      [...followed, ...running].map((place) =>
        env.client.workflow.start<typeof followDossier>('followDossier', {
          workflowId: `dossier/${ids[place]}`,
          taskQueue: queueName('workflows', rig.suffix),
          args: [
            {
              ref: { workId: 'theirs', folder: 'reviewed', dossierId: ids[place] ?? '' },
              deadlineAt: begunAt + 30 * 24 * hour,
              maxAttempts: 1,
              onReview: 'wait',
              toCancel: false,
              atOnce: false,
              interactive: false,
              queueSuffix,
            },
          ],
        }),
      ),
    );
    const handle = await env.client.workflow.start<typeof retryFailedDossiers>(
      'retryFailedDossiers',
      {
        workflowId: workId,
        taskQueue: queueName('workflows', rig.suffix),
        args: [
          {
            ref: { workId, folder: 'f' },
            record: {
              workId,
              terms: { since: null, limit: 20, maxAttempts: null },
              since: null,
              onReview: 'leave',
              createdAt,
              createdBy: 'p',
            },
            deadlineAt: begunAt + 24 * hour,
            queueSuffix,
          },
        ],
      },
    );
    await meanwhile(workId);
    const outcome = await handle.result();
    for (const other of others) await other.terminate();
    return { outcome, ids, retries, filed, looksMs, mostUnderWay };
  });
}

workflowSuite('trying failed dossiers again', (rig) => {
  test('asks once for each, ten at a time, but for those that are followed already', async () => {
    const { filed, ids, mostUnderWay, outcome, retries } = await retried(rig(), {
      dossiers: 14,
      followed: [3, 7],
      onRetry: () => new Promise((done) => setTimeout(done, 30)),
    });
    const asked = ids.filter((_, place) => place !== 3 && place !== 7);
    expect(retries.map(({ ref }) => ref.dossierId).toSorted()).toEqual(asked.toSorted());
    expect(mostUnderWay).toBeLessThanOrEqual(10);
    expect(filed.map(({ dossierId }) => dossierId).toSorted()).toEqual(asked.toSorted());
    expect(filed[0]).toMatchObject({ maxAttempts: 2, onReview: 'leave', toCancel: false });
    expect(outcome).toMatchObject({ status: 'completed', left: { older: 3 } });
    expect(outcome.items.filter(({ status }) => status === 'completed')).toHaveLength(12);
    expect(outcome.items.filter(({ why }) => why === 'followed')).toHaveLength(2);
    expect(outcome.billing).toEqual([
      { status: 'charged', unit: 'tokens', count: 24, amount: 240 },
    ]);
  });

  test('begun again, it tells what it did before, and tries nothing again for that', async () => {
    const { filed, ids, outcome, retries } = await retried(rig(), {
      dossiers: 3,
      ended: [0],
      running: [1],
    });
    expect(retries.map(({ ref }) => ref.dossierId)).toEqual([ids[2]]);
    expect(filed.map(({ dossierId }) => dossierId)).toEqual([ids[2]]);
    const told = outcome.items.map(({ caused, dossierId, status }) => [dossierId, status, caused]);
    expect(told).toHaveLength(3);
    expect(told).toEqual(
      expect.arrayContaining([
        [ids[0], 'failed', 1],
        [ids[1], 'failed', 1],
        [ids[2], 'completed', 1],
      ]),
    );
  });

  test('looks after five minutes whether one that was begun before still runs, then ever later', async () => {
    const { looksMs } = await retried(rig(), { dossiers: 1, running: [0], looks: 3 });
    expect(looksMs).toEqual([5, 10, 20].map((minutes) => minutes * minute));
  });

  test('cancelled, it begins no further one, and nothing is on file of those', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((done) => (release = done));
    let refused: string | null = null;
    const { filed, outcome, retries } = await retried(rig(), {
      dossiers: 12,
      onRetry: () => held,
      meanwhile: async (workId) => {
        const handle = rig().env.client.workflow.getHandle(workId);
        while ((await handle.query(dossierBatchProgressQuery)).underWay < 10) {
          await new Promise((done) => setTimeout(done, 20));
        }
        const cancel = () => handle.executeUpdate(cancelUpdate, { args: [{ now: false }] });
        await cancel();
        const [again] = await Promise.allSettled([cancel()]);
        refused = again.status === 'rejected' ? String(again.reason.cause?.message) : null;
        release();
      },
    });
    expect(outcome.status).toBe('cancelled');
    expect({ items: outcome.items.length, retries: retries.length }).toEqual({
      items: 10,
      retries: 10,
    });
    expect(filed).toHaveLength(10);
    expect(refused).toBe('it is cancelled');
  });

  test.each<[string, Polled<RetryPlan | ListAtFault>]>([
    ['refused', { kind: 'refused', status: 403, code: 'c', message: 'm' }],
    ['refused', { kind: 'settled', value: { fault: { code: 'c', message: 'm' } } }],
    ['expired', { kind: 'expired', value: null }],
  ])('a list that is %s ends it, and nothing is sent', async (status, plan) => {
    const { outcome, retries } = await retried(rig(), { dossiers: 2, plan });
    expect(outcome).toMatchObject({ status, items: [] });
    expect(retries).toEqual([]);
  });
});
