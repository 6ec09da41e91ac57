import { Context } from '@temporalio/activity';
import { inParallel } from '../archive/in-parallel';
import { MonitorLists } from '../archive/monitor-lists';
import { MonitorPasses } from '../archive/monitor-passes';
import { MonitorRecords } from '../archive/monitor-records';
import { isOpen } from '../domain/monitors/change';
import { blockOf } from '../domain/monitors/health';
import type { Fault, SweepTerms } from '../domain/monitors/sweep';
import {
  reconcileEveryMs,
  type LookReport,
  type PassOnFile,
  type DueMonitor,
} from '../domain/monitors/watch';
import type { MonitorDependencies } from './dependencies';
import { Heartbeats } from './heartbeats';
import { faultOf, patiently } from './monitor-calls';
import { healthToday } from './monitor-health';
import { isWanted } from './monitor-sweeps';

/** Monitors looked at at once: one that does not answer holds up one of these lanes. */
const width = 12;

export interface LookInput {
  /** Of the list of monitors. */
  list: { name: string; edition: string };
  page: number;
  terms: SweepTerms;
  /** Workflow id of the watch, for the record. */
  watch: string;
  /** Every monitor gets a walk over all states. */
  reconcileAll: boolean;
}

type Look = { monitorId: string; blocked: string | null } & (
  | { kind: 'idle' }
  | { kind: 'due'; isOpen: boolean; reconcile: boolean }
  | { kind: 'failing'; fault: Fault }
);

/** One look at many monitors: which of them has something open. An idle one costs one call. */
export function createMonitorLookActivities(deps: MonitorDependencies) {
  const records = new MonitorRecords(deps.archive, deps.nameOf);
  const lists = new MonitorLists(deps.archive);
  const passes = new MonitorPasses(deps.archive);
  const { monitors, metrics, now, random, warn } = deps;

  async function lookAtMonitors(input: LookInput): Promise<LookReport> {
    const { cancellationSignal: signal } = Context.current();
    const beats = new Heartbeats(now, 2_000);
    let refused = false;
    try {
      const ids = await lists.page(input.list, input.page);
      const looks = await inParallel(ids, width, async (monitorId): Promise<Look | null> => {
        if (refused) return null;
        const look = await lookAt(monitorId, input, signal);
        if (look.kind === 'failing' && look.fault.fault === 'credentials') refused = true;
        return look;
      });
      const done = looks.filter((look) => look !== null);
      await passes.putPass(input.list.name, input.page, passOf(done, input.watch, now()));
      return reportOf(done, refused);
    } finally {
      beats.stop();
    }
  }

  async function lookAt(monitorId: string, input: LookInput, signal: AbortSignal): Promise<Look> {
    let blocked: string | null = null;
    let isOpenThere = false;
    try {
      isOpenThere = await hasOpen(monitorId, input.terms, signal);
      blocked = blockOf(await healthToday(monitorId, records, deps, signal));
      await tellDigests(monitorId, input, signal);
    } catch (error) {
      const fault = faultOf(error);
      if (fault === null || signal.aborted) throw error;
      return { monitorId, blocked, kind: 'failing', fault };
    }
    const reconcile = input.reconcileAll || (await isReconcileDue(monitorId));
    return isOpenThere || reconcile
      ? { monitorId, blocked, kind: 'due', isOpen: isOpenThere, reconcile }
      : { monitorId, blocked, kind: 'idle' };
  }

  /** Repeats that a cooldown held back are told when it is over, whether there is news or not. */
  async function tellDigests(
    monitorId: string,
    { terms, watch }: LookInput,
    signal: AbortSignal,
  ): Promise<void> {
    const batch = { monitorId, sweep: watch, at: now() };
    const { waiting } = await deps.sinksFor(terms.cooldownMs).deliverDue(batch, signal);
    for (const why of waiting) warn('a digest waits', { monitor: monitorId, why });
  }

  /** One small page tells, unless the service lists what was not asked for: then a sweep finds out. */
  async function hasOpen(
    monitorId: string,
    terms: SweepTerms,
    signal: AbortSignal,
  ): Promise<boolean> {
    const severity = terms.severities?.length === 1 ? terms.severities[0] : undefined;
    const filter = { status: 'open', pageSize: 1, ...(severity && { severity }) } as const;
    const page = await patiently(() => monitors.listChanges(monitorId, filter, 'poll', signal), {
      random,
      signal,
      tries: 3,
    });
    const wanted = page.items.some(
      (item) => item.kind === 'change' && isOpen(item.change) && isWanted(item.change, terms),
    );
    return wanted || page.hasMore || page.items.some(({ kind }) => kind === 'unreadable');
  }

  async function isReconcileDue(monitorId: string): Promise<boolean> {
    const last = await passes.reconciled(monitorId);
    return last === null || now() - Date.parse(last.at) >= reconcileEveryMs;
  }

  function reportOf(looks: readonly Look[], credentials: boolean): LookReport {
    const due = looks.flatMap((look): DueMonitor[] => {
      if (look.kind !== 'due') return [];
      const { monitorId, isOpen: isOpenThere, reconcile } = look;
      return [{ monitorId, isOpen: isOpenThere, reconcile }];
    });
    const failing = looks.filter(({ kind }) => kind === 'failing').length;
    metrics.monitorsLooked('idle', looks.length - due.length - failing);
    metrics.monitorsLooked('due', due.length);
    metrics.monitorsLooked('failing', failing);
    const blocked = looks.filter((look) => look.blocked !== null).length;
    return { looked: looks.length, due, failing, blocked, credentials };
  }

  return { lookAtMonitors };
}

function passOf(looks: readonly Look[], watch: string, now: number): PassOnFile {
  const due = looks.filter((look) => look.kind === 'due');
  return {
    at: new Date(now).toISOString(),
    watch,
    looked: looks.length,
    open: due.filter((look) => look.isOpen).map(({ monitorId }) => monitorId),
    reconcile: due.filter((look) => look.reconcile).map(({ monitorId }) => monitorId),
    failing: looks.flatMap((look) =>
      look.kind === 'failing' ? [{ monitorId: look.monitorId, why: look.fault.message }] : [],
    ),
    blocked: looks.flatMap(({ monitorId, blocked }) =>
      blocked === null ? [] : [{ monitorId, why: blocked }],
    ),
  };
}
