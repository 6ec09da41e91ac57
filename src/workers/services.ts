import type {
  CertificateDependencies,
  CreditDependencies,
  DossierDependencies,
  LensDependencies,
  MonitorDependencies,
} from '../activities/dependencies';
import { FreedPlaces } from '../activities/certificates/freed-places';
import type { ProfileDependencies } from '../activities/profiles/profiles';
import type { TraceDependencies } from '../activities/traces/traces';
import { creditApi } from '../apis/credit/credit';
import { Service } from '../apis/http/service';
import { Token } from '../apis/http/token';
import { CertificatesApi } from '../apis/investigation/certificates';
import { DossiersApi } from '../apis/investigation/dossiers';
import { LensApi } from '../apis/investigation/lens';
import { MonitorsApi } from '../apis/investigation/monitors';
import { ProfilesApi } from '../apis/investigation/profile';
import { TracesApi } from '../apis/investigation/traces';
import { SettlingTimes } from '../domain/core/settling-times';
import type { CreditSettings, Environment, InvestigationSettings } from '../environment';
import type { IdKey } from '../protection/id-key';
import { openSinks } from '../sinks/open-sinks';
import { AuditTrail } from '../store/audit/trail';
import { WorkReader } from '../store/certificates/works';
import { ChangeRepository } from '../store/monitors/changes';
import type { Store } from '../store/store';
import type { WorkerMetrics } from './metrics';
import type { SharedRate } from './rate-leases';

export const workerRoles = ['workflows', 'investigation', 'certificates', 'credit'] as const;
export type WorkerRole = (typeof workerRoles)[number];

/** What the activities of each role close over; null where this process has not the role. */
export interface WorkerServices {
  certificates: CertificateDependencies | null;
  credit: CreditDependencies | null;
  investigation: {
    monitors: MonitorDependencies;
    profiles: ProfileDependencies;
    traces: TraceDependencies;
    dossiers: DossierDependencies;
    lens: LensDependencies;
  } | null;
  /** Whose rates the workers of an installation share. */
  rates: readonly SharedRate[];
  close(): Promise<void>;
}

interface Parts {
  store: Store;
  idKey: IdKey;
  stopping: AbortSignal;
  warn: CertificateDependencies['warn'];
  metrics: WorkerMetrics;
}

/** The composition root: settings in, dependencies of activities out. */
export function workerServices(
  environment: Environment,
  roles: readonly WorkerRole[],
  parts: Parts,
): WorkerServices {
  const { credit: creditSettings, investigation: settings } = environment;
  const has = (role: WorkerRole): boolean => roles.includes(role);
  const certificates =
    settings !== null && has('certificates')
      ? certificateDependencies(environment, settings, parts)
      : null;
  const credit =
    creditSettings !== null && has('credit')
      ? creditDependencies(environment, creditSettings, parts)
      : null;
  const investigation =
    settings !== null && has('investigation')
      ? investigationDependencies(environment, settings, parts)
      : null;
  const services = [
    { name: 'certificates', service: certificates?.certificates.service },
    { name: 'credit', service: credit?.credit.service },
    { name: 'investigation', service: investigation?.monitors.monitors.service },
  ];
  return {
    certificates,
    credit,
    investigation,
    rates: services.flatMap(({ name, service }) =>
      service === undefined ? [] : [{ name, rate: service.limiter.rate }],
    ),
    async close() {
      for (const { service } of services) await service?.close();
      await Promise.all(investigation?.monitors.sinks.all.map((sink) => sink.close()) ?? []);
    },
  };
}

/** What all of them close over. */
function commonOf({ store, idKey, stopping, warn }: Parts) {
  return {
    store,
    nameOf: (document: string): string => idKey.nameOf('document', document),
    audit: new AuditTrail(store, idKey),
    stopping,
    warn,
    now: Date.now,
    random: Math.random,
  };
}

function serviceOf(
  name: 'investigation' | 'credit',
  { baseUrl, token, rps, timeoutMs }: CreditSettings,
  { guard, resendOn503 }: Environment,
  { metrics }: Parts,
): Service {
  return new Service({
    baseUrl,
    token: Token.from(token),
    mostPerSecond: rps,
    guard,
    resendOn503,
    connectTimeoutMs: Math.min(10_000, timeoutMs),
    observer: metrics.observerOf(name),
  });
}

function certificateDependencies(
  environment: Environment,
  settings: InvestigationSettings,
  parts: Parts,
): CertificateDependencies {
  const { baseUrl, certificatesRps: rps, certificatesTimeoutMs: timeoutMs } = settings;
  const own = { baseUrl, rps, timeoutMs, token: settings.certificatesToken ?? settings.token };
  const service = serviceOf('investigation', own, environment, parts);
  return {
    ...commonOf(parts),
    idKey: parts.idKey,
    works: new WorkReader(parts.store),
    metrics: parts.metrics.certificates,
    certificates: new CertificatesApi(service, environment.certificates, timeoutMs),
    assumptions: environment.certificates,
    settlingTimes: { cnpj: new SettlingTimes(), trabalhista: new SettlingTimes() },
    freedPlaces: new FreedPlaces(),
  };
}

function creditDependencies(
  environment: Environment,
  settings: CreditSettings,
  parts: Parts,
): CreditDependencies {
  const service = serviceOf('credit', settings, environment, parts);
  return {
    ...commonOf(parts),
    purchaseName: (text) => parts.idKey.nameOf('manifest', text),
    credit: creditApi(service, environment.creditNames, settings.timeoutMs),
    metrics: parts.metrics.credit,
  };
}

/** One service for all of them, whose rate they share. */
function investigationDependencies(
  environment: Environment,
  settings: InvestigationSettings,
  parts: Parts,
): NonNullable<WorkerServices['investigation']> {
  const { store, metrics, warn } = parts;
  const { timeoutMs } = settings;
  const service = serviceOf('investigation', settings, environment, parts);
  const common = commonOf(parts);
  const changes = new ChangeRepository(store, common.nameOf);
  const sinks = openSinks(environment.monitorSinks, store, changes, (sink, why) =>
    warn('a sink takes nothing any more: see `diligence monitor sink`', { sink, why }),
  );
  return {
    monitors: {
      ...common,
      monitors: new MonitorsApi(service, environment.monitorNames, timeoutMs),
      sinks,
      escalateAfter: environment.monitorEscalateAfter,
      metrics: metrics.monitors,
    },
    profiles: {
      ...common,
      profiles: new ProfilesApi(service, timeoutMs),
      metrics: metrics.profiles,
    },
    traces: {
      ...common,
      traces: new TracesApi(service, environment.traceNames, timeoutMs),
      metrics: metrics.traces,
    },
    dossiers: {
      ...common,
      dossiers: new DossiersApi(service, environment.dossierNames, timeoutMs),
      metrics: metrics.dossiers,
    },
    lens: {
      ...common,
      lens: new LensApi(service, environment.lens, timeoutMs),
      metrics: metrics.lens,
    },
  };
}
