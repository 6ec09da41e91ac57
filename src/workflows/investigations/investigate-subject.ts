import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  CancellationScope,
  ChildWorkflowFailure,
  ParentClosePolicy,
  isCancellation,
  log,
  startChild,
} from '@temporalio/workflow';
import type { WorkflowKind } from '../../domain/core/search-attributes';
import type {
  GraphStep,
  InvestigationOutcome,
  StepEnd,
} from '../../domain/investigations/investigation';
import { jobKindOf } from '../../domain/investigations/plan';
import { workflowIdOf } from '../../domain/job';
import { runJob, type Job } from '../core/run-job';
import { attributesAtStart } from '../core/search-attributes';
import type { InvestigateInput } from '../inputs';
import { investigationActivities, type PreparedChild } from './activities';
import { childStart } from './child-inputs';

/** What a step has asked for, and could not ask. */
interface Asked {
  cut: number;
  left: string[];
}

/**
 * The steps of a plan, each as soon as what it needs has ended; what they ask is jobs of their kinds, which
 * outlive the investigation if it is terminated.
 */
export async function investigateSubject(input: InvestigateInput): Promise<InvestigationOutcome> {
  const { ref, steps, deadlineAt, interactive, queueSuffix } = input;
  const { prepareStep, settleStep, finalizeInvestigation } = investigationActivities(
    queueSuffix,
    interactive,
  );
  const ends = new Map<string, StepEnd>();
  const asked = new Map<string, Asked>();

  async function investigate(job: Job): Promise<void> {
    const running = new Map<string, Promise<void>>();
    const waitingFor = new Set<string>();
    const show = (id: string, word: string): void => {
      job.progress.details = { steps: { ...job.progress.details.steps, [id]: word } };
      const counts = [...ends.values()].length;
      job.progress.stage = `${counts} of ${steps.length} steps`;
    };
    const end = (step: StepEnd): void => {
      ends.set(step.id, step);
      show(step.id, step.status);
    };
    const wait = (id: string, isWaiting: boolean): void => {
      if (isWaiting) waitingFor.add(id);
      else waitingFor.delete(id);
      // The inbox shows the job that needs a person, not the investigation too.
      job.progress.waiting = waitingFor.size === 0 ? null : { reason: 'decision', until: null };
    };

    async function take(step: GraphStep): Promise<void> {
      const { id } = step;
      await Promise.all(step.needs.map(async (need) => running.get(need)));
      const lacking = step.needs.find((need) => !hasAnswer(ends.get(need)));
      if (lacking !== undefined) {
        end({ ...nothing(id), why: `it needs ${lacking}, which brought nothing` });
        return;
      }
      const until = Math.min(deadlineAt, Date.now() + (step.deadlineMs ?? Infinity));
      show(id, 'asking');
      const prepared = await prepareStep({ ref, stepId: id, at: Date.now(), deadlineAt: until });
      if (prepared.kind === 'over') {
        end(prepared.end);
        return;
      }
      const { children, ...rest } = prepared;
      const how = { ref, stepId: id, cut: rest.cut, left: rest.left, isCancelled: false };
      asked.set(id, rest);
      await allEnded(children.map((child) => drive(child, until)));
      let settled = await settleStep({ ...how, until: null });
      if (settled.waits !== null) {
        wait(id, settled.waits === 'person');
        show(id, settled.waits === 'person' ? 'waits for a person' : 'asking');
        settled = await settleStep({ ...how, until: deadlineAt });
        wait(id, false);
      }
      end(settled.end);
    }

    for (const step of inOrder(steps)) {
      show(step.id, 'waiting');
      running.set(step.id, take(step));
    }
    await allEnded([...running.values()]);
  }

  /** A job that runs already is waited for where the step is settled. */
  async function drive(child: PreparedChild, until: number): Promise<void> {
    const { input: childInput, workflow } = childStart(child, {
      deadlineAt: until,
      interactive,
      queueSuffix,
    });
    const kind: WorkflowKind = jobKindOf[child.kind];
    try {
      const started = await startChild(workflow, {
        workflowId: workflowIdOf(child.jobId),
        args: [childInput],
        typedSearchAttributes: attributesAtStart(kind, child.jobId),
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        // What was sent is completed whatever becomes of the investigation.
        parentClosePolicy: ParentClosePolicy.ABANDON,
      });
      await started.result();
    } catch (error) {
      if (isCancellation(error) && CancellationScope.current().consideredCancelled) throw error;
      if (error instanceof ChildWorkflowFailure) log.warn('a job of a step did not end well');
      else if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
  }

  /** What had begun is told as it stands: its jobs have ended, or run for somebody else. */
  async function stopped(): Promise<void> {
    for (const { id } of steps) {
      if (ends.has(id)) continue;
      const how = asked.get(id);
      if (how === undefined) ends.set(id, { ...nothing(id), status: 'cancelled' });
      else {
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
    onCancel: () => 'cancelling: the jobs of its steps end first',
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

/** Also of what is cancelled each is waited for. @throws what the first of them throws */
async function allEnded(promises: Promise<void>[]): Promise<void> {
  for (const one of await Promise.allSettled(promises))
    if (one.status === 'rejected') throw one.reason;
}

function nothing(id: string): StepEnd {
  return { id, status: 'not_asked', why: null, cut: 0, children: [] };
}

function hasAnswer(end: StepEnd | undefined): boolean {
  return end?.status === 'answered' || end?.status === 'partial';
}

/** What is needed first: a plan that goes round was refused before. */
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
