import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  ActivityFailure,
  CancellationScope,
  ChildWorkflowFailure,
  allHandlersFinished,
  condition,
  continueAsNew,
  isCancellation,
  log,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { scanEnd, sweepEnd } from '../../domain/job-ends';
import {
  mostSweeps,
  noScanCounts,
  type DueMonitor,
  type ProbeReport,
  type ScanCounts,
  type ScanOutcome,
  type ScanRecord,
} from '../../domain/monitors/scan';
import { jobIdAt } from '../../domain/job';
import { sweepWorkflowId, type SweepOutcome } from '../../domain/monitors/sweep';
import { orderAnswer, type OrderAnswer } from '../../domain/order-answers';
import type { MonitorScanInput, MonitorSweepInput } from '../inputs';
import { cancelUpdate, scanProgressQuery, type CancelOrder, type ScanProgress } from '../messages';
import { monitorActivities } from './activities';
import { bothOrders, refuseRepeated } from '../core/cancel-order';
import { reportEnd } from '../core/search-attributes';
import { startJob } from '../core/start-job';

/** Pages of the list probed at once: a monitor that does not answer delays only its own page. */
const lanes = 4;
/** A longer sweep frees its slot and continues. */
const longestHeldMs = 10 * 60_000;
/** Events after which it continues as new. */
const eventsPerExecution = 4_000;

/**
 * Scans many monitors: one probe for each, a sweep for those with open changes. A monitor that fails does
 * not affect the others; a sweep that runs already is counted, not started again.
 */
export async function monitorScan(input: MonitorScanInput): Promise<ScanOutcome> {
  return new ScanDriver(input).drive();
}

class ScanDriver {
  readonly #input: MonitorScanInput;
  readonly #activities: ReturnType<typeof monitorActivities>;
  readonly #counts: ScanCounts;
  readonly #startedAt: string;
  readonly #record: ScanRecord;
  /** Scope of the running sweeps. */
  #sweeps: CancellationScope | null = null;
  /** It found something, or a person started it: it is a job. */
  #isStored: boolean;
  #page: number;
  #underWay = 0;
  #stopped: ScanOutcome['stopped'] = null;
  #order: CancelOrder | null = null;

