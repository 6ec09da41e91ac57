import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  ActivityFailure,
  CancellationScope,
  ChildWorkflowFailure,
  condition,
  getExternalWorkflowHandle,
  log,
  setHandler,
} from '@temporalio/workflow';
import { type ChildCounts, type ChildJob } from '../../domain/core/job-batch';
import { workflowIdOf } from '../../domain/job';
import { orderAnswer, type OrderAnswer } from '../../domain/order-answers';
import { refuseOrder, refuseRepeated } from './cancel-order';
import type { BatchCarryover, JobBatchInput } from '../inputs';
import {
  cancelUpdate,
  jobBatchProgressQuery,
  pauseUpdate,
  resumeUpdate,
  type Waiting,
} from '../messages';
import { RowBudget } from './row-budget';
import { reportEnd } from './search-attributes';
import type { jobBatchActivities } from './job-batch-activities';

/** After this time a child job that this execution did not see start is started again. */
const firstLookMs = 10 * 60_000;
const longestLookMs = 6 * 3_600_000;
/** A child job is five events. */
const usualRows = 200;

type Child = Pick<ChildJob, 'jobId' | 'terms'>;

/** A child that has started. */
export interface StartedChild {
  result(): Promise<{ status: string }>;
}

export interface ChildRules {
  activities: ReturnType<typeof jobBatchActivities>;
  /** The child outlives the batch: requests already sent are completed. */
  start(child: Child, deadlineAt: number): Promise<StartedChild>;
  /** Does not return. */
  continueAsNew(carryover: BatchCarryover): Promise<never>;
}

/**
 * Concurrent child jobs, each under its own id. An execution drives a part of the list and passes running
 * children to the next, so that there may be any number of them.
 */
export class ChildJobs {
  readonly #input: JobBatchInput;
  readonly #rules: ChildRules;
  readonly #counts: ChildCounts;
  readonly #budget: RowBudget;
  /** Running children by id; whether this batch started each. */
  readonly #underWay = new Map<string, Child & { isOwn: boolean }>();
  #open: Child[] = [];
  /** The last item of this execution's rows; null: no more rows. */
  #last: number | null = null;
  #starting = 0;
  #paused: boolean;
  #cancel: 'wait' | 'now' | null = null;
  /** All have ended. */
  #isOver = false;

