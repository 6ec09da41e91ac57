import { Context } from '@temporalio/activity';
import { classifyFailure, isCallFailure } from '../../apis/http/classify';
import { ContractError, StatusError } from '../../apis/http/errors';
import { inParallel } from '../../store/core/in-parallel';
import { isOpen } from '../../domain/monitors/change';
import {
  healthEveryMs,
  healthNotes,
  healthOf,
  type HealthNote,
} from '../../domain/monitors/health';
import type { HealthOnFile, UnknownHealth } from '../../domain/monitors/stored';
import {
  isReconcileDue,
  type DueMonitor,
  type MonitorNote,
  type ProbeReport,
  type ScanOutcome,
  type ScanRecord,
} from '../../domain/monitors/scan';
import type { Fault, SweepTerms } from '../../domain/monitors/sweep';
import { monitorRecords, type MonitorRecords } from '../../store/monitors/records';
import type { MonitorDependencies } from '../dependencies';
import { Heartbeats } from '../core/heartbeats';
import { faultOf, withRetries } from './with-retries';
import { isWanted, severityFilter } from './list-page';

/** Monitors probed at once: one that does not answer blocks one of these lanes. */
const width = 12;
/** A service may refuse one monitor as it refuses a token. This many refusals in a row mean the token. */
const mostRefused = 12;

export interface ProbeInput {
  record: ScanRecord;
  /** Page number of its list. */
  page: number;
}

/** Result of one probe. */
interface Probe {
  monitorId: string;
  isOpen: boolean;
  reconcile: boolean;
  /** Digests whose cooldown has ended are due: a sweep delivers them in sequence. */
  hasDigests: boolean;
  health: HealthNote[];
  fault: Fault | null;
}

type ProbeContext = MonitorDependencies & { records: MonitorRecords; signal: AbortSignal };

/** Time per page of monitors: then a probe is retried less, in case the service is down. */
const patienceMs = 30_000;
const triesAfter = 3;

/** Probes many monitors for open changes. An idle one costs one call. */
export function createMonitorProbeActivities(deps: MonitorDependencies) {
  const records = monitorRecords(deps.store, deps.nameOf);

  async function probeMonitors(input: ProbeInput): Promise<ProbeReport> {
    const ctx = { ...deps, records, signal: Context.current().cancellationSignal };
    const { page, record } = input;
    const { list, jobId: scan } = record;
    const beats = new Heartbeats(deps.now, 2_000);
    const patientUntil = deps.now() + patienceMs;
    let refused = 0;
    let answered = 0;
    try {
      const ids = await records.lists.page(list, page);
      const found = await inParallel(ids, width, async (monitorId): Promise<Probe | null> => {
        if (refused >= mostRefused) return null;
        const probe = await probeOne(ctx, monitorId, record, patientUntil);
        if (probe.fault?.fault === 'credentials') refused += 1;
        else {
          refused = 0;
          answered += 1;
        }
        return probe;
      });
      const probes = found.filter((probe) => probe !== null);
      const notes = probes.flatMap(notesOf);
      const open = probes.filter((probe) => probe.isOpen).map(({ monitorId }) => monitorId);
      const at = new Date(deps.now()).toISOString();
      const scanned = { at, scan, probed: probes.length, open, notes };
      await records.lists.putScan(list.name, page, scanned, ids);
      const report = reportOf(probes);
      // A probe that finds nothing is a count, not a job.
      if (report.due.length + report.failing > 0) await records.scans.begin(record);
      const isCredentials = refused >= mostRefused || (refused > 0 && answered === 0);
      return { ...report, isCredentials };
    } finally {
      beats.stop();
    }
  }

  function reportOf(probes: readonly Probe[]): Omit<ProbeReport, 'isCredentials'> {
    const due = probes.filter((probe) => probe.isOpen || probe.reconcile || probe.hasDigests);
    const faults = probes.flatMap(({ fault }) => fault ?? []);
    for (const probe of probes) {
      const result = probe.fault !== null ? 'failing' : due.includes(probe) ? 'due' : 'idle';
      deps.metrics.count('diligence_monitor_probes_total', { result });
    }
    return {
      probed: probes.length,
      due: due.map(({ monitorId, reconcile }): DueMonitor => ({ monitorId, reconcile })),
      failing: faults.length,
      // A monitor that is unknown or refused does not recover by itself.
      escalated: faults.filter(({ fault }) => fault !== 'unavailable').length,
    };
  }

  /** Stores the outcome of a scan that found something, or that a person started. */
  async function finalizeScan(input: { record: ScanRecord; outcome: ScanOutcome }): Promise<void> {
    await records.scans.finish(input.record, input.outcome);
  }

  return { probeMonitors, finalizeScan };
}

