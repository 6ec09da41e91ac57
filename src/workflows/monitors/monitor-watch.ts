import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  ActivityFailure,
  CancellationScope,
  ChildWorkflowFailure,
  ParentClosePolicy,
  allHandlersFinished,
  condition,
  continueAsNew,
  log,
  setHandler,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import { sweepEnd, watchEnd } from '../../domain/job-ends';
import type { SweepOutcome } from '../../domain/monitors/sweep';
import { sweepWorkflowId } from '../../domain/monitors/sweep';
import {
  mostSweeps,
  noWatchCounts,
  scheduleIdOf,
  sweepNote,
  type DueMonitor,
  type LookReport,
  type SweepNote,
  type WatchCounts,
  type WatchOutcome,
} from '../../domain/monitors/watch';
import {
  cancelUpdate,
  watchProgressQuery,
  type MonitorWatchInput,
  type WatchProgress,
} from '../messages';
import { monitorActivities } from './activities';
import type { monitorSweep } from './monitor-sweep';
import { attributesAtStart, tellEnd } from '../core/search-attributes';

/** A sweep that lasts longer gives its place to others, and goes on. */
const longestHeldMs = 10 * 60_000;
/** A look at a page that lasts longer lets the next page begin: a monitor in it may not answer. */
const longestAloneMs = 10_000;
const mostLooks = 8;
/** Events after which a run hands on to the next. */
const eventsPerRun = 4_000;

/**
 * One pass over many monitors: one look for each, a sweep for those that have something open. A
 * monitor that fails costs the others nothing; a sweep that runs already is told, never stacked.
 */
export async function monitorWatch(input: MonitorWatchInput): Promise<WatchOutcome> {
  return new WatchDriver(input).drive();
}

class WatchDriver {
  readonly #input: MonitorWatchInput;
  readonly #activities: ReturnType<typeof monitorActivities>;
  readonly #counts: WatchCounts;
  readonly #startedAt: string;
  #page: number;
  #looking = 0;
  #underWay = 0;
  #noting = 0;
  #stopped: WatchOutcome['stopped'] = null;

