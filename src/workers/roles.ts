import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkerOptions } from '@temporalio/worker';
import { createCertificateDecisionActivities } from '../activities/certificates/decisions';
import { createCertificateDeferralActivities } from '../activities/certificates/deferrals';
import { createCertificateMergeActivities } from '../activities/certificates/finalize';
import { AcceptedRows } from '../activities/certificates/accepted-rows';
import { FreedSlots } from '../activities/certificates/freed-slots';
import { createCertificatePollActivities } from '../activities/certificates/polls';
import { createCertificateRecoveryActivities } from '../activities/certificates/recovery';
import { createCertificateRenewalActivities } from '../activities/certificates/renewals';
import { createCertificateRequestActivities } from '../activities/certificates/requests';
import { createJobBatchActivities } from '../activities/core/job-batches';
import { createRetentionActivities } from '../activities/core/retention';
import { createWaitingActivities } from '../activities/core/waiting';
import { createCreditEngineActivities } from '../activities/credit/engines';
import { createCreditRecoveryActivities } from '../activities/credit/recovery';
import { createCreditRequestActivities } from '../activities/credit/requests';
import { createCreditResultActivities } from '../activities/credit/results';
import type { CertificateDependencies, CreditDependencies } from '../activities/dependencies';
import { creditApi } from '../apis/credit/credit';
import { CertificatesApi } from '../apis/investigation/certificates';
import { SettlingTimes } from '../domain/core/service/settling-times';
import { ConfigError, type Environment } from '../environment';
import { CertificateJobs } from '../store/certificates/jobs';
import { deleteRuns, runsOf } from '../temporal/job-runs';
import { keepRetentionSchedule } from '../temporal/retention-schedule';
import * as kinds from './kinds';
import { roleNames, type RoleName } from './role-names';
import { commonOf, serviceOf, type InvestigationPart, type Role, type WorkerParts } from './part';

/** Shutdown time of an upload beyond its total time. */
const creditGraceMs = 10_000;

/** Settings in, workers with their activities out. */
export const roles = {
  workflows(parts: WorkerParts): Role {
    const { environment, standstill, stopping } = parts;
    const deps = commonOf(parts);
    return {
      queues: (client) => ({
        workflows: {
          ...workflowOptions(),
          activities: {
            ...createWaitingActivities(deps),
            ...createRetentionActivities({
              ...deps,
              runsOf: (jobId) => runsOf(client, [jobId]),
              deleteRuns: (runs) => deleteRuns(client, runs),
            }),
          },
          maxConcurrentActivityTaskExecutions: 20,
        },
      }),
      async begin(client, queueOf) {
        await keepRetentionSchedule(client, queueOf('workflows'), environment.retention);
        void standstill.watch(client, queueOf('workflows'), stopping);
      },
    };
  },

  /** One service for all of them, with one rate. */
  investigation(parts: WorkerParts): Role {
    const settings = settingsOf(parts.environment, 'investigation');
    const { timeoutMs } = settings;
    const service = serviceOf('investigation', settings, parts);
    const common = commonOf(parts);
    const made = Object.values(kinds).map((part): InvestigationPart =>
      part({ ...parts, common, service, timeoutMs }),
    );
    const activities = Object.assign(
      createJobBatchActivities(common),
      ...made.map((part) => part.activities),
    ) as object;
    return {
      service: { name: 'investigation', service },
      queues: () => ({
        // Most of them wait for the limiter.
        investigation: {
          activities,
          maxConcurrentActivityTaskExecutions: 60,
          maxHeartbeatThrottleInterval: '2s',
        },
      }),
      async close() {
        for (const part of made) await part.close?.();
      },
    };
  },

  certificates(parts: WorkerParts): Role {
    const deps = certificateDependencies(parts);
    return {
      service: { name: 'certificates', service: deps.certificates.service },
      queues: () => ({
        'certificate-requests': {
          activities: {
            ...createCertificateRequestActivities(deps),
            ...createCertificateRecoveryActivities(deps),
          },
          // Eight lanes with three chunks each, recoveries, and room for interactive issuances.
          maxConcurrentActivityTaskExecutions: 40,
          // Cancellation travels by heartbeat: by default one in eight seconds (decision record 002).
          maxHeartbeatThrottleInterval: '500ms',
        },
        'certificate-watches': {
          activities: {
            ...createCertificatePollActivities(deps),
            ...createCertificateMergeActivities(deps),
            ...createCertificateDecisionActivities(deps),
            ...createCertificateDeferralActivities(deps),
            ...createCertificateRenewalActivities(deps),
          },
          maxConcurrentActivityTaskExecutions: 100,
          maxHeartbeatThrottleInterval: '1s',
        },
      }),
    };
  },

  credit(parts: WorkerParts): Role {
    const settings = settingsOf(parts.environment, 'credit');
    const service = serviceOf('credit', settings, parts);
    const deps: CreditDependencies = {
      ...commonOf(parts),
      purchaseName: (text) => parts.idKey.nameOf('manifest', text),
      credit: creditApi(service, parts.environment.creditNames, settings.timeoutMs),
    };
    return {
      service: { name: 'credit', service },
      queues: () => ({
        'credit-uploads': {
          shutdownGraceTime: deps.credit.operations.timeoutMs + creditGraceMs,
          activities: createCreditRequestActivities(deps),
          // Most of them wait for a permit, which costs a timer; the limiter sets the rate.
          maxConcurrentActivityTaskExecutions: 200,
          maxHeartbeatThrottleInterval: '500ms',
        },
        credit: {
          activities: {
            ...createCreditRecoveryActivities(deps),
            ...createCreditEngineActivities(deps),
            ...createCreditResultActivities(deps),
            ...createJobBatchActivities(deps),
          },
          maxConcurrentActivityTaskExecutions: 50,
          maxHeartbeatThrottleInterval: '500ms',
        },
      }),
    };
  },
} satisfies Record<RoleName, (parts: WorkerParts) => Role>;

