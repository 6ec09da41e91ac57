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
  addCounts,
  addStanding,
  beginWalk,
  isPastEnd,
  nextPage,
  noCounts,
  noStanding,
  standingAfter,
  untried,
  worseStanding,
  type Fault,
  type PageReport,
  type ReconcileWalk,
  type Standing,
  type Reconciled,
  type SweepOutcome,
  type SweepRef,
  type Walk,
} from '../../domain/monitors/sweep';
import {
  cancelUpdate,
  sweepProgressQuery,
  type CarriedSweep,
  type MonitorSweepInput,
  type SweepProgress,
} from '../messages';
import { monitorActivities } from './activities';
import { tellEnd } from '../core/search-attributes';

/** Pages after which a run hands on to the next: some 650 events. */
const pagesPerRun = 100;

/**
 * One pass over one monitor: what is open is delivered, then acknowledged, until nothing is left that
 * can be brought through now. Level-triggered: what is left stays open, and later passes go on.
 */
export async function monitorSweep(input: MonitorSweepInput): Promise<SweepOutcome> {
  return new SweepDriver(input).drive();
}

type Activities = ReturnType<typeof monitorActivities>;
type WalkReport = Awaited<ReturnType<Activities['reconcilePages']>> | { fault: Fault };

class SweepDriver {
  readonly #input: MonitorSweepInput;
  readonly #ref: SweepRef;
  readonly #activities: Activities;
  readonly #state: CarriedSweep;
  #pages = 0;
  #cancelling = false;