  constructor(input: JobBatchInput, rules: ChildRules) {
    this.#input = input;
    this.#rules = rules;
    this.#counts = { ...input.carryover.counts };
    this.#paused = input.carryover.paused;
    this.#budget = new RowBudget(input, () => this.#rowsToStart);
    setHandler(jobBatchProgressQuery, () => ({
      kind: input.kind,
      total: input.children,
      counts: { ...this.#counts },
      underWay: this.#underWay.size,
      waiting: this.#waiting,
      paused: this.#paused,
      cancelling: this.#cancel !== null,
    }));
    const onPause = (): OrderAnswer => {
      this.#paused = true;
      return orderAnswer('paused_rows');
    };
    setHandler(pauseUpdate, onPause, {
      validator: () => {
        this.#refuseOver();
        if (this.#cancel !== null) refuseOrder('is_cancelling');
      },
    });
    const onResume = (): OrderAnswer => {
      this.#paused = false;
      return this.#budget.refill() ?? orderAnswer('goes_on');
    };
    setHandler(resumeUpdate, onResume, {
      validator: () => {
        if (!this.#paused && this.#budget.reached === null) refuseOrder('not_paused');
      },
    });
    const onCancel = ({ now }: { now: boolean }): OrderAnswer => {
      this.#cancelAll(now ? 'now' : 'wait');
      return orderAnswer('cancelling');
    };
    setHandler(cancelUpdate, onCancel, {
      validator: ({ now }) => {
        this.#refuseOver();
        refuseRepeated(this.#cancel && { now: this.#cancel === 'now' }, { now });
      },
    });
    CancellationScope.current().cancelRequested.catch(() => this.#cancelAll('wait'));
  }

  /** @returns counts of their outcomes; the outcomes are in the store */
  async drive(): Promise<ChildCounts> {
    return CancellationScope.nonCancellable(async () => {
      const { carryover, concurrency, folder, rowsPerExecution = usualRows } = this.#input;
      const { open, ended, last } = await this.#rules.activities.readRows({
        folder,
        after: carryover.after,
        limit: rowsPerExecution,
      });
      for (const status of ended) this.#count(status);
      this.#open = open;
      this.#last = last;
      const carried = carryover.underWay.map((child) => {
        this.#underWay.set(child.jobId, child);
        return this.#follow(child, true);
      });
      const slots = Array.from({ length: concurrency }, () => this.#fillSlot());
      this.#budget.report();
      const all = Promise.all([...carried, ...slots]);
      await Promise.race([all, condition(() => this.#mayContinue())]);
      if (this.#mayContinue()) await this.#budget.settled();
      if (this.#mayContinue()) return this.#rules.continueAsNew(this.#toCarry());
      await all;
      this.#isOver = true;
      const cancelled = this.#cancel !== null;
      const counts = this.#counts;
      reportEnd(await this.#rules.activities.finalizeBatch({ folder, cancelled, counts }));
      return counts;
    });
  }

  /** More rows wait, all of these have started, and a slot is free. */
  #mayContinue(): boolean {
    return (
      this.#last !== null &&
      this.#cancel === null &&
      this.#open.length === 0 &&
      this.#starting === 0 &&
      this.#underWay.size < this.#input.concurrency
    );
  }

  /** Rows that wait only for a slot, including those of later executions. */
  get #rowsToStart(): number {
    if (this.#open.length === 0 || this.#cancel !== null) return 0;
    const ended = Object.values(this.#counts).reduce<number>((sum, count = 0) => sum + count, 0);
    return this.#input.children - ended - this.#underWay.size;
  }

  get #waiting(): Waiting | null {
    const { reached } = this.#budget;
    return reached && { reason: 'budget', until: null, budget: reached };
  }

  #toCarry(): BatchCarryover {
    const budget = this.#budget.state;
    return {
      after: this.#last ?? 0,
      underWay: [...this.#underWay.values()],
      counts: this.#counts,
      paused: this.#paused,
      ...(budget !== undefined && { budget }),
    };
  }

  /** Starts one child job after another while there are any. */
  async #fillSlot(): Promise<void> {
    const { concurrency } = this.#input;
    for (;;) {
      const isOver = (): boolean => this.#open.length === 0 || this.#cancel !== null;
      // Children of the previous execution use its slots.
      const isFree = (): boolean =>
        !this.#paused && this.#underWay.size < concurrency && this.#budget.coversRow;
      await condition(() => isOver() || isFree());
      if (isOver()) return;
      // One free slot wakes several.
      if (!isFree()) continue;
      const child = this.#open.shift();
      if (child === undefined) return;
      this.#underWay.set(child.jobId, { ...child, isOwn: false });
      this.#budget.take();
      await this.#follow(child, false);
    }
  }

  async #follow(child: Child, isUnderWay: boolean): Promise<void> {
    const status = await this.#endOf(child, isUnderWay);
    const isOwn = this.#underWay.get(child.jobId)?.isOwn === true;
    this.#underWay.delete(child.jobId);
    this.#count(status ?? 'lost');
    if (!isOwn) this.#budget.giveBack();
  }

  /** Null: the store has no outcome, and it is not to be started. */
  async #endOf(child: Child, isUnderWay: boolean): Promise<string | null> {
    const { deadlineMs } = this.#input;
    const leftAt = Date.now() + deadlineMs;
    let lookMs = firstLookMs;
    for (let look = isUnderWay; ; look = true) {
      if (look) {
        const status = await this.#lookFor(child, lookMs);
        if (status !== null) return status;
        lookMs = Math.min(lookMs * 2, longestLookMs);
        if (this.#cancel === 'now') return null;
        // Running children are completed; no new one starts.
        if (this.#cancel === 'wait' && Date.now() >= leftAt) return null;
        if (this.#cancel === 'wait') continue;
      }
      const started = await this.#start(child);
      if (started === null) continue;
      try {
        return (await started.result()).status;
      } catch (error) {
        if (!(error instanceof ChildWorkflowFailure)) throw error;
        log.warn('a child job of the batch did not end well');
        return this.#lookFor(child, 0);
      }
    }
  }

  /** Null: it runs already, started by an earlier execution or by a person. */
  async #start(child: Child): Promise<StartedChild | null> {
    const { jobId } = child;
    this.#starting += 1;
    try {
      const started = await this.#rules.start(child, Date.now() + this.#input.deadlineMs);
      this.#underWay.set(jobId, { ...child, isOwn: true });
      if (this.#cancel === 'now') this.#cancelChild(jobId);
      return started;
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return null;
      throw error;
    } finally {
      this.#starting -= 1;
    }
  }

  async #lookFor({ jobId }: Child, forMs: number): Promise<string | null> {
    const isOwn = this.#underWay.get(jobId)?.isOwn === true;
    try {
      return await this.#rules.activities.awaitChild({ jobId, isOwn, until: Date.now() + forMs });
    } catch (error) {
      if (error instanceof ActivityFailure) return null;
      throw error;
    }
  }

  #cancelAll(how: 'wait' | 'now'): void {
    this.#cancel = how === 'now' ? how : (this.#cancel ?? how);
    this.#budget.report();
    if (how === 'wait') return;
    for (const { jobId, isOwn } of this.#underWay.values()) if (isOwn) this.#cancelChild(jobId);
  }

  #refuseOver(): void {
    if (this.#isOver) refuseOrder('storing');
  }

  /** Ignores a child that has ended meanwhile. */
  #cancelChild(jobId: string): void {
    getExternalWorkflowHandle(workflowIdOf(jobId))
      .cancel()
      .catch(() => undefined);
  }

  #count(status: string): void {
    this.#counts[status] = (this.#counts[status] ?? 0) + 1;
  }
}