  constructor(input: MonitorScanInput) {
    this.#input = input;
    this.#activities = monitorActivities(input.queueSuffix, input.interactive);
    this.#counts = input.carryover?.counts ?? noScanCounts();
    this.#startedAt = input.carryover?.startedAt ?? new Date().toISOString();
    this.#page = input.carryover?.page ?? 0;
    this.#isStored = input.carryover?.isStored ?? input.jobId !== null;
    this.#record = recordOf(input, this.#startedAt);
    setHandler(scanProgressQuery, () => this.#progress());
    const onCancel = (order: CancelOrder): OrderAnswer => {
      this.#order = bothOrders(this.#order, order);
      this.#stopped ??= 'cancelled';
      if (order.now) this.#sweeps?.cancel();
      return orderAnswer('cancelling');
    };
    setHandler(cancelUpdate, onCancel, {
      validator: (order) => refuseRepeated(this.#order, order),
    });
    CancellationScope.current().cancelRequested.catch(() => (this.#stopped ??= 'cancelled'));
  }

  async drive(): Promise<ScanOutcome> {
    return CancellationScope.nonCancellable(async () => {
      this.#sweeps = new CancellationScope();
      while (this.#hasMore) {
        await Promise.all(Array.from({ length: lanes }, () => this.#probePages()));
        await condition(() => this.#underWay === 0);
        if (this.#hasMore) await this.#continueAsNew();
      }
      const outcome: ScanOutcome = {
        scan: this.#record.jobId,
        list: this.#input.list.name,
        stopped: this.#stopped,
        counts: this.#counts,
        startedAt: this.#startedAt,
        endedAt: new Date().toISOString(),
      };
      const record = this.#record;
      if (this.#isStored)
        await this.#store(() => this.#activities.finalizeScan({ record, outcome }));
      reportEnd(scanEnd(outcome));
      return outcome;
    });
  }

  get #hasMore(): boolean {
    return this.#page < this.#input.list.pages && this.#stopped === null;
  }

  /** One lane: page by page, to the end or the event limit. */
  async #probePages(): Promise<void> {
    const most = this.#input.eventsPerExecution ?? eventsPerExecution;
    while (this.#hasMore && workflowInfo().historyLength <= most) {
      const page = this.#page;
      this.#page += 1;
      const report = await this.#probe(page);
      for (const monitor of report?.due ?? []) {
        // In a loop: several lanes may wait for the same free slot.
        while (this.#underWay >= mostSweeps && this.#stopped === null) {
          await condition(() => this.#underWay < mostSweeps || this.#stopped !== null);
        }
        if (this.#stopped !== null) return;
        this.#underWay += 1;
        void this.#sweep(monitor).finally(() => (this.#underWay -= 1));
      }
    }
  }

  /** Null: the probe failed. */
  async #probe(page: number): Promise<ProbeReport | null> {
    const counts = this.#counts;
    try {
      const report = await this.#activities.probeMonitors({ record: this.#record, page });
      this.#isStored ||= report.due.length + report.failing > 0;
      counts.probed += report.probed;
      counts.failing += report.failing;
      counts.escalated += report.escalated;
      if (report.isCredentials) this.#stopped ??= 'credentials';
      return report;
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error;
      log.warn('a page of monitors could not be probed', { page });
      counts.lostPages += 1;
      this.#isStored = true;
      return null;
    }
  }

  async #sweep({ monitorId, reconcile }: DueMonitor): Promise<void> {
    const { terms, by: createdBy, queueSuffix, interactive } = this.#input;
    const createdAt = new Date().toISOString();
    const jobId = jobIdAt(sweepWorkflowId(monitorId), new Date(createdAt));
    const record = { jobId, monitorId, terms, reconcile, createdAt, createdBy };
    const sweep: MonitorSweepInput = { record, interactive, queueSuffix, carryover: null };
    const start = () => startJob('monitor-sweep', jobId, sweep);
    try {
      const child = await (this.#sweeps?.run(start) ?? start());
      this.#counts.sweeps += 1;
      let outcome: SweepOutcome | null = null;
      let isOver = false;
      const ended = child
        .result()
        .then((result) => (outcome = result))
        .catch((error: unknown) => {
          if (!(error instanceof ChildWorkflowFailure)) throw error;
        })
        .finally(() => (isOver = true));
      if (await condition(() => isOver, longestHeldMs)) {
        await ended;
        this.#count(outcome);
      } else this.#counts.leftRunning += 1;
    } catch (error) {
      // Cancelled before it started.
      if (isCancellation(error)) return;
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      this.#counts.running += 1;
    }
  }

  /** Null: no outcome. */
  #count(outcome: SweepOutcome | null): void {
    const counts = this.#counts;
    if (outcome === null || outcome.status === 'failed') counts.failed += 1;
    if (outcome === null || sweepEnd(outcome).needsAttention) counts.escalated += 1;
    if (outcome === null) return;
    if (outcome.status === 'partly') counts.partly += 1;
    counts.stored += outcome.counts.stored + (outcome.reconciled?.found ?? 0);
    counts.acknowledged += outcome.counts.acknowledged;
  }

  /** A failure to store the end does not undo the scan. */
  async #store(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error;
      log.warn('the end of a scan could not be stored');
    }
  }

  async #continueAsNew(): Promise<void> {
    await condition(allHandlersFinished);
    // It may have been cancelled meanwhile, and the next execution would not know.
    if (this.#stopped !== null) return;
    const carryover = {
      page: this.#page,
      counts: this.#counts,
      startedAt: this.#startedAt,
      isStored: this.#isStored,
    };
    await continueAsNew<typeof monitorScan>({ ...this.#input, carryover });
  }

  #progress(): ScanProgress {
    return {
      kind: 'monitor-scan',
      monitors: this.#input.list.monitors,
      counts: { ...this.#counts },
      underWay: this.#underWay,
      cancelling: this.#stopped !== null,
      startedAt: this.#startedAt,
    };
  }
}

function recordOf(
  { by: createdBy, list, reconcileAll, terms, jobId }: MonitorScanInput,
  createdAt: string,
): ScanRecord {
  const { workflowId } = workflowInfo();
  const own = `monitor-scan/${list.name}/${createdAt.replaceAll(/[-:.]/g, '')}`;
  return { jobId: jobId ?? own, workflowId, list, terms, reconcileAll, createdAt, createdBy };
}
