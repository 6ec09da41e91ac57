import { ActivityEnvironment } from '../../support/activity-environment';
import type { MonitorDependencies } from '../../../src/activities/dependencies';
import { createMonitorProbeActivities } from '../../../src/activities/monitors/probe-monitors';
import {
  createMonitorReconcileActivities,
  type ReconcileReport,
} from '../../../src/activities/monitors/reconcile';
import { createMonitorSweepActivities } from '../../../src/activities/monitors/sweep-pages';
import { Service } from '../../../src/apis/http/service';
import { Token } from '../../../src/apis/http/token';
import { MonitorsApi } from '../../../src/apis/investigation/monitors';
import { AuditTrail } from '../../../src/store/audit/trail';
import { IdKey } from '../../../src/protection/id-key';
import type { ProbeReport, ScannedPage } from '../../../src/domain/monitors/scan';
import {
  noCounts,
  plainTerms,
  type SweepEnd,
  type SweepOutcome,
  type SweepRef,
  type SweepTerms,
} from '../../../src/domain/monitors/sweep';
import { firstWalk, type SweepReport } from '../../../src/domain/monitors/walk';
import { readEnvironment } from '../../../src/environment';
import { startSandbox, type MonitorPatch, type Sandbox } from '../../../src/sandbox';
import { openSinks } from '../../../src/sinks/open-sinks';
import { ChangeQueries } from '../../../src/store/monitors/change-queries';
import { monitorRecords, type MonitorRecords } from '../../../src/store/monitors/records';
import { WorkerMetrics } from '../../../src/workers/metrics';
import { TemporaryStore } from '../../support/temporary-store';

export const monitorId = '3f0c6a52-7d1e-4b8a-9c55-0e9d2a6b1f47';
type Script = NonNullable<NonNullable<MonitorPatch['held']>[string]>;

/** The activities of monitors with a real client, store and sandbox; only the engine is mocked. */
const at = '2026-05-04T10:00:00.000Z';

type Left = Pick<SweepOutcome, 'backlog' | 'health' | 'warnings'>;

export class MonitorBench {
  readonly place = new TemporaryStore();
  readonly sandbox: Sandbox;
  readonly records: MonitorRecords;
  readonly queries = new ChangeQueries(this.place.store);
  readonly #service: Service;
  /** What is asked of sweeps. */
  terms: SweepTerms = plainTerms;
  /** To be changed between two sweeps. */
  readonly deps: MonitorDependencies;

  private constructor(sandbox: Sandbox, token: Token, others: Partial<MonitorDependencies>) {
    this.sandbox = sandbox;
    const { store } = this.place;
    const { monitorNames, monitorSinks } = readEnvironment({});
    const idKey = IdKey.parse('cd'.repeat(32));
    const nameOf = (document: string): string => idKey.nameOf('document', document);
    this.records = monitorRecords(store, nameOf);
    this.#service = new Service({ baseUrl: sandbox.baseUrl, token, ratePerSecond: 10_000 });
    const sinks = openSinks(monitorSinks, store, this.records.changes);
    this.deps = {
      monitors: new MonitorsApi(this.#service, monitorNames),
      store,
      nameOf,
      audit: new AuditTrail(store, idKey),
      sinks,
      escalateAfter: 5,
      warn: () => undefined,
      metrics: new WorkerMetrics('1.2.3'),
      now: Date.now,
      random: () => 0,
      ...others,
    };
  }

  /**
   * @param token of the worker; the one of the sandbox is `sandbox-token`
   * @param others in place of those of an installation without settings
   * @param more of the scenario
   */
  static async start(
    script: Script,
    token = Token.of('sandbox-token'),
    others: Partial<MonitorDependencies> = {},
    more: Omit<MonitorPatch, 'held'> = {},
  ): Promise<MonitorBench> {
    const sandbox = await startSandbox({
      scenario: { monitors: { ...more, held: { [monitorId]: script } } },
    });
    return new MonitorBench(sandbox, token, others);
  }

  async close(): Promise<void> {
    await this.#service.close();
    await this.sandbox.close();
    this.place.remove();
  }

  /** The first pages of a sweep. @param attempt of the activity */
  sweepPages(sweep = 'sweep-1', attempt = 1): Promise<SweepReport> {
    const { sweepPages } = createMonitorSweepActivities(this.deps);
    const input = { ref: this.#ref(sweep), terms: this.terms, walk: firstWalk };
    return new ActivityEnvironment({ attempt }).run(sweepPages, input);
  }

  /** The end of a sweep, as the store has it. */
  finalize(sweep = 'sweep-1', end: Partial<SweepEnd> = {}): Promise<SweepOutcome> {
    const { finalizeSweep } = createMonitorSweepActivities(this.deps);
    const none = { counts: noCounts(), warnings: [], fault: null, reconciled: null, stopped: null };
    const { by: createdBy } = this.#ref(sweep);
    const about = { jobId: sweep, monitorId, terms: this.terms, reconcile: false, createdBy };
    const record = { ...about, createdAt: new Date().toISOString() };
    const input = { record, end: { ...none, ...end } };
    return new ActivityEnvironment().run(finalizeSweep, input);
  }

  /** A sweep of few pages. */
  async sweep(sweep = 'sweep-1'): Promise<Omit<SweepReport, 'warnings'> & Left> {
    const report = await this.sweepPages(sweep);
    const { counts, fault } = report;
    const { backlog, health, warnings } = await this.finalize(sweep, { counts, fault });
    return { ...report, backlog, health, warnings };
  }

  /** A walk over all states, stored as a sweep does. @returns what its last pages came to */
  async walk(sweep = 'sweep-1'): Promise<ReconcileReport & Left & Pick<SweepOutcome, 'counts'>> {
    const { reconcilePages } = createMonitorReconcileActivities(this.deps);
    const input = { ref: this.#ref(sweep), terms: this.terms };
    const engine = new ActivityEnvironment();
    let report: ReconcileReport = await engine.run(reconcilePages, { ...input, walk: null });
    while (report.walk !== null) {
      report = await engine.run(reconcilePages, { ...input, walk: report.walk });
    }
    const { fault } = report;
    const end = await this.finalize(sweep, { fault, reconciled: report });
    const { backlog, counts, health, warnings } = end;
    return { ...report, backlog, counts, health, warnings };
  }

  async probe(monitorIds = [monitorId]): Promise<ProbeReport> {
    const list = await this.records.lists.put('all', monitorIds);
    const { probeMonitors } = createMonitorProbeActivities(this.deps);
    const about = { jobId: 'scan-1', workflowId: 'scan-1', list, terms: this.terms };
    const record = { ...about, reconcileAll: false, createdBy: 'tester', createdAt: at };
    return new ActivityEnvironment().run(probeMonitors, { record, page: 0 });
  }

  /** What the store has of the last probe. */
  async scanned(): Promise<ScannedPage> {
    const [page] = await this.records.lists.scans('all');
    if (page === undefined) throw new Error('not probed yet');
    return page;
  }

  #ref(sweep: string): SweepRef {
    return { monitorId, sweep, by: 'tester' };
  }
}
