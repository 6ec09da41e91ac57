import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import { Client, type ConnectionOptions } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import { createCertificateDecisionActivities } from '../activities/certificates/decisions';
import { createCertificateDeferralActivities } from '../activities/certificates/deferrals';
import { createCertificateMergeActivities } from '../activities/certificates/finalize';
import { createCertificateRecoveryActivities } from '../activities/certificates/recovery';
import { createCertificateRenewalActivities } from '../activities/certificates/renewals';
import { createCertificateRequestActivities } from '../activities/certificates/requests';
import { createCertificatePollActivities } from '../activities/certificates/polls';
import { createCreditEngineActivities } from '../activities/credit/engines';
import { createCreditRecoveryActivities } from '../activities/credit/recovery';
import { createCreditRequestActivities } from '../activities/credit/requests';
import { createCreditResultActivities } from '../activities/credit/results';
import { createJobBatchActivities } from '../activities/core/job-batches';
import {
  createRetentionActivities,
  type RetentionDependencies,
} from '../activities/core/retention';
import { createWaitingActivities } from '../activities/core/waiting';
import { queueName, queueSuffix, type QueueKind } from '../domain/core/queues';
import type { RetentionTerm } from '../domain/core/retention';
import { hostNameOf, isLoopback } from '../protection/loopback';
import { EngineUnreachableError } from '../temporal/connection';
import { endEarlierEpochs } from '../temporal/earlier-epochs';
import { deleteRuns, runsOf } from '../temporal/job-runs';
import { takeNamespace } from '../temporal/namespace-store';
import { keepRetentionSchedule } from '../temporal/retention-schedule';
import { refuseMissingSearchAttributes } from '../temporal/search-attributes';
import type { WorkerRole, WorkerServices } from './services';

export interface WorkerSetup {
  connectionOptions: ConnectionOptions;
  address: string;
  namespace: string;
  roles: readonly WorkerRole[];
  store: { id: string; epoch: number };
  /** Of `dataConverterOf`. */
  dataConverter: DataConverter;
  /** Of `workerIdentity`: shows a key rotation which keys this process holds. */
  identity: string;
  services: WorkerServices;
  /** Called once, by a process with the workflows role. */
  watchForStalls(client: Client, queue: string): void;
  /** Null without the workflows role. */
  retention: RetentionSetup | null;
}

/** What the engine is asked for comes from the connection of the workers. */
export interface RetentionSetup {
  terms: readonly RetentionTerm[];
  parts: Omit<RetentionDependencies, 'runsOf' | 'deleteRuns'>;
}

/** Longer than the total time of a keyless POST: a shutdown must never cut one off (decision record 002). */
const shutdownGraceTime = '40s';
/** Shutdown time of an upload beyond its total time. */
const creditGraceMs = 10_000;

export interface RunningWorkers {
  /** Stops polling; resolves when running tasks have ended. */
  stop(): Promise<void>;
  /** Rejects when a worker fails permanently. */
  finished: Promise<void>;
  /** Task queues whose worker does not poll. */
  idleQueues(): string[];
  /** Rejects when Temporal does not answer for our namespace in time. */
  reachEngine(withinMs: number): Promise<void>;
}