/** Those whose service is configured; with neither, the first is reported missing. */
export function configuredRoles({ investigation, credit }: Environment): RoleName[] {
  return roleNames.filter((role) =>
    role === 'credit' ? credit !== null : role === 'workflows' || investigation !== null || !credit,
  );
}

export function certificateDependencies(parts: WorkerParts): CertificateDependencies {
  const { environment, idKey, store } = parts;
  const settings = settingsOf(environment, 'investigation');
  const { baseUrl, certificatesRps: rps, certificatesTimeoutMs: timeoutMs } = settings;
  const token = settings.certificatesToken ?? settings.token;
  const service = serviceOf('investigation', { baseUrl, rps, timeoutMs, token }, parts);
  return {
    ...commonOf(parts),
    idKey,
    certificateJobs: new CertificateJobs(store),
    certificates: new CertificatesApi(service, environment.certificates, timeoutMs),
    assumptions: environment.certificates,
    settlingTimes: {
      cnpj: new SettlingTimes(service.limiter),
      trabalhista: new SettlingTimes(service.limiter),
    },
    freedSlots: new FreedSlots(),
    acceptedRows: new AcceptedRows(),
  };
}

/** With the bundle of `npm run build`. */
export function workflowOptions(): Partial<WorkerOptions> {
  const codePath = join(__dirname, '..', '..', 'dist', 'workflow-bundle.js');
  if (!existsSync(codePath))
    throw new Error('dist/workflow-bundle.js is missing: run `npm run build`');
  return {
    workflowBundle: { codePath },
    maxConcurrentWorkflowTaskExecutions: 20,
    maxCachedWorkflows: 200,
  };
}

/** @throws ConfigError when the service of a role is not configured */
export function refuseUnserved(environment: Environment, names: readonly RoleName[]): void {
  for (const name of names)
    if (name !== 'workflows')
      settingsOf(environment, name === 'credit' ? name : 'investigation', name);
}

function settingsOf<Name extends 'investigation' | 'credit'>(
  environment: Environment,
  name: Name,
  role: RoleName = name,
): NonNullable<Environment[Name]> {
  const settings = environment[name];
  if (settings !== null) return settings;
  const variable = name.toUpperCase();
  throw new ConfigError(
    `${variable}_BASE_URL`,
    `is not set: set it and ${variable}_TOKEN, or leave the role \`${role}\` out`,
  );
}
