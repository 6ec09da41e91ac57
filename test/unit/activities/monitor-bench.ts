import { ActivityEnvironment } from '../../support/activity-environment';
import type { MonitorDependencies } from '../../../src/activities/dependencies';
import { createMonitorLookActivities } from '../../../src/activities/monitors/looks';
import {
  createMonitorReconcileActivities,
  type ReconcileInput,
  type ReconcileReport,
} from '../../../src/activities/monitors/reconciles';
import { createMonitorSweepActivities } from '../../../src/activities/monitors/sweeps';
import { Service } from '../../../src/apis/http/service';
import { Token } from '../../../src/apis/http/token';
import { MonitorsApi } from '../../../src/apis/investigation/monitors';
import { AuditTrail } from '../../../src/store/audit/trail';
import { IdKey } from '../../../src/protection/id-key';
import { plainTerms, type PageReport, type SweepRef } from '../../../src/domain/monitors/sweep';
import type { LookReport } from '../../../src/domain/monitors/watch';
import { readEnvironment } from '../../../src/environment';
import { startSandbox, type MonitorPatch, type Sandbox } from '../../../src/sandbox';
import { openSinks } from '../../../src/sinks/open-sinks';
import { ChangeQueries } from '../../../src/store/monitors/change-queries';
import { ChangeRepository } from '../../../src/store/monitors/changes';
import { MonitorListRepository } from '../../../src/store/monitors/lists';
import { MonitorRepository } from '../../../src/store/monitors/monitors';
import { UnreadableItemRepository } from '../../../src/store/monitors/unreadable-items';
import { WorkerMetrics } from '../../../src/workers/metrics';
import { TemporaryStore } from '../../support/temporary-store';

export const monitorId = '3f0c6a52-7d1e-4b8a-9c55-0e9d2a6b1f47';
type Script = NonNullable<NonNullable<MonitorPatch['held']>[string]>;

/** The activities of monitors with a real client, store and sandbox; only the engine is mocked. */
export class MonitorBench {
  readonly place = new TemporaryStore();
  readonly sandbox: Sandbox;
  readonly changes: ChangeRepository;
  readonly monitors: MonitorRepository;
  readonly items: UnreadableItemRepository;
  readonly queries = new ChangeQueries(this.place.store);
  readonly lists = new MonitorListRepository(this.place.store);
  readonly #service: Service;
  /** To be changed between two passes. */
  readonly deps: MonitorDependencies;

  private constructor(sandbox: Sandbox, token: Token, others: Partial<MonitorDependencies>) {
    this.sandbox = sandbox;
    const { store } = this.place;
    const { monitorNames, monitorSinks } = readEnvironment({});
    const idKey = IdKey.parse('cd'.repeat(32));
    const nameOf = (document: string): string => idKey.nameOf('document', document);
    this.changes = new ChangeRepository(store, nameOf);
    this.monitors = new MonitorRepository(store, nameOf);
    this.items = new UnreadableItemRepository(store, nameOf);
    this.#service = new Service({ baseUrl: sandbox.baseUrl, token, ratePerSecond: 10_000 });
    const sinks = openSinks(monitorSinks, store, this.changes);
    this.deps = {
      monitors: new MonitorsApi(this.#service, monitorNames),
      store,
      nameOf,
      audit: new AuditTrail(store, idKey),
      sinksFor: () => sinks,
      escalateAfter: 5,
      warn: () => undefined,
      metrics: new WorkerMetrics('1.2.3').monitors,
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

  /** One page of a pass. @param attempt of the activity */
  sweepPage(pass = 'pass-1', attempt = 1): Promise<PageReport> {
    const { sweepPage } = createMonitorSweepActivities(this.deps);
    const input = {
      ref: this.#ref(pass),
      terms: plainTerms,
      severity: null,
      cursor: null,
      size: null,
    };
    return new ActivityEnvironment({ attempt }).run(sweepPage, { ...input, peek: false });
  }

  /** A walk over all states, concluded as a sweep does. @returns what its last pages came to */
  async walk(pass = 'pass-1'): Promise<ReconcileReport> {
    const { reconcilePages, concludeReconcile } = createMonitorReconcileActivities(this.deps);
    const ref = this.#ref(pass);
    const engine = new ActivityEnvironment();
    const input: ReconcileInput = { ref, terms: plainTerms, walk: null };
    let report: ReconcileReport = await engine.run(reconcilePages, input);
    while (report.walk !== null) {
      report = await engine.run(reconcilePages, { ...input, walk: report.walk });
    }
    const { pages, found, owed, fault } = report;
    const isThrough = fault === null && owed === 0;
    await engine.run(concludeReconcile, { ref, pages, found, isThrough });
    return report;
  }

  async look(monitorIds = [monitorId]): Promise<LookReport> {
    const list = await this.lists.put('all', monitorIds);
    const { lookAtMonitors } = createMonitorLookActivities(this.deps);
    const input = { list, page: 0, terms: plainTerms, watch: 'watch-1', reconcileAll: false };
    return new ActivityEnvironment().run(lookAtMonitors, input);
  }

  #ref(sweep: string): SweepRef {
    return { monitorId, sweep, by: 'tester' };
  }
}