/** One Worker per task queue, each with its own slots, on one connection. */
export async function runWorkers(setup: WorkerSetup): Promise<RunningWorkers> {
  const connection = await NativeConnection.connect({
    ...(setup.connectionOptions as object),
    address: setup.address,
    // On one machine compression costs more than bytes.
    ...(isLoopback(hostNameOf(setup.address) ?? '') && { grpcCompression: { codec: 'none' } }),
  }).catch(() => {
    throw new EngineUnreachableError(setup.address);
  });
  const engine = { ...setup, connection };
  const client = new Client(engine);
  const { retention } = setup;
  const queue = (kind: QueueKind): string => queueName(kind, queueSuffix(setup.store));
  try {
    await takeNamespace(engine, setup.store.id);
    await refuseMissingSearchAttributes(engine);
    await endEarlierEpochs(client, setup.store);
    if (retention !== null && setup.roles.includes('workflows'))
      await keepRetentionSchedule(client, queue('workflows'), retention.terms);
  } catch (error) {
    // An open connection would keep the process alive.
    await connection.close();
    throw error;
  }
  const { namespace, identity, dataConverter } = setup;
  const common = { connection, namespace, identity, dataConverter, shutdownGraceTime } as const;
  const { certificates, credit, investigation } = setup.services;
  const options: WorkerOptions[] = [];
  if (setup.roles.includes('workflows')) {
    options.push({
      ...common,
      taskQueue: queue('workflows'),
      workflowBundle: { codePath: workflowBundlePath() },
      maxConcurrentWorkflowTaskExecutions: 20,
      maxCachedWorkflows: 200,
      ...(retention !== null && {
        activities: {
          ...createWaitingActivities(retention.parts),
          ...createRetentionActivities({
            ...retention.parts,
            runsOf: (jobId) => runsOf(client, [jobId]),
            deleteRuns: (runs) => deleteRuns(client, runs),
          }),
        },
        maxConcurrentActivityTaskExecutions: 20,
      }),
    });
  }
  if (certificates !== null) {
    options.push(
      {
        ...common,
        taskQueue: queue('certificate-requests'),
        activities: {
          ...createCertificateRequestActivities(certificates),
          ...createCertificateRecoveryActivities(certificates),
        },
        // Eight lanes with three chunks each, recoveries, and room for interactive issuances.
        maxConcurrentActivityTaskExecutions: 40,
        // Cancellation travels by heartbeat: by default one in eight seconds (decision record 002).
        maxHeartbeatThrottleInterval: '500ms',
      },
      {
        ...common,
        taskQueue: queue('certificate-watches'),
        activities: {
          ...createCertificatePollActivities(certificates),
          ...createCertificateMergeActivities(certificates),
          ...createCertificateDecisionActivities(certificates),
          ...createCertificateDeferralActivities(certificates),
          ...createCertificateRenewalActivities(certificates),
        },
        maxConcurrentActivityTaskExecutions: 100,
        maxHeartbeatThrottleInterval: '1s',
      },
    );
  }
  if (credit !== null) {
    options.push(
      {
        ...common,
        shutdownGraceTime: credit.credit.operations.timeoutMs + creditGraceMs,
        taskQueue: queue('credit-uploads'),
        activities: createCreditRequestActivities(credit),
        // Most of them wait for a permit, which costs a timer; the limiter sets the rate.
        maxConcurrentActivityTaskExecutions: 200,
        maxHeartbeatThrottleInterval: '500ms',
      },
      {
        ...common,
        taskQueue: queue('credit'),
        activities: {
          ...createCreditRecoveryActivities(credit),
          ...createCreditEngineActivities(credit),
          ...createCreditResultActivities(credit),
          ...createJobBatchActivities(credit),
        },
        maxConcurrentActivityTaskExecutions: 50,
        maxHeartbeatThrottleInterval: '500ms',
      },
    );
  }
  if (investigation !== null) {
    options.push({
      ...common,
      taskQueue: queue('investigation'),
      activities: investigation.activities,
      // Most of them wait for the limiter.
      maxConcurrentActivityTaskExecutions: 60,
      maxHeartbeatThrottleInterval: '2s',
    });
  }
  const workers = await Promise.all(options.map((one) => Worker.create(one)));
  if (setup.roles.includes('workflows')) setup.watchForStalls(client, queue('workflows'));
  const stopAll = (): void => {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  // With one worker missing, a process would look alive and do half of its jobs.
  const running = workers.map((worker) =>
    worker.run().catch((error: unknown) => {
      stopAll();
      throw error;
    }),
  );
  const finished = Promise.allSettled(running).then(async () => {
    await connection.close();
    await Promise.all(running);
  });
  return {
    finished,
    async stop() {
      stopAll();
      await finished;
    },
    idleQueues: () => workers.filter((one) => !polls(one)).map((one) => one.options.taskQueue),
    async reachEngine(withinMs) {
      await connection.withDeadline(Date.now() + withinMs, () =>
        connection.workflowService.describeNamespace({ namespace }),
      );
    },
  };
}

/** A poller of a kind that the worker lacks reports `SHUTDOWN`; a broken one, `FAILED`. */
function polls(worker: Worker): boolean {
  const { runState, workflowPollerState, activityPollerState } = worker.getStatus();
  const pollers = [workflowPollerState, activityPollerState];
  return runState === 'RUNNING' && pollers.includes('POLLING') && !pollers.includes('FAILED');
}

/** The bundle of `npm run build`. */
export function workflowBundlePath(): string {
  const path = join(__dirname, '..', '..', 'dist', 'workflow-bundle.js');
  if (!existsSync(path)) throw new Error('dist/workflow-bundle.js is missing: run `npm run build`');
  return path;
}
