import { WorkflowExecutionAlreadyStartedError, type Workflow } from '@temporalio/common';
import {
  CancellationScope,
  CancelledFailure,
  ChildWorkflowFailure,
  log,
  type ChildWorkflowHandle,
} from '@temporalio/workflow';
import type {
  GraphStep,
  InvestigationOutcome,
  StepEnd,
} from '../../domain/investigations/investigation';
import { jobKindOf } from '../../domain/investigations/plan';
import { jobFolder, jobRef } from '../../domain/job';
import { orderAnswer } from '../../domain/order-answers';
import { runJob, type Job } from '../core/run-job';
import { startJob } from '../core/start-job';
import type { InvestigateInput, IssueCertificateInput } from '../inputs';
import { cancelSignal, type CancelOrder } from '../messages';
import { investigationActivities, type PreparedChild, type SettleInput } from './activities';
import { RequestBudget } from './request-budget';

/** What a step has requested, and could not request. */
type Requested = Pick<SettleInput, 'cut' | 'left' | 'lost'>;

/**
 * Runs the steps of a plan, each as soon as its dependencies have ended. Steps start jobs of their kinds,
 * which outlive a terminated investigation.
 */
export async function investigateSubject(input: InvestigateInput): Promise<InvestigationOutcome> {
  const { ref, steps, budget, deadlineAt, interactive = true, queueSuffix } = input;
  const { prepareStep, settleStep, finalizeInvestigation } = investigationActivities(input);
  const ends = new Map<string, StepEnd>();
  const requested = new Map<string, Requested>();
  const requestBudget = new RequestBudget(budget);
  const underWay = new Set<ChildWorkflowHandle<Workflow>>();

  /** Ignores a child that has ended. */
  function stop(child: ChildWorkflowHandle<Workflow>, order: CancelOrder): void {
    CancellationScope.nonCancellable(() => child.signal(cancelSignal, order)).catch(
      () => undefined,
    );
  }

  async function investigate(job: Job): Promise<void> {
    const running = new Map<string, Promise<void>>();
    const waitingFor = new Set<string>();
    const show = (id: string, word: string): void => {
      job.progress.details = { steps: { ...job.progress.details.steps, [id]: word } };
      job.progress.stage = `${ends.size} of ${steps.length} steps`;
    };
    const end = (step: StepEnd): void => {
      ends.set(step.id, step);
      show(step.id, step.status);
    };
    const showWaiting = (): void => {
      const { reached } = requestBudget;
      // The inbox shows the job that needs a person, not the investigation too.
      job.progress.waiting = reached
        ? { reason: 'budget', until: null, budget: reached }
        : waitingFor.size > 0
          ? { reason: 'decision', until: null }
          : null;
      job.report(reached && 'budget', reached);
    };

    async function take(step: GraphStep): Promise<void> {
      const { id } = step;
      await Promise.all(step.needs.map(async (need) => running.get(need)));
      const lacking = step.needs.find((need) => !hasAnswer(ends.get(need)));
      if (lacking !== undefined) {
        end({ ...nothing(id), why: `it needs ${lacking}, which had no result` });
        return;
      }
      const until = Math.min(deadlineAt, Date.now() + (step.deadlineMs ?? Infinity));
      show(id, 'asking');
      const prepared = await requestBudget.spend(
        async (mayRequest) =>
          prepareStep({ ref, stepId: id, at: Date.now(), deadlineAt: until, mayRequest }),
        { until, onWait: showWaiting },
      );
      if (prepared.kind === 'beyondBudget') {
        const why = `the budget was reached, and ${prepared.requests} more requests were not allowed`;
        end({ ...nothing(id), status: 'missing', why });
        return;
      }
      if (prepared.kind === 'over') {
        end(prepared.end);
        return;
      }
      const { children, cut, left } = prepared;
      const lost: string[] = [];
      requested.set(id, { cut, left, lost });
      await allEnded(children.map((child) => drive(job, child, { until, lost })));
      const how = { ref, stepId: id, cut, left, lost, isCancelled: false };
      let settled = await settleStep({ ...how, until: null });
      if (settled.waits !== null) {
        const isForPerson = settled.waits === 'person';
        if (isForPerson) waitingFor.add(id);
        showWaiting();
        show(id, isForPerson ? 'waits for a person' : 'asking');
        settled = await settleStep({ ...how, until });
        waitingFor.delete(id);
        showWaiting();
      }
      end(settled.end);
    }

    for (const step of inOrder(steps)) {
      show(step.id, 'waiting');
      running.set(step.id, take(step));
    }
    await allEnded([...running.values()]);
  }

  /** A job that runs already is awaited where the step is settled. */
  async function drive(
    job: Job,
    child: PreparedChild,
    { lost, until }: { lost: string[]; until: number },
  ): Promise<void> {
    const { jobId } = child;
    const common = { deadlineAt: until, interactive, queueSuffix };
    const childInput =
      child.kind === 'certificate'
        ? issuance(child, common)
        : { ...child.terms, ...common, ref: jobRef(jobId) };
    if (job.order !== null) throw new CancelledFailure('cancelled before it was started');
    // It is signalled and awaited: a cancellation by Temporal cannot carry the order.
    await CancellationScope.nonCancellable(async () => {
      try {
        const started = await startJob(jobKindOf[child.kind], jobId, childInput);
        underWay.add(started);
        // A cancellation during the start has not reached it.
        if (job.order !== null) stop(started, job.order);
        try {
          await started.result();
        } finally {
          underWay.delete(started);
        }
      } catch (error) {
        if (error instanceof ChildWorkflowFailure) {
          log.warn('a job of a step did not end well');
          lost.push(jobId);
        } else if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      }
    });
  }

  /** Records the current status of started steps: their jobs have ended, or run for another job. */
  async function stopped(): Promise<void> {
    for (const { id } of steps) {
      if (ends.has(id)) continue;
      const how = requested.get(id);
      if (how === undefined) {
        ends.set(id, { ...nothing(id), status: 'cancelled', why: 'nothing had been requested' });
      } else {
        const settled = await settleStep({
          ref,
          stepId: id,
          ...how,
          until: null,
          isCancelled: true,
        });
        ends.set(id, settled.end);
      }
    }
  }

  return runJob<{ cancelled: boolean }, InvestigationOutcome>({
    kind: 'investigation',
    folder: ref.folder,
    stage: 'planning',
    onResume: () => requestBudget.refill(),
    onCancel: (order) => {
      for (const child of underWay) stop(child, order);
      return orderAnswer('cancelling');
    },
    steps: async (job) => {
      const cancelled = await job.cancellable(
        async () => {
          await investigate(job);
          return false;
        },
        () => true,
      );
      if (cancelled) await stopped();
      return { cancelled };
    },
    finalize: ({ cancelled, startedAt }) => {
      const inPlanOrder = steps.flatMap(({ id }) => ends.get(id) ?? []);
      return finalizeInvestigation({ ref, ended: { cancelled, steps: inPlanOrder, startedAt } });
    },
  });
}

