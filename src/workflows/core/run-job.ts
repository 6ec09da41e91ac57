import { CancellationScope, isCancellation, setHandler } from '@temporalio/workflow';
import {
  waitingForCredentials,
  type Polled,
  type PollRequest,
  type Refused,
} from '../../domain/core/service/poll-request';
import { endOf, type WaitReason, type WaitScope } from '../../domain/attention';
import type { JobEnd, JobKind } from '../../domain/job';
import { orderAnswer, type OrderAnswer } from '../../domain/order-answers';
import { bothOrders, refuseOrder, refuseRepeated } from './cancel-order';
import {
  cancelSignal,
  cancelUpdate,
  jobProgressQuery,
  resumeUpdate,
  type CancelOrder,
  type JobProgress,
  type WaitingFor,
} from '../messages';
import { pollUntilSettled, type PollEnd } from './poll-until-settled';
import { reportEnd } from './search-attributes';
import { Waits } from './waits';

/** What is special to one job kind; `runJob` does the rest. */
export interface JobDescriptor<Ending, Outcome> {
  kind: JobKind;
  /** Folder of the job in the store. */
  folder: string;
  /** The first stage. */
  stage: string;
  /** From request to result. Not cancelled itself: see `Job.cancellable`. */
  steps(job: Job): Promise<Ending>;
  /** Stores the outcome. Idempotent: the first stored outcome stays. */
  finalize(ending: Ending & { startedAt: string }): Promise<Outcome>;
  /** Default: by status alone. */
  end?(outcome: Outcome): JobEnd;
  /** Passes a cancellation on and returns the reply to it. Left out: requests already sent are completed. */
  onCancel?(order: CancelOrder): OrderAnswer;
  /** Retries at once what it waits for; left out: not possible. */
  onResume?(): OrderAnswer;
}

/** Drives one job to its outcome, which is stored even when the workflow is cancelled. */
export async function runJob<Ending extends object, Outcome extends { status: string }>(
  kind: JobDescriptor<Ending, Outcome>,
): Promise<Outcome> {
  const job = new Job(kind);
  return CancellationScope.nonCancellable(async () => {
    const ending = await kind.steps(job);
    job.close();
    const startedAt = new Date(job.progress.startedAt).toISOString();
    const outcome = await kind.finalize({ ...ending, startedAt });
    reportEnd(kind.end?.(outcome) ?? endOf(kind.kind, outcome.status));
    return outcome;
  });
}

/** A running job: progress, cancellation, and polling that shows its status. */
export class Job {
  readonly progress: JobProgress;
  /** Scope that a cancellation cancels. */
  readonly #scope = new CancellationScope();
  readonly #waits: Waits;
  readonly #onCancel: ((order: CancelOrder) => OrderAnswer) | undefined;
  #order: CancelOrder | null = null;
  #isOver = false;

  constructor({
    kind,
    folder,
    stage,
    onCancel,
    onResume,
  }: Pick<JobDescriptor<never, never>, 'kind' | 'folder' | 'stage' | 'onCancel' | 'onResume'>) {
    this.#waits = new Waits(folder);
    this.#onCancel = onCancel;
    this.progress = {
      kind,
      stage,
      externalId: null,
      waiting: null,
      cancelling: false,
      startedAt: Date.now(),
      details: {},
    };
    setHandler(jobProgressQuery, () => ({ ...this.progress }));
    setHandler(cancelUpdate, (order) => this.#cancel(order), {
      validator: (order) => {
        // After the steps a second cancellation has nothing left to stop.
        if (this.#isOver && (this.#order === null || order.remote === true)) refuseOrder('settled');
        refuseRepeated(this.#order, order);
      },
    });
    setHandler(cancelSignal, (order) => void this.#cancel(order));
    if (onResume !== undefined) setHandler(resumeUpdate, onResume);
    CancellationScope.current().cancelRequested.catch(() => this.#cancel({ now: true }));
  }

  /** The cancellation, combined if there were several; null: none. */
  get order(): CancelOrder | null {
    return this.#order;
  }

  /** Rejects on cancellation. */
  get cancelRequested(): Promise<never> {
    return this.#scope.cancelRequested;
  }

  /** Runs steps that a cancellation stops. After them, cancellations are rejected. */
  async cancellable<T>(steps: () => Promise<T>, onCancelled: () => T | Promise<T>): Promise<T> {
    this.#isOver = false;
    try {
      return await this.#scope.run(steps);
    } catch (error) {
      if (!isCancellation(error)) throw error;
      return await onCancelled();
    } finally {
      this.#isOver = true;
    }
  }

  /** @param onChange returns what the job waits for; left out: the status becomes its stage */
  async poll<T>(
    read: (request: PollRequest) => Promise<Polled<T>>,
    {
      deadlineAt,
      since = Date.now(),
      seen,
      onChange = (status) => void (this.progress.stage = status),
    }: {
      deadlineAt: number;
      since?: number;
      seen: string | null;
      onChange?: (status: string, value: T | null) => WaitingFor | void;
    },
  ): Promise<PollEnd<T>> {
    const request = { deadlineAt, since, seen };
    const end = await pollUntilSettled(read, request, (status, value) => {
      const isLockedOut = status === waitingForCredentials;
      this.waitFor(isLockedOut ? 'credentials' : (onChange(status, value) ?? null));
    });
    this.waitFor(null);
    return end;
  }

  /** Shows what blocks it, and whether it needs a person. */
  waitFor(reason: WaitingFor | null): void {
    this.progress.waiting = reason === null ? null : { reason, until: null };
    // Single jobs wait for one decision only: that of a review.
    const needed = reason === 'decision' ? 'review' : reason === 'credentials' ? reason : null;
    this.#waits.report(needed);
  }

  /** Reports a reason of its kind to need a person. */
  report(reason: WaitReason | null, about: WaitScope): void {
    this.#waits.report(reason, about);
  }

  close(): void {
    this.#isOver = true;
    this.progress.stage = 'done';
    this.progress.waiting = null;
  }

  #cancel(given: CancelOrder): OrderAnswer {
    const order = bothOrders(this.#order, given);
    this.#order = order;
    this.progress.cancelling = true;
    this.#scope.cancel();
    return this.#onCancel?.(order) ?? orderAnswer('cancelling_sent');
  }
}

/** The end of a job whose resource did not settle. */
export function unsettled(
  end: Refused | Extract<PollEnd<unknown>, { kind: 'expired' }>,
  what: string,
): { status: 'refused' | 'expired'; error: { code: string | null; message: string } } {
  if (end.kind === 'refused') {
    const { code, message } = end;
    return { status: 'refused', error: { code, message } };
  }
  const error = end.isLockedOut
    ? { code: 'credentials', message: 'the service refused our token until the deadline' }
    : { code: 'deadline', message: `${what} had not settled at the deadline` };
  return { status: 'expired', error };
}
