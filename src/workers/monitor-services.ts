import type { MonitorDependencies } from '../activities/dependencies';
import { Service } from '../apis/http/service';
import { Token } from '../apis/http/token';
import { MonitorsApi } from '../apis/investigation/monitors';
import type { Store } from '../store/store';
import { AuditTrail } from '../store/audit/trail';
import type { IdKey } from '../protection/id-key';
import type { Environment, InvestigationSettings } from '../environment';
import { openSinks } from '../sinks/open-sinks';
import { ChangeRepository } from '../store/monitors/changes';
import type { WorkerMetrics } from './metrics';

/** The part of the composition root for monitors: settings in, dependencies of activities out. */
export function monitorDependencies(
  environment: Environment,
  settings: InvestigationSettings,
  parts: {
    store: Store;
    idKey: IdKey;
    warn: MonitorDependencies['warn'];
    metrics: WorkerMetrics;
  },
): MonitorDependencies {
  const { store, idKey, warn, metrics } = parts;
  const service = new Service({
    baseUrl: settings.baseUrl,
    token:
      'file' in settings.token
        ? Token.fromFile(settings.token.file)
        : Token.of(settings.token.value),
    ratePerSecond: settings.rps / environment.workers,
    resendOn503: environment.resendOn503,
    connectTimeoutMs: Math.min(10_000, settings.timeoutMs),
    observer: metrics.observerOf('investigation'),
  });
  const nameOf = (document: string): string => idKey.nameOf('document', document);
  const changes = new ChangeRepository(store, nameOf);
  const sinks = openSinks(environment.monitorSinks, store, changes, (sink, why) =>
    warn('a sink takes nothing any more: see `diligence monitor sink`', { sink, why }),
  );
  return {
    monitors: new MonitorsApi(service, environment.monitorNames, settings.timeoutMs),
    store,
    nameOf,
    audit: new AuditTrail(store, idKey),
    sinks,
    escalateAfter: environment.monitorEscalateAfter,
    warn,
    metrics: metrics.monitors,
    now: Date.now,
    random: Math.random,
  };
}
