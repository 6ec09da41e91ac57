import { Context } from '@temporalio/activity';
import { inParallel } from '../../store/core/in-parallel';
import { isOpen } from '../../domain/monitors/change';
import { blockOf, unknownOf, unwellOf } from '../../domain/monitors/health';
import type { Fault, SweepTerms } from '../../domain/monitors/sweep';
import {
  isWalkDue,
  type DueMonitor,
  type LookReport,
  type PassOnFile,
} from '../../domain/monitors/watch';
import { MonitorListRepository } from '../../store/monitors/lists';
import { MonitorRepository } from '../../store/monitors/monitors';
import type { MonitorDependencies } from '../dependencies';
import { Heartbeats } from '../core/heartbeats';
import { faultOf, withRetries } from '../core/with-retries';
import { healthToday } from './health';
import { isWanted } from './sweeps';

/** Monitors looked at at once: one that does not answer holds up one of these lanes. */
const width = 12;
/** A service may refuse one monitor with the words of a refused token. This many one after the other are the token. */
const mostRefused = 12;

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

interface Seen {
  monitorId: string;
  blocked: string | null;
  /** Why nobody knows whether it may run. */
  unknown: string | null;
  unwell: string | null;
  /** Repeats that a cooldown held back are due: a sweep tells them, one at a time. */
  digests: boolean;
}

type Look = Seen &
  (
    | { kind: 'idle' }
    | { kind: 'due'; isOpen: boolean; reconcile: boolean }
    | { kind: 'failing'; fault: Fault }
  );

/** One look at many monitors: which of them has something open. An idle one costs one call. */
export function createMonitorLookActivities(deps: MonitorDependencies) {
  const known = new MonitorRepository(deps.store, deps.nameOf);
  const lists = new MonitorListRepository(deps.store);
  const { monitors, metrics, now, random, warn } = deps;

  async function lookAtMonitors(input: LookInput): Promise<LookReport> {
    const { cancellationSignal: signal } = Context.current();
    const beats = new Heartbeats(now, 2_000);
    let refused = 0;
    let answered = 0;
    try {
      const ids = await lists.page(input.list, input.page);
      const looks = await inParallel(ids, width, async (monitorId): Promise<Look | null> => {
        if (refused >= mostRefused) return null;
        const look = await lookAt(monitorId, input, signal);
        if (look.kind === 'failing' && look.fault.fault === 'credentials') refused += 1;
        else {
          refused = 0;
          answered += 1;
        }
        return look;
      });
      const isRefused = refused >= mostRefused || (refused > 0 && answered === 0);
      const done = looks.filter((look) => look !== null);
      const { name } = input.list;
      await lists.putLook(name, input.page, passOf(done, input.watch, now()), ids);
      const left = await lists.left(ids);
      return { ...reportOf(done, isRefused), noted: left.length > 0 };
    } finally {
      beats.stop();
    }
  }

  async function lookAt(monitorId: string, input: LookInput, signal: AbortSignal): Promise<Look> {
    const seen: Seen = { monitorId, blocked: null, unknown: null, unwell: null, digests: false };
    try {
      seen.digests = await deps.sinksFor(input.terms.cooldownMs).hasDue(monitorId, now());
      const isOpenThere = await hasOpen(monitorId, input.terms, signal);
      const health = await healthToday(monitorId, known, deps, signal);
      seen.blocked = blockOf(health);
      seen.unknown = unknownOf(health);
      seen.unwell = unwellOf(health);
      const reconcile = input.reconcileAll || isWalkDue((await known.get(monitorId))?.walks, now());
      return isOpenThere || reconcile || seen.digests
        ? { ...seen, kind: 'due', isOpen: isOpenThere, reconcile }
        : { ...seen, kind: 'idle' };
    } catch (error) {
      if (signal.aborted) throw error;
      return { ...seen, kind: 'failing', fault: faultOf(error) ?? ownFault(monitorId, error) };
    }
  }

  /** What is on file of one monitor and cannot be read costs the others nothing. */
  function ownFault(monitorId: string, error: unknown): Fault {
    const { name } = error instanceof Error ? error : { name: 'an error' };
    warn('a monitor could not be looked at', { monitor: monitorId, why: String(error) });
    return {
      fault: 'unavailable',
      message: `what is on file of it could not be read or written (${name}): the log of the worker tells more`,
    };
  }

  /** One small page tells, unless the service lists what was not asked for: then a sweep finds out. */
  async function hasOpen(
    monitorId: string,
    terms: SweepTerms,
    signal: AbortSignal,
  ): Promise<boolean> {
    const severity = terms.severities?.length === 1 ? terms.severities[0] : undefined;
    const filter = { status: 'open', pageSize: 1, ...(severity && { severity }) } as const;
    const page = await withRetries(() => monitors.listChanges(monitorId, filter, 'poll', signal), {
      random,
      signal,
      tries: 3,
    });
    const wanted = page.items.some(
      (item) => item.kind === 'change' && isOpen(item.change) && isWanted(item.change, terms),
    );
    return wanted || page.hasMore || page.items.some(({ kind }) => kind === 'unreadable');
  }

  function reportOf(looks: readonly Look[], credentials: boolean): Omit<LookReport, 'noted'> {
    const due = looks.flatMap((look): DueMonitor[] => {
      const { monitorId } = look;
      if (look.kind === 'due') {
        return [{ monitorId, isOpen: look.isOpen, reconcile: look.reconcile }];
      }
      const isOwed = look.kind === 'failing' && look.digests;
      return isOwed ? [{ monitorId, isOpen: false, reconcile: false }] : [];
    });
    const faults = looks.flatMap((look) => (look.kind === 'failing' ? [look.fault.fault] : []));
    const failing = faults.length;
    // One that the service does not know, or refuses, does not come back by itself.
    const escalated = faults.filter((fault) => fault !== 'unavailable').length;
    for (const kind of ['idle', 'due'] as const) {
      metrics.monitorsLooked(kind, looks.filter((look) => look.kind === kind).length);
    }
    metrics.monitorsLooked('failing', failing);
    const blocked = looks.filter((look) => look.blocked !== null).length;
    return { looked: looks.length, due, failing, escalated, blocked, credentials };
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
    unknown: looks.flatMap(({ monitorId, unknown }) =>
      unknown === null ? [] : [{ monitorId, why: unknown }],
    ),
    unwell: looks.flatMap(({ monitorId, unwell }) =>
      unwell === null ? [] : [{ monitorId, why: unwell }],
    ),
  };
}
