import { ApplicationFailure } from '@temporalio/common';
import { CancellationScope, isCancellation, setHandler } from '@temporalio/workflow';
import {
  waitingForCredentials,
  type Polled,
  type PollRequest,
  type Refused,
} from '../../domain/core/service/poll-request';
import { endOf, type WaitReason, type WaitScope } from '../../domain/attention';
import type { JobEnd, JobKind } from '../../domain/job';
import { orderAnswer } from '../../domain/order-answers';
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
import { bothOrders, refuseRepeated } from './cancel-order';
import { reportEnd } from './search-attributes';
import { Waits } from './waits';

/** What one kind of job does; `runJob` does what all of them do. */
export interface JobDescriptor<Ending, Outcome> {
  kind: JobKind;
  /** Of the job, in the store. */
  folder: string;
  /** What it begins with. */
  stage: string;
  /** From the request to what it came to. Not cancelled itself: see `Job.cancellable`. */
  steps(job: Job): Promise<Ending>;
  /** Stores the outcome. Repeated, what was stored first stands. */
  finalize(ending: Ending & { startedAt: string }): Promise<Outcome>;
  /** Left out: by its status alone. */
  end?(outcome: Outcome): JobEnd;
  /** Tells what else must know of a cancellation; returns what it is answered with. Left out: what was sent goes on. */
  onCancel?(order: CancelOrder): string;
  /** Tries again at once what is waited for; left out: nothing can. */
  onResume?(): string;
}

/** Drives one job to its outcome. What has started is put on record whatever is cancelled meanwhile. */
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

/** A job that runs: its progress, its cancellation, and polling that shows what it waits for. */
export class Job {
  readonly progress: JobProgress;
  /** What a cancellation ends. */
  readonly #scope = new CancellationScope();
  readonly #waits: Waits;
  readonly #onCancel: ((order: CancelOrder) => string) | undefined;
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
        // After the steps there is nothing that a second one could still leave.
        if (this.#isOver && (this.#order === null || order.remote === true))
          throw ApplicationFailure.nonRetryable(orderAnswer('settled'), 'TooLate');
        refuseRepeated(this.#order, order);
      },
    });
    setHandler(cancelSignal, (order) => void this.#cancel(order));
    if (onResume !== undefined) setHandler(resumeUpdate, onResume);
    CancellationScope.current().cancelRequested.catch(() => this.#cancel({ now: true }));
  }

  /** The cancellation that somebody asked for, or all that several did; null: nobody did. */
  get order(): CancelOrder | null {
    return this.#order;
  }

  /** Rejects when it is cancelled. */
  get cancelRequested(): Promise<never> {
    return this.#scope.cancelRequested;
  }

  /** Runs what a cancellation ends. After it, cancellations are refused. */
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

  /** @param onChange returns what the job waits for meanwhile; left out: the status is its stage */
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

  /** Shows what keeps it, and whether a person is needed for it to go on. */
  waitFor(reason: WaitingFor | null): void {
    this.progress.waiting = reason === null ? null : { reason, until: null };
    // The decision that single jobs wait for is that of a review.
    const needed = reason === 'decision' ? 'review' : reason === 'credentials' ? reason : null;
    this.#waits.report(needed);
  }

  /** A person is needed for a reason of its kind. */
  report(reason: WaitReason | null, about: WaitScope): void {
    this.#waits.report(reason, about);
  }

  close(): void {
    this.#isOver = true;
    this.progress.stage = 'done';
    this.progress.waiting = null;
  }

  #cancel(given: CancelOrder): string {
    const order = bothOrders(this.#order, given);
    this.#order = order;
    this.progress.cancelling = true;
    this.#scope.cancel();
    return this.#onCancel?.(order) ?? orderAnswer('cancelling_sent');
  }
}

/** How a job ends whose resource did not settle. */
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
