import { Client, type ConnectionOptions } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import { NativeConnection, Worker } from '@temporalio/worker';
import { queueName, queueSuffix, type QueueKind } from '../domain/core/queues';
import { hostNameOf, isLoopback } from '../protection/loopback';
import { EngineUnreachableError } from '../temporal/connection';
import { endEarlierEpochs } from '../temporal/earlier-epochs';
import { takeNamespace } from '../temporal/namespace-store';
import { refuseMissingSearchAttributes } from '../temporal/search-attributes';
import type { Role } from './part';

export interface WorkerSetup {
  connectionOptions: ConnectionOptions;
  address: string;
  namespace: string;
  roles: readonly Role[];
  store: { id: string; epoch: number };
  /** Of `dataConverterOf`. */
  dataConverter: DataConverter;
  /** Of `workerIdentity`: shows a key rotation which keys this process holds. */
  identity: string;
}

/** Longer than the total time of a keyless POST: a shutdown must never cut one off (decision record 002). */
const shutdownGraceTime = '40s';

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
  const { address, dataConverter, identity, namespace, roles, store } = setup;
  const connection = await NativeConnection.connect({
    ...(setup.connectionOptions as object),
    address,
    // On one machine compression costs more than bytes.
    ...(isLoopback(hostNameOf(address) ?? '') && { grpcCompression: { codec: 'none' } }),
  }).catch(() => {
    throw new EngineUnreachableError(address);
  });
  const engine = { connection, namespace, address };
  const client = new Client({ connection, namespace, dataConverter });
  const queueOf = (kind: QueueKind): string => queueName(kind, queueSuffix(store));
  const common = { connection, namespace, identity, dataConverter, shutdownGraceTime } as const;
  let workers: Worker[];
  try {
    await takeNamespace(engine, store.id);
    await refuseMissingSearchAttributes(engine);
    await endEarlierEpochs(client, store);
    for (const role of roles) await role.begin?.(client, queueOf);
    workers = await Promise.all(
      roles
        .flatMap((role) => Object.entries(role.queues(client)))
        .map(([kind, options]) =>
          Worker.create({ ...common, ...options, taskQueue: queueOf(kind as QueueKind) }),
        ),
    );
  } catch (error) {
    // An open connection would keep the process alive.
    await connection.close();
    throw error;
  }
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
