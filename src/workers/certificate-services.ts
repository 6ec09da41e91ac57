import type { CertificateDependencies } from '../activities/dependencies';
import { FreedPlaces } from '../activities/certificates/freed-places';
import { Service } from '../apis/http/service';
import { Token } from '../apis/http/token';
import { CertificatesApi } from '../apis/investigation/certificates';
import type { Store } from '../store/store';
import { AuditTrail } from '../store/audit/trail';
import { WorkReader } from '../store/certificates/works';
import type { IdKey } from '../protection/id-key';
import { SettlingTimes } from '../domain/core/settling-times';
import type { Environment, InvestigationSettings } from '../environment';
import type { WorkerMetrics } from './metrics';

/** The certificate part of the composition root: settings in, dependencies of activities out. */
export function certificateDependencies(
  environment: Environment,
  settings: InvestigationSettings,
  parts: {
    store: Store;
    idKey: IdKey;
    stopping: AbortSignal;
    warn: CertificateDependencies['warn'];
    metrics: WorkerMetrics;
  },
): CertificateDependencies {
  const service = new Service({
    baseUrl: settings.baseUrl,
    token: Token.from(settings.certificatesToken ?? settings.token),
    ratePerSecond: settings.certificatesRps / environment.workers,
    resendOn503: environment.resendOn503,
    connectTimeoutMs: Math.min(10_000, settings.certificatesTimeoutMs),
    observer: parts.metrics.observerOf('investigation'),
  });
  const { store, idKey, stopping, warn, metrics } = parts;
  return {
    store,
    works: new WorkReader(store),
    audit: new AuditTrail(store, idKey),
    idKey,
    stopping,
    warn,
    metrics: metrics.certificates,
    certificates: new CertificatesApi(
      service,
      environment.certificates,
      settings.certificatesTimeoutMs,
    ),
    assumptions: environment.certificates,
    settlingTimes: { cnpj: new SettlingTimes(), trabalhista: new SettlingTimes() },
    freedPlaces: new FreedPlaces(),
    now: Date.now,
    random: Math.random,
  };
}
