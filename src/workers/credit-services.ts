import type { CreditDependencies } from '../activities/dependencies';
import { creditApi } from '../apis/credit/credit';
import { Service } from '../apis/http/service';
import { Token } from '../apis/http/token';
import type { Store } from '../store/store';
import { AuditTrail } from '../store/audit/trail';
import type { IdKey } from '../protection/id-key';
import type { CreditSettings, Environment } from '../environment';
import type { WorkerMetrics } from './metrics';

/** The credit part of the composition root: settings in, dependencies of activities out. */
export function creditDependencies(
  environment: Environment,
  settings: CreditSettings,
  parts: {
    store: Store;
    idKey: IdKey;
    stopping: AbortSignal;
    warn: CreditDependencies['warn'];
    metrics: WorkerMetrics;
  },
): CreditDependencies {
  const { store, idKey, stopping, warn, metrics } = parts;
  const service = new Service({
    baseUrl: settings.baseUrl,
    token: Token.from(settings.token),
    ratePerSecond: settings.rps / environment.workers,
    resendOn503: environment.resendOn503,
    connectTimeoutMs: Math.min(10_000, settings.timeoutMs),
    observer: metrics.observerOf('credit'),
  });
  return {
    credit: creditApi(service, environment.creditNames, settings.timeoutMs),
    store,
    nameOf: (document) => idKey.nameOf('document', document),
    audit: new AuditTrail(store, idKey),
    stopping,
    warn,
    metrics: metrics.credit,
    now: Date.now,
    random: Math.random,
  };
}