  constructor(input: MonitorSweepInput) {
    this.#input = input;
    this.#activities = monitorActivities(input.queueSuffix, input.interactive);
    this.#state = input.carried ?? begin(input);
    this.#ref = { monitorId: input.monitorId, sweep: this.#state.sweep, by: input.by };
    setHandler(sweepProgressQuery, () => this.#progress());
    setHandler(cancelUpdate, () => {
      this.#cancelling = true;
      return 'cancelling: the page under way is brought to its end';
    });
    CancellationScope.current().cancelRequested.catch(() => (this.#cancelling = true));
  }

  async drive(): Promise<SweepOutcome> {
    return CancellationScope.nonCancellable(async () => {
      let fault = await this.#sweep();
      const isDue = this.#input.reconcile || this.#state.lost;
      const mayGoOn = fault === null || fault.fault === 'unavailable';
      const reconciled = isDue && mayGoOn && !this.#cancelling ? await this.#reconcile() : null;
      fault ??= reconciled?.fault ?? null;
      await this.#tellStuck();
      const outcome = this.#outcome(fault, reconciled);
      tellEnd(sweepEnd(outcome));
      return outcome;
    });
  }

  async #sweep(): Promise<Fault | null> {
    for (;;) {
      const { walk } = this.#state;
      if (walk === null || this.#cancelling) return null;
      if (this.#pages >= pagesPerRun) {
        await this.#handOn();
        continue;
      }
      const page = await this.#page(walk);
      if (!('counts' in page)) return page.fault;
      this.#take(walk, page);
      if (page.fault !== null && !isPastEnd(walk, page.fault)) return page.fault;
      const next = nextPage(walk, page);
      if (next.kind === 'repeated') return next.fault;
      this.#state.walk = next.kind === 'done' ? null : next.walk;
    }
  }

  async #page(walk: Walk): Promise<PageReport | { fault: Fault }> {
    const [severity = null] = walk.phases;
    const { cursor, peek, size } = walk;
    const { terms } = this.#input;
    this.#pages += 1;
    const input = { ref: this.#ref, terms, severity, cursor, size, peek };
    return orFault(this.#activities.sweepPage(input));
  }

  #take(walk: Walk, page: PageReport): void {
    const state = this.#state;
    state.counts = addCounts(state.counts, page.counts);
    state.standing = worseStanding(state.standing, standingAfter(walk, page));
    state.tried = addStanding(state.tried, page.tried);
    state.remarks = [...new Set([...state.remarks, ...page.remarks])];
    state.lost ||= page.lost;
    state.why ??= page.why ?? null;
    state.health = page.health ?? state.health ?? [];
  }

  async #reconcile(): Promise<Reconciled> {
    const done: Reconciled = { pages: 0, found: 0, owed: 0, fault: null };
    let standing = noStanding();
    let walk: ReconcileWalk | null = null;
    do {
      const { terms } = this.#input;
      const report: WalkReport = await orFault(
        this.#activities.reconcilePages({ ref: this.#ref, terms, walk }),
      );
      done.fault = report.fault;
      walk = null;
      if (!('walk' in report)) break;
      done.pages += report.pages;
      done.found += report.found;
      done.owed += report.owed;
      standing = addStanding(standing, untried(report));
      this.#state.tried = addStanding(this.#state.tried, report.tried);
      walk = report.walk;
    } while (walk !== null && !this.#cancelling);
    this.#state.standing = worseStanding(this.#state.standing, standing);
    return walk === null ? this.#conclude(done) : done;
  }

  /** When the next walk is due depends on how this one ended. */
  async #conclude(done: Reconciled): Promise<Reconciled> {
    const { pages, found, owed, fault } = done;
    const isThrough = fault === null && owed === 0;
    const end = { ref: this.#ref, pages, found, isThrough };
    const concluded = await orFault(
      this.#activities.concludeReconcile(end).then(() => ({ fault: null })),
    );
    return { ...done, fault: fault ?? concluded.fault };
  }

  /** On record once a sweep. That it cannot be does not undo the sweep. */
  async #tellStuck(): Promise<void> {
    const { why } = this.#state;
    const standing = this.#standing;
    if (standing.stuck + standing.escalated === 0) return;
    await orFault(this.#activities.tellStuck({ ref: this.#ref, standing, why }));
  }

  async #handOn(): Promise<void> {
    // An update that is open when a run ends would fail. It may have been a cancel.
    await condition(allHandlersFinished);
    if (!this.#cancelling)
      await continueAsNew<typeof monitorSweep>({ ...this.#input, carried: this.#state });
  }

  #outcome(fault: Fault | null, reconciled: Reconciled | null): SweepOutcome {
    const { sweep, startedAt, counts, remarks, health = [] } = this.#state;
    const standing = this.#standing;
    const isLeft =
      standing.stuck + standing.unreadable > 0 || this.#cancelling || remarks.includes('no cursor');
    const found = reconciled?.found ?? 0;
    const didNothing = counts.delivered + counts.acknowledged + counts.elsewhere + found === 0;
    const status =
      fault === null ? (isLeft ? 'partly' : 'swept') : didNothing ? 'failed' : 'partly';
    return {
      monitorId: this.#input.monitorId,
      sweep,
      status,
      stopped: this.#cancelling ? 'cancelled' : null,
      fault,
      counts,
      standing,
      reconciled,
      remarks,
      health,
      startedAt,
      endedAt: new Date().toISOString(),
    };
  }

  get #standing(): Standing {
    return addStanding(this.#state.tried, this.#state.standing);
  }

  #progress(): SweepProgress {
    const { counts, startedAt, walk } = this.#state;
    return {
      kind: 'monitor-sweep',
      stage: walk === null ? 'reconciling' : 'sweeping',
      severity: walk?.phases[0] ?? null,
      counts,
      standing: this.#standing,
      cancelling: this.#cancelling,
      startedAt,
    };
  }
}

/** The name of a pass is its monitor and its instant: marks on file tell which pass made them. */
function begin({ monitorId, terms }: MonitorSweepInput): CarriedSweep {
  const startedAt = new Date().toISOString();
  return {
    sweep: `monitor-sweep/${monitorId}/${startedAt.replaceAll(/[-:.]/g, '')}`,
    startedAt,
    walk: beginWalk(terms),
    counts: noCounts(),
    standing: noStanding(),
    tried: noStanding(),
    remarks: [],
    lost: false,
    why: null,
  };
}

/** What an activity could not do in all its attempts is told, and costs no other monitor anything. */
async function orFault<T>(work: Promise<T>): Promise<T | { fault: Fault }> {
  try {
    return await work;
  } catch (error) {
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
    const message = error.cause?.message ?? error.message;
    return { fault: { fault: 'unavailable', message } };
  }
}
