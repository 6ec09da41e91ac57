import {
  CancellationScope,
  ParentClosePolicy,
  executeChild,
  isCancellation,
  setHandler,
} from '@temporalio/workflow';
import { ChildWorkflowFailure, WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { BillingTotals } from '../domain/billing-totals';
import {
  dossierFolder,
  dossierWorkflowId,
  type DossierOutcome,
  type ReviewPolicy,
} from '../domain/dossiers/follow';
import {
  itemOf,
  type DossierBatchItem,
  type DossierBatchOutcome,
} from '../domain/dossiers/retry-batch';
import type { RetryPlan } from '../domain/dossiers/retry-plan';
import { dossierActivities } from './dossier-activities';
import { followDossier } from './follow-dossier';
import {
  cancelUpdate,
  dossierBatchProgressQuery,
  type DossierBatchProgress,
  type RetryFailedInput,
} from './messages';
import { attributesAtStart, tellAttention, tellDossierBatchEnd } from './search-attributes';
import { waitOn } from './wait-on';

/** Dossiers that are tried again at once. */
const mostUnderWay = 10;
/** The list must have been read by then. */
const planMs = 3_600_000;

interface Filed {
  workId: string;
  maxAttempts: number;
  onReview: ReviewPolicy;
}

/** Tries failed dossiers again, each followed by a work of its own, which outlives this one. */
export async function retryFailedDossiers(input: RetryFailedInput): Promise<DossierBatchOutcome> {
  const { deadlineAt, queueSuffix, ref } = input;
  const activities = dossierActivities(queueSuffix, false);
  const startedAt = new Date(Date.now()).toISOString();
  const planning = new CancellationScope();
  const items: DossierBatchItem[] = [];
  const billing = new BillingTotals();
  let stage: DossierBatchProgress['stage'] = 'planning';
  let waiting: string | null = null;
  let total = 0;
  let underWay = 0;
  let cancelling = false;
  setHandler(dossierBatchProgressQuery, () => ({
    kind: 'dossier-batch',
    stage,
    waiting,
    total,
    ended: items.length,
    underWay,
    cancelling,
  }));
  const cancel = (): void => {
    cancelling = true;
    planning.cancel();
  };
  setHandler(cancelUpdate, () => {
    cancel();
    return 'no further dossier is tried again';
  });
  CancellationScope.current().cancelRequested.catch(cancel);

  function plan() {
    const now = Date.now();
    return waitOn<RetryPlan>(
      (order) => activities.planRetries({ ...order, ref }),
      { deadlineAt: now + planMs, since: now, seen: 'planning' },
      (visible) => {
        waiting = visible === 'planning' ? null : visible;
        tellAttention(waiting !== null);
      },
    );
  }

  async function retryOne(dossierId: string, filed: Filed | null): Promise<DossierBatchItem> {
    const none = { dossierId, status: null, caused: 0, possibleAttempt: false } as const;
    if (filed === null) return { ...none, why: 'followed' };
    const { workId, maxAttempts, onReview } = filed;
    const workRef = { workId, folder: dossierFolder(workId), dossierId };
    const terms = { deadlineAt, maxAttempts, onReview, toCancel: false, atOnce: true };
    try {
      const outcome: DossierOutcome = await executeChild<typeof followDossier>(followDossier.name, {
        workflowId: dossierWorkflowId(dossierId),
        args: [{ ref: workRef, ...terms, interactive: false, queueSuffix }],
        typedSearchAttributes: attributesAtStart('dossier', workId),
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        parentClosePolicy: ParentClosePolicy.ABANDON,
      });
      for (const attempt of outcome.attempts) billing.add(attempt.billing);
      return itemOf(outcome);
    } catch (error) {
      // Its work is on file: whoever follows the dossier goes on with it.
      if (error instanceof ChildWorkflowFailure) return { ...none, why: 'broken off' };
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      await activities.withdrawFollow({ workId });
      return { ...none, why: 'followed' };
    }
  }

  async function retryAll(
    { dossiers }: RetryPlan,
    filed: readonly (Filed | null)[],
  ): Promise<void> {
    let next = 0;
    const lane = async (): Promise<void> => {
      while (next < dossiers.length && !cancelling) {
        const place = next;
        next += 1;
        const dossier = dossiers[place];
        if (dossier === undefined) return;
        underWay += 1;
        items.push(await retryOne(dossier.dossierId, filed[place] ?? null));
        underWay -= 1;
      }
    };
    await Promise.all(Array.from({ length: mostUnderWay }, lane));
    for (; next < filed.length; next += 1) {
      const workId = filed[next]?.workId;
      if (workId !== undefined) await activities.withdrawFollow({ workId });
    }
  }

  async function run(): Promise<Pick<DossierBatchOutcome, 'status' | 'left' | 'error'>> {
    const end = await planning.run(plan);
    waiting = null;
    if (end.kind === 'expired') return { status: 'expired', left: {}, error: unread };
    if (end.kind === 'refused') {
      const { code, message } = end;
      return { status: 'refused', left: {}, error: { code, message } };
    }
    stage = 'retrying';
    total = end.value.dossiers.length;
    const filed = await activities.fileFollows({ ref, plan: end.value });
    await retryAll(end.value, filed);
    const status = cancelling ? 'cancelled' : 'completed';
    return { status, left: end.value.left, error: null };
  }

  return CancellationScope.nonCancellable(async () => {
    const ending = await run().catch((error: unknown): Awaited<ReturnType<typeof run>> => {
      if (isCancellation(error)) return { status: 'cancelled', left: {}, error: null };
      throw error;
    });
    stage = 'done';
    const outcome = await activities.concludeRetries({
      ref,
      outcome: { ...ending, items, billing: billing.all(), startedAt },
    });
    tellDossierBatchEnd(outcome);
    return outcome;
  });
}

const unread = { code: 'deadline', message: 'the list of dossiers could not be read in time' };
