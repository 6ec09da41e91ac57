import {
  CancellationScope,
  ParentClosePolicy,
  executeChild,
  isCancellation,
  setHandler,
} from '@temporalio/workflow';
import {
  ApplicationFailure,
  ChildWorkflowFailure,
  WorkflowExecutionAlreadyStartedError,
} from '@temporalio/common';
import { BillingTotals } from '../../domain/core/billing-totals';
import {
  dossierFolder,
  dossierWorkflowId,
  type DossierOutcome,
} from '../../domain/dossiers/follow';
import {
  itemOf,
  type DossierBatchItem,
  type DossierBatchOutcome,
} from '../../domain/dossiers/retry-batch';
import type { ListAtFault, PlannedRetry, RetryPlan } from '../../domain/dossiers/retry-plan';
import { dossierBatchEnd } from '../../domain/job-ends';
import { followDossier } from './follow-dossier';
import {
  cancelUpdate,
  dossierBatchProgressQuery,
  type DossierBatchProgress,
  type RetryFailedInput,
} from '../messages';
import { dossierActivities } from './activities';
import { attributesAtStart, tellAttention, tellEnd } from '../core/search-attributes';
import { pollUntilSettled } from '../core/poll-until-settled';

/** Dossiers that are tried again at once. */
const mostUnderWay = 10;
/** The list must have been read by then. */
const planMs = 3_600_000;

/** Between looks whether one that was begun before still runs: doubling. */
const firstLookMs = 300_000;
const longestLookMs = 86_400_000;

/** Tries failed dossiers again, each followed by a work of its own, which outlives this one. */
export async function retryFailedDossiers(input: RetryFailedInput): Promise<DossierBatchOutcome> {
  const { deadlineAt, queueSuffix, ref } = input;
  const { polling, recording } = dossierActivities(queueSuffix, false);
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
  setHandler(
    cancelUpdate,
    () => {
      cancel();
      return 'no further dossier is tried again';
    },
    {
      validator(_order) {
        if (stage === 'done') throw ApplicationFailure.nonRetryable('it has ended', 'TooLate');
        if (cancelling) throw ApplicationFailure.nonRetryable('it is cancelled', 'TooLate');
      },
    },
  );
  CancellationScope.current().cancelRequested.catch(cancel);

  function plan() {
    const now = Date.now();
    return pollUntilSettled<RetryPlan | ListAtFault>(
      (request) => polling(request).planRetries({ ...request, ref }),
      { deadlineAt: now + planMs, since: now, seen: 'planning' },
      (status) => {
        waiting = status === 'planning' ? null : status;
        tellAttention(waiting !== null);
      },
    );
  }

  async function retryOne({ dossierId, from }: PlannedRetry): Promise<DossierBatchItem> {
    const none = { dossierId, status: null, caused: 0, possibleAttempt: false } as const;
    const { createdAt, createdBy, onReview } = input.record;
    const workId = `${dossierWorkflowId(dossierId)}/${createdAt.replace(/[-:.]/g, '')}`;
    const asked = { maxAttempts: from + 1, onReview, toCancel: false };
    const record = { workId, dossierId, ...asked, createdAt, createdBy };
    const workRef = { workId, folder: dossierFolder(workId), dossierId };
    const terms = { ...asked, deadlineAt, atOnce: true, interactive: false, queueSuffix };
    for (let tries = 1; ; tries += 1) {
      try {
        const outcome = await executeChild<typeof followDossier>(followDossier.name, {
          workflowId: dossierWorkflowId(dossierId),
          args: [{ ref: workRef, record, ...terms }],
          typedSearchAttributes: attributesAtStart('dossier', workId),
          workflowIdReusePolicy: 'ALLOW_DUPLICATE',
          parentClosePolicy: ParentClosePolicy.ABANDON,
        });
        return itemWithBilling(outcome);
      } catch (error) {
        // Its work is on file: whoever follows the dossier goes on with it.
        if (error instanceof ChildWorkflowFailure) return { ...none, why: 'broken off' };
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      }
      const end = await runsAlready(workId, tries);
      if (end.kind === 'settled' && end.value !== null) return itemWithBilling(end.value);
      if (end.kind === 'settled') return { ...none, why: 'followed' };
      if (end.kind === 'refused' || Date.now() >= deadlineAt) return { ...none, why: 'broken off' };
    }
  }

  /** Begun before this work was broken off, or by another: one that is lost meanwhile is begun again. */
  function runsAlready(workId: string, tries: number) {
    const now = Date.now();
    const lookMs = Math.min(firstLookMs * 2 ** (tries - 1), longestLookMs);
    const untilAt = Math.min(deadlineAt, now + lookMs);
    return pollUntilSettled<DossierOutcome | null>(
      (request) => polling(request).awaitFollow({ ...request, workId }),
      { deadlineAt: untilAt, since: now, seen: 'following' },
      () => undefined,
    );
  }

  function itemWithBilling(outcome: DossierOutcome): DossierBatchItem {
    for (const attempt of outcome.attempts) billing.add(attempt.billing);
    return itemOf(outcome);
  }

  async function retryAll({ dossiers }: RetryPlan): Promise<void> {
    const left = [...dossiers];
    const lane = async (): Promise<void> => {
      while (!cancelling) {
        const next = left.shift();
        if (next === undefined) return;
        underWay += 1;
        items.push(await retryOne(next));
        underWay -= 1;
      }
    };
    await Promise.all(Array.from({ length: mostUnderWay }, lane));
  }

  async function run(): Promise<Pick<DossierBatchOutcome, 'status' | 'left' | 'error'>> {
    const end = await planning.run(plan);
    waiting = null;
    if (end.kind === 'expired') return { status: 'expired', left: {}, error: unread };
    if (end.kind === 'refused') {
      const { code, message } = end;
      return { status: 'refused', left: {}, error: { code, message } };
    }
    if ('fault' in end.value) return { status: 'refused', left: {}, error: end.value.fault };
    stage = 'retrying';
    total = end.value.dossiers.length;
    await retryAll(end.value);
    const status = cancelling ? 'cancelled' : 'completed';
    return { status, left: end.value.left, error: null };
  }

  return CancellationScope.nonCancellable(async () => {
    const ending = await run().catch((error: unknown): Awaited<ReturnType<typeof run>> => {
      if (isCancellation(error)) return { status: 'cancelled', left: {}, error: null };
      throw error;
    });
    stage = 'done';
    const outcome = await recording.concludeRetries({
      ref,
      outcome: { ...ending, items, billing: billing.all(), startedAt },
    });
    tellEnd(dossierBatchEnd(outcome));
    return outcome;
  });
}

const unread = { code: 'deadline', message: 'the list of dossiers could not be read in time' };