/** Waits for all, also on cancellation. @throws the first error */
async function allEnded(promises: Promise<void>[]): Promise<void> {
  for (const one of await Promise.allSettled(promises))
    if (one.status === 'rejected') throw one.reason;
}

function issuance(
  { jobId, terms }: PreparedChild,
  { deadlineAt, ...common }: { deadlineAt: number; interactive: boolean; queueSuffix: string },
): IssueCertificateInput {
  const folder = jobFolder(jobId);
  return {
    jobId,
    list: { folder, items: 1, outcomesIn: folder },
    terms: {
      ...common,
      reuseSince: Number(terms['reuseSince']),
      rowDeadlineMs: Number(terms['rowDeadlineMs']),
      requestUntil: deadlineAt,
      onUnknown: 'report',
    },
  };
}

function nothing(id: string): StepEnd {
  return { id, status: 'not_requested', why: null, cut: 0, children: [] };
}

function hasAnswer(end: StepEnd | undefined): boolean {
  return end?.status === 'answered' || end?.status === 'partial';
}

/** Dependencies first: a plan with a cycle was rejected before. */
function inOrder(steps: readonly GraphStep[]): GraphStep[] {
  const sorted: GraphStep[] = [];
  const add = (step: GraphStep): void => {
    if (sorted.includes(step)) return;
    for (const need of step.needs) {
      const found = steps.find(({ id }) => id === need);
      if (found !== undefined) add(found);
    }
    sorted.push(step);
  };
  for (const step of steps) add(step);
  return sorted;
}
