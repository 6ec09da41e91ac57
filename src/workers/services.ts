import type { CertificateDependencies, CreditDependencies } from '../activities/dependencies';
import { createJobBatchActivities } from '../activities/core/job-batches';
import { FreedSlots } from '../activities/certificates/freed-slots';
import { creditApi } from '../apis/credit/credit';
import { Service } from '../apis/http/service';
import { Token } from '../apis/http/token';
import { CertificatesApi } from '../apis/investigation/certificates';
import { SettlingTimes } from '../domain/core/service/settling-times';
import type { CreditSettings, Environment, InvestigationSettings } from '../environment';
import { CertificateJobs } from '../store/certificates/jobs';
import * as kinds from './kinds';
import { commonOf, type InvestigationPart, type WorkerParts } from './part';
import type { SharedRate } from './rate-leases';

export const workerRoles = ['workflows', 'investigation', 'certificates', 'credit'] as const;
export type WorkerRole = (typeof workerRoles)[number];

/** Dependencies of the activities by role; null without the role. */
export interface WorkerServices {
  certificates: CertificateDependencies | null;
  credit: CreditDependencies | null;
  investigation: { activities: object; service: Service; close(): Promise<void> } | null;
  /** Rates that the workers of an installation share. */
  rates: readonly SharedRate[];
  close(): Promise<void>;
}

/** The composition root: settings in, dependencies of activities out. */
export function workerServices(
  environment: Environment,
  roles: readonly WorkerRole[],
  parts: WorkerParts,
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
    { name: 'investigation', service: investigation?.service },
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
      await investigation?.close();
    },
  };
}

function serviceOf(
  name: 'investigation' | 'credit',
  { baseUrl, token, rps, timeoutMs }: CreditSettings,
  { guard, resendOn503 }: Environment,
  { metrics, happenings }: WorkerParts,
): Service {
  return new Service({
    baseUrl,
    token: Token.from(token),
    mostPerSecond: rps,
    guard,
    resendOn503,
    connectTimeoutMs: Math.min(10_000, timeoutMs),
    observer: happenings.callsOf(name, metrics.observerOf(name)),
  });
}

function certificateDependencies(
  environment: Environment,
  settings: InvestigationSettings,
  parts: WorkerParts,
): CertificateDependencies {
  const { baseUrl, certificatesRps: rps, certificatesTimeoutMs: timeoutMs } = settings;
  const own = { baseUrl, rps, timeoutMs, token: settings.certificatesToken ?? settings.token };
  const service = serviceOf('investigation', own, environment, parts);
  return {
    ...commonOf(parts),
    idKey: parts.idKey,
    certificateJobs: new CertificateJobs(parts.store),
    metrics: parts.metrics.certificates,
    certificates: new CertificatesApi(service, environment.certificates, timeoutMs),
    assumptions: environment.certificates,
    settlingTimes: { cnpj: new SettlingTimes(), trabalhista: new SettlingTimes() },
    freedSlots: new FreedSlots(),
  };
}

function creditDependencies(
  environment: Environment,
  settings: CreditSettings,
  parts: WorkerParts,
): CreditDependencies {
  const service = serviceOf('credit', settings, environment, parts);
  return {
    ...commonOf(parts),
    purchaseName: (text) => parts.idKey.nameOf('manifest', text),
    credit: creditApi(service, environment.creditNames, settings.timeoutMs),
  };
}

/** One service for all of them, with one rate. */
function investigationDependencies(
  environment: Environment,
  settings: InvestigationSettings,
  parts: WorkerParts,
): NonNullable<WorkerServices['investigation']> {
  const { timeoutMs } = settings;
  const service = serviceOf('investigation', settings, environment, parts);
  const { idKey, metrics } = parts;
  const base = { common: commonOf(parts), idKey, service, timeoutMs, environment, metrics };
  const made = Object.values(kinds).map((part): InvestigationPart => part(base));
  return {
    service,
    activities: Object.assign(
      createJobBatchActivities(base.common),
      ...made.map(({ activities }) => activities),
    ) as object,
    async close() {
      for (const part of made) await part.close?.();
    },
  };
}