  constructor(input: MonitorWatchInput) {
    this.#input = input;
    this.#activities = monitorActivities(input.queueSuffix, input.interactive);
    this.#counts = { ...noWatchCounts(), ...input.carried?.counts };
    this.#startedAt = input.carried?.startedAt ?? new Date().toISOString();
    this.#page = input.carried?.page ?? 0;
    setHandler(watchProgressQuery, () => this.#progress());
    setHandler(cancelUpdate, () => {
      this.#stopped ??= 'cancelled';
      return 'cancelling: sweeps under way go on to their end';
    });
    CancellationScope.current().cancelRequested.catch(() => (this.#stopped ??= 'cancelled'));
  }

  async drive(): Promise<WatchOutcome> {
    return CancellationScope.nonCancellable(async () => {
      const { pages } = this.#input.list;
      while (this.#page < pages && this.#stopped === null) {
        if (workflowInfo().historyLength > (this.#input.eventsPerRun ?? eventsPerRun)) {
          await this.#handOn();
          continue;
        }
        await this.#nextPage();
      }
      await condition(() => this.#isIdle);
      const outcome: WatchOutcome = {
        watch: this.#watch,
        list: this.#input.list.name,
        stopped: this.#stopped,
        counts: this.#counts,
        startedAt: this.#startedAt,
        endedAt: new Date().toISOString(),
      };
      tellEnd(watchEnd(outcome));
      return outcome;
    });
  }

  get #isIdle(): boolean {
    return this.#looking + this.#underWay + this.#noting === 0;
  }

  get #watch(): string {
    return workflowInfo().workflowId;
  }

  async #nextPage(): Promise<void> {
    let isLooked = false;
    this.#looking += 1;
    const page = this.#page;
    const look = this.#look(page).finally(() => (isLooked = true));
    const begun = look
      .then((report) => (report === null ? undefined : this.#begin(page, report)))
      .finally(() => (this.#looking -= 1));
    this.#page += 1;
    if (await condition(() => isLooked, longestAloneMs)) await begun;
    else await condition(() => this.#looking < mostLooks);
  }

  async #look(page: number): Promise<LookReport | null> {
    const { list, terms, reconcileAll } = this.#input;
    const { name, edition } = list;
    try {
      const look = await this.#activities.lookAtMonitors({
        list: { name, edition },
        page,
        terms,
        reconcileAll,
        watch: this.#watch,
      });
      this.#counts.looked += look.looked;
      this.#counts.failing += look.failing;
      this.#counts.escalated += look.escalated;
      this.#counts.blocked += look.blocked;
      if (look.credentials) this.#stopped ??= 'credentials';
      return look;
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error;
      log.warn('a page of monitors could not be looked at', { page });
      this.#counts.lostPages += 1;
      return null;
    }
  }

  /** As places come free. */
  async #begin(page: number, { due, noted }: LookReport): Promise<void> {
    const sweeps: Promise<SweepNote | null>[] = [];
    await this.#beginSweeps(due, sweeps);
    this.#noting += 1;
    void this.#note(page, noted, sweeps).finally(() => (this.#noting -= 1));
  }

  async #beginSweeps(
    due: readonly DueMonitor[],
    sweeps: Promise<SweepNote | null>[],
  ): Promise<void> {
    for (const monitor of due) {
      // In a loop: several pages may wait for the place that comes free.
      while (this.#underWay >= mostSweeps && this.#stopped === null) {
        await condition(() => this.#underWay < mostSweeps || this.#stopped !== null);
      }
      if (this.#stopped !== null) return;
      this.#underWay += 1;
      sweeps.push(this.#sweep(monitor).finally(() => (this.#underWay -= 1)));
    }
  }

  /** What sweeps left stands in the pass on file, one entry a monitor: who looks there sees why. */
  async #note(
    page: number,
    noted: boolean,
    sweeps: readonly Promise<SweepNote | null>[],
  ): Promise<void> {
    const ended = (await Promise.all(sweeps)).filter((note) => note !== null);
    if (ended.length === 0 || (!noted && ended.every(({ left }) => left.length === 0))) return;
    try {
      await this.#activities.noteSweeps({ sweeps: ended });
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error;
      log.warn('what sweeps left could not be noted', { page });
    }
  }

  /** Null: it goes on, or another one runs already. */
  async #sweep({ monitorId, reconcile }: DueMonitor): Promise<SweepNote | null> {
    const { terms, by, queueSuffix, interactive, list } = this.#input;
    try {
      const child = await startChild<typeof monitorSweep>('monitorSweep', {
        workflowId: sweepWorkflowId(monitorId),
        args: [{ monitorId, by, terms, reconcile, interactive, queueSuffix, carried: null }],
        typedSearchAttributes: attributesAtStart('monitor-sweep', scheduleIdOf(list.name)),
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        parentClosePolicy: ParentClosePolicy.ABANDON,
      });
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
        return sweepNote(monitorId, outcome);
      }
      this.#counts.leftRunning += 1;
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      this.#counts.running += 1;
    }
    return null;
  }

  #count(outcome: SweepOutcome | null): void {
    if (outcome === null || outcome.status === 'failed') this.#counts.failed += 1;
    if (outcome === null || sweepEnd(outcome).needsAttention) this.#counts.escalated += 1;
    if (outcome === null) return;
    if (outcome.status === 'partly') this.#counts.partly += 1;
    this.#counts.filed += outcome.counts.filed + (outcome.reconciled?.found ?? 0);
    this.#counts.acknowledged += outcome.counts.acknowledged;
  }

  async #handOn(): Promise<void> {
    await condition(() => this.#isIdle);
    await condition(allHandlersFinished);
    // It may have been asked for meanwhile, and a run that follows would not know.
    if (this.#stopped !== null) return;
    const carried = { page: this.#page, counts: this.#counts, startedAt: this.#startedAt };
    await continueAsNew<typeof monitorWatch>({ ...this.#input, carried });
  }

  #progress(): WatchProgress {
    return {
      kind: 'monitor-watch',
      monitors: this.#input.list.monitors,
      counts: { ...this.#counts },
      underWay: this.#underWay,
      cancelling: this.#stopped !== null,
      startedAt: this.#startedAt,
    };
  }
}
