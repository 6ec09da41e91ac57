import { Worker } from '@temporalio/worker';
import type { AwaitDossierInput, RetryDossierInput } from '../../src/activities/dossiers';
import type { DossierOutcome, DossierReport, DossierSight } from '../../src/domain/dossiers/follow';
import type { Retried } from '../../src/domain/dossiers/retry';
import type { DossierBatchOutcome } from '../../src/domain/dossiers/retry-batch';
import type { RetryPlan } from '../../src/domain/dossiers/retry-plan';
import { queueName } from '../../src/domain/queues';
import type { Waited } from '../../src/domain/settled-wait';
import { cancelUpdate, dossierBatchProgressQuery } from '../../src/workflows/messages';
import type { retryFailedDossiers } from '../../src/workflows/retry-failed-dossiers';
import {
  dataConverter,
  hour,
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
    plan,
    onRetry = async () => undefined,
    meanwhile = async () => undefined,
  }: {
    dossiers: number;
    followed?: number[];
    plan?: Waited<RetryPlan>;
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
  const withdrawn: string[] = [];
  let underWay = 0;
  let mostUnderWay = 0;
  const worker = await Worker.create({
    connection: env.nativeConnection,
    ...(env.namespace !== undefined && { namespace: env.namespace }),
    dataConverter,
    taskQueue: queueName('investigation', queueSuffix),
    activities: {
      planRetries: async (): Promise<Waited<RetryPlan>> =>
        plan ?? {
          kind: 'settled',
          value: { dossiers: ids.map((dossierId) => ({ dossierId, from: 1 })), left: { older: 3 } },
        },
      fileFollows: async () =>
        ids.map((id, place) =>
          followed.includes(place)
            ? null
            : { workId: `dossier/${id}/1`, maxAttempts: 2, onReview: 'leave' },
        ),
      withdrawFollow: async (input: { workId: string }) => void withdrawn.push(input.workId),
      awaitDossier: async ({ atLeast }: AwaitDossierInput): Promise<Waited<DossierSight>> => ({
        kind: 'settled',
        value: atLeast === null ? sight('failed', 1) : sight('completed', 2),
      }),
      retryDossier: async (input: RetryDossierInput): Promise<Waited<Retried>> => {
        retries.push(input);
        underWay += 1;
        mostUnderWay = Math.max(mostUnderWay, underWay);
        await onRetry();
        underWay -= 1;
        return { kind: 'settled', value: { kind: 'begun', attempt: 2, by: 'us' } };
      },
      fileDossier: async (): Promise<Waited<DossierReport>> => ({
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
        },
      }),
      concludeDossier: async ({ outcome, ref }: { outcome: DossierOutcome; ref: object }) => ({
        ...outcome,
        ...ref,
        caused: 1,
        possibleAttempt: false,
      }),
      concludeRetries: async ({ outcome }: { outcome: DossierBatchOutcome }) => outcome,
    },
  });
  return worker.runUntil(async () => {
    const handle = await env.client.workflow.start<typeof retryFailedDossiers>(
      'retryFailedDossiers',
      {
        workflowId: workId,
        taskQueue: queueName('workflows', rig.suffix),
        args: [
          { ref: { workId, folder: 'f' }, deadlineAt: (await rig.now()) + 24 * hour, queueSuffix },
        ],
      },
    );
    await meanwhile(workId);
    return { outcome: await handle.result(), ids, retries, withdrawn, mostUnderWay };
  });
}

workflowSuite('trying failed dossiers again', (rig) => {
  test('asks once for each, ten at a time, but for those that are followed already', async () => {
    const { ids, mostUnderWay, outcome, retries } = await retried(rig(), {
      dossiers: 14,
      followed: [3, 7],
      onRetry: () => new Promise((done) => setTimeout(done, 30)),
    });
    const asked = ids.filter((_, place) => place !== 3 && place !== 7);
    expect(retries.map(({ ref }) => ref.dossierId).toSorted()).toEqual(asked.toSorted());
    expect(mostUnderWay).toBeLessThanOrEqual(10);
    expect(outcome).toMatchObject({ status: 'completed', left: { older: 3 } });
    expect(outcome.items.filter(({ status }) => status === 'completed')).toHaveLength(12);
    expect(outcome.items.filter(({ why }) => why === 'followed')).toHaveLength(2);
    expect(outcome.billing).toEqual([
      { status: 'charged', unit: 'tokens', count: 24, amount: 240 },
    ]);
  });

  test('cancelled, it begins no further one, and takes what it had filed for them back', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((done) => (release = done));
    const { outcome, retries, withdrawn } = await retried(rig(), {
      dossiers: 12,
      onRetry: () => held,
      meanwhile: async (workId) => {
        const handle = rig().env.client.workflow.getHandle(workId);
        while ((await handle.query(dossierBatchProgressQuery)).underWay < 10) {
          await new Promise((done) => setTimeout(done, 20));
        }
        await handle.executeUpdate(cancelUpdate, { args: [{ now: false }] });
        release();
      },
    });
    expect(outcome.status).toBe('cancelled');
    expect({ items: outcome.items.length, retries: retries.length }).toEqual({
      items: 10,
      retries: 10,
    });
    expect(withdrawn).toHaveLength(2);
  });

  test.each<[string, Waited<RetryPlan>]>([
    ['refused', { kind: 'refused', status: 403, code: 'c', message: 'm' }],
    ['expired', { kind: 'expired', value: null }],
  ])('a list that is %s ends it, and nothing is sent', async (status, plan) => {
    const { outcome, retries } = await retried(rig(), { dossiers: 2, plan });
    expect(outcome).toMatchObject({ status, items: [] });
    expect(retries).toEqual([]);
  });
});