async function probeOne(
  ctx: ProbeContext,
  monitorId: string,
  { terms, reconcileAll }: ScanRecord,
  patientUntil: number,
): Promise<Probe> {
  const { now, records, signal } = ctx;
  const none = { isOpen: false, reconcile: false, hasDigests: false, health: [], fault: null };
  const probe: Probe = { monitorId, ...none };
  try {
    const { digests } = ctx.sinks;
    const { cooldownMs } = terms;
    const due = await digests?.hasDue({ monitorId, at: now(), cooldownMs });
    probe.hasDigests = due === true;
    const hasOpen = await hasOpenChanges(ctx, monitorId, terms, patientUntil);
    probe.health = healthNotes(await readHealth(ctx, monitorId));
    const known = await records.monitors.get(monitorId);
    probe.reconcile = reconcileAll || isReconcileDue(known?.walks, now());
    probe.isOpen = hasOpen;
  } catch (error) {
    if (signal.aborted) throw error;
    probe.fault = faultOf(error) ?? ownFault(ctx, monitorId, error);
  }
  return probe;
}

/** An unreadable record of one monitor does not affect the others. */
function ownFault({ warn }: ProbeContext, monitorId: string, error: unknown): Fault {
  const { name } = error instanceof Error ? error : { name: 'an error' };
  warn('a monitor could not be probed', { monitor: monitorId, why: String(error) });
  return {
    fault: 'unavailable',
    message: `its record could not be read or written (${name}): see the log of the worker`,
  };
}

/** One small page is enough, unless the service ignores the filter: then a sweep decides. */
async function hasOpenChanges(
  { monitors, now, random, signal }: ProbeContext,
  monitorId: string,
  terms: SweepTerms,
  patientUntil: number,
): Promise<boolean> {
  const filter = { status: 'open', pageSize: 1, ...severityFilter(terms) } as const;
  const page = await withRetries(() => monitors.listChanges(monitorId, filter, 'poll', signal), {
    random,
    signal,
    mayGoOn: (tried) => tried < triesAfter || now() < patientUntil,
  });
  const isOne = page.items.some(
    (item) => item.kind === 'unreadable' || (isOpen(item.change) && isWanted(item.change, terms)),
  );
  return isOne || page.hasMore;
}

function notesOf({ monitorId, fault, health }: Probe): MonitorNote[] {
  if (fault !== null) return [{ monitorId, kind: 'failing', why: fault.message }];
  return health.map((note) => ({ ...note, monitorId }));
}

/**
 * Health that the service reports for a monitor, read at most once a day; stored also when unavailable. Throws
 * no error of the service: a sweep does not need it.
 */
export async function readHealth(
  { monitors, now, records, signal, warn }: ProbeContext,
  monitorId: string,
): Promise<HealthOnFile | null> {
  const before = (await records.monitors.get(monitorId))?.health ?? null;
  if (before !== null && now() - Date.parse(before.at) < healthEveryMs) return before;
  const at = new Date(now()).toISOString();
  try {
    const { monitor, answer } = await monitors.read(monitorId, 'poll', signal);
    const health = healthOf(monitor, at);
    await records.monitors.putAnswer(monitorId, { at, by: 'read', monitor, answer }, health);
    return health;
  } catch (error) {
    if (signal.aborted) throw error;
    const status = error instanceof StatusError ? error.status : null;
    const why = whyUnreported(error);
    if (why !== null) {
      const health: HealthOnFile = { kind: 'unknown', at, why, status };
      await records.monitors.putHealth(monitorId, health);
      return health;
    }
    if (!isCallFailure(error)) throw error;
    warn('a monitor could not be read', { monitor: monitorId, status });
    return before;
  }
}

/** Why the service does not report it today; null when the next probe may read it. */
function whyUnreported(error: unknown): UnknownHealth | null {
  if (error instanceof ContractError) return 'unreadable';
  if (!(error instanceof StatusError) || classifyFailure(error) === 'transient') return null;
  return [404, 405, 501].includes(error.status) ? 'no_route' : 'refused';
}
