import {
  ActivityFailure,
  CancellationScope,
  allHandlersFinished,
  condition,
  continueAsNew,
  isCancellation,
  setHandler,
} from '@temporalio/workflow';
import { sweepEnd } from '../../domain/job-ends';
import {
  addSums,
  emptyBacklog,
  noCounts,
  sweepOutcome,
  type Fault,
  type Reconciled,
  type SweepEnd,
  type SweepOutcome,
  type SweepRef,
} from '../../domain/monitors/sweep';
import { firstWalk, type ReconcileWalk } from '../../domain/monitors/walk';
import { orderAnswer, type OrderAnswer } from '../../domain/order-answers';
import type { MonitorSweepInput, SweepCarryover } from '../inputs';
import {
  cancelUpdate,
  sweepProgressQuery,
  type CancelOrder,
  type SweepProgress,
} from '../messages';
import { monitorActivities } from './activities';
import { bothOrders, refuseRepeated } from '../core/cancel-order';
import { reportEnd } from '../core/search-attributes';

/** Activities per execution before it continues as new: some 650 events. */
const activitiesPerExecution = 100;

/**
 * One sweep of one monitor: delivers what is open, then acknowledges it, until nothing is left that can be
 * settled now. Level-triggered: what stays open is for later sweeps.
 */
export async function monitorSweep(input: MonitorSweepInput): Promise<SweepOutcome> {
  return new SweepDriver(input).drive();
}

class SweepDriver {
  readonly #input: MonitorSweepInput;
  readonly #ref: SweepRef;
  readonly #activities: ReturnType<typeof monitorActivities>;
  readonly #state: SweepCarryover;
  #activitiesBegun = 0;
  #cancelling = false;
  #order: CancelOrder | null = null;

  constructor(input: MonitorSweepInput) {
    const { createdBy: by, monitorId, jobId: sweep } = input.record;
    this.#input = input;
    this.#activities = monitorActivities(input.queueSuffix, input.interactive);
    this.#state = input.carryover ?? newSweep();
    this.#ref = { monitorId, sweep, by };
    setHandler(sweepProgressQuery, () => this.#progress());
    const onCancel = (order: CancelOrder): OrderAnswer => {
      this.#order = bothOrders(this.#order, order);
      this.#cancelling = true;
      return orderAnswer('cancelling');
    };
    setHandler(cancelUpdate, onCancel, {
      validator: (order) => refuseRepeated(this.#order, order),
    });
    CancellationScope.current().cancelRequested.catch(() => this.#stop());
  }

  async drive(): Promise<SweepOutcome> {
    return CancellationScope.nonCancellable(async () => {
      const fault = await this.#sweep();
      const isDue = this.#input.record.reconcile || this.#state.unsure;
      const mayGoOn = fault === null || fault.fault === 'unavailable';
      const reconciled = isDue && mayGoOn && !this.#cancelling ? await this.#reconcile() : null;
      const outcome = await this.#finalize({
        counts: this.#state.counts,
        warnings: this.#state.warnings,
        fault: fault ?? reconciled?.fault ?? null,
        reconciled,
        stopped: this.#cancelling ? 'cancelled' : null,
      });
      reportEnd(sweepEnd(outcome));
      return outcome;
    });
  }

  async #sweep(): Promise<Fault | null> {
    const state = this.#state;
    for (;;) {
      const { walk } = state;
      if (walk === null || this.#cancelling) return null;
      if (this.#activitiesBegun >= activitiesPerExecution) {
        await this.#continueAsNew();
        continue;
      }
      const { carryover, record } = this.#input;
      const isFirst = carryover === null && this.#activitiesBegun === 0;
      this.#activitiesBegun += 1;
      const report = await orFault(
        this.#activities.sweepPages({
          ref: this.#ref,
          terms: record.terms,
          walk,
          ...(isFirst && { begins: record }),
        }),
      );
      if (!('counts' in report)) return report.fault;
      Object.assign(state, addSums(state, report), { walk: report.walk });
      this.#cancelling ||= report.isStopped;
      if (report.fault !== null) return report.fault;
    }
  }

  /** A scan or Temporal cancels it: the store holds no stop mark of an order. */
  async #stop(): Promise<void> {
    this.#cancelling = true;
    await CancellationScope.nonCancellable(() => orFault(this.#activities.stopSweep(this.#ref)));
  }

  /** Null: cancelled before its end. */
  async #reconcile(): Promise<Reconciled | null> {
    let sum: Reconciled = { pages: 0, found: 0, pending: 0, fault: null };
    let walk: ReconcileWalk | null = null;
    do {
      const report = await this.#reconcilePages(walk);
      if (!('walk' in report)) return { ...sum, fault: report.fault };
      sum = {
        pages: sum.pages + report.pages,
        found: sum.found + report.found,
        pending: sum.pending + report.pending,
        fault: report.fault,
      };
      walk = report.walk;
    } while (walk !== null && !this.#cancelling);
    return walk === null ? sum : null;
  }

  #reconcilePages(walk: ReconcileWalk | null) {
    const { terms } = this.#input.record;
    return orFault(this.#activities.reconcilePages({ ref: this.#ref, terms, walk }));
  }

  /** A failure to store the end does not undo the sweep. */
  async #finalize(end: SweepEnd): Promise<SweepOutcome> {
    const { record } = this.#input;
    const stored = await orFault(this.#activities.finalizeSweep({ record, end }));
    if ('status' in stored) return stored;
    const fault = end.fault ?? stored.fault;
    const left = { backlog: emptyBacklog, health: [] };
    return sweepOutcome(record, { ...end, fault }, left, new Date().toISOString());
  }

  async #continueAsNew(): Promise<void> {
    // An open update, perhaps a cancellation, would fail when the execution ends.
    await condition(allHandlersFinished);
    if (!this.#cancelling)
      await continueAsNew<typeof monitorSweep>({ ...this.#input, carryover: this.#state });
  }

  #progress(): SweepProgress {
    const { counts, walk } = this.#state;
    return {
      kind: 'monitor-sweep',
      stage: walk === null ? 'reconciling' : 'sweeping',
      counts,
      cancelling: this.#cancelling,
      startedAt: this.#input.record.createdAt,
    };
  }
}

function newSweep(): SweepCarryover {
  return { walk: firstWalk, counts: noCounts(), warnings: [], unsure: false };
}

/** An activity that failed in all its attempts is reported and does not affect other monitors. */
async function orFault<T>(work: Promise<T>): Promise<T | { fault: Fault }> {
  try {
    return await work;
  } catch (error) {
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
    const message = error.cause?.message ?? error.message;
    return { fault: { fault: 'unavailable', message } };
  }
}
