import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import type { Logger } from 'pino';
import type { Store } from '../store/store';
import { keepAddresses, otherAddresses } from '../store/core/service-addresses';
import { findIdKey } from '../store/sealed/find-id-key';
import { ConfigError, readEnvironment, type Environment, type ListenAddress } from '../environment';
import type { KeyRing } from '../protection/key-ring';
import { engineAddress } from '../temporal/connection';
import { dataConverterOf } from '../temporal/payload/data-converter';
import { workerIdentity } from '../temporal/payload/key-holders';
import { findPayloadKeys } from '../temporal/payload/payload-keys';
import { openOwnStore, proveKeys } from '../temporal/payload/store-keys';
import { Standstill } from './stalls';
import { serveEndpoints, type Endpoints, type EndpointSources } from './endpoints';
import { EventLoopLag } from './event-loop-lag';
import { installLog } from './log';
import { WorkerMetrics } from './metrics';
import { holdRateLeases } from './rate-leases';
import { ReadinessProbe } from './readiness';
import type { Role } from './part';
import type { RoleName } from './role-names';
import { configuredRoles, refuseUnserved, roles } from './roles';
import { runWorkers, type RunningWorkers } from './run-workers';

const oneDayMs = 24 * 60 * 60_000;
/**
 * A heap grows by 60 % beyond what is alive, not to several times that, and the young generation of each thread is small:
 * with a thousand rows in flight a third less in all. With 30 % certificates took the same time, and monitors a tenth more.
 */
const heapFlags = ['--heap-growing-percent=60', '--max-semi-space-size=4'];

export interface WorkerFlags {
  roles?: RoleName[];
  logLevel: string;
  embedded?: true;
}

/** Until it is told to stop. */
export async function runWorkerProcess(flags: WorkerFlags): Promise<void> {
  // Before there are threads, which take them over.
  for (const flag of heapFlags) setFlagsFromString(flag);
  const environment = readEnvironment();
  const names = flags.roles ?? configuredRoles(environment);
  const engine = engineAddress();
  if (engine.kind === 'embedded') {
    throw new ConfigError(
      'TEMPORAL_ADDRESS',
      'is not set: a worker serves a Temporal server (`diligence dev` runs one with its worker)',
    );
  }
  refuseUnserved(environment, names);
  const keysOf = flags.embedded === true ? 'embedded' : 'server';
  const { idKey, store, keys, remarks } = await openHouse(environment, keysOf);
  const { log, happenings } = installLog(flags.logLevel);
  store.observe(happenings.store);
  for (const remark of remarks) log.warn(remark);
  // The sandbox of `dev` has another port at each start.
  if (flags.embedded !== true) {
    for (const other of await otherAddresses(store, environment))
      log.warn(`${other}: all workers of a store need the same`);
    await keepAddresses(store, environment);
  }
  const stopping = new AbortController();
  const metrics = new WorkerMetrics(ownVersion());
  const lag = new EventLoopLag();
  const readiness = new ReadinessProbe(store);
  const endpoints = await openEndpoints(environment.metricsAddress, log, {
    metrics,
    lagSeconds: () => lag.seconds(),
    readiness: () => readiness.look(),
  });
  const standstill = new Standstill(store, (change, about) =>
    happenings.log(`workflow ${change}`, about),
  );
  const { signal } = stopping;
  const parts = { environment, store, idKey, stopping: signal, metrics, happenings, standstill };
  const made = names.map((name): Role => roles[name](parts));
  const services = made.flatMap(({ service }) => service ?? []);
  const rates = services.map(({ name, service }) => ({ name, rate: service.limiter.rate }));
  const leases = await holdRateLeases(store, rates, {
    warn: (message, about) => log.warn(about, message),
  });
  metrics.watch(store, () => standstill.count, rates);
  const { connectionOptions, address, namespace } = engine;
  const workers = await runWorkers({
    connectionOptions,
    address,
    namespace,
    roles: made,
    store,
    dataConverter: dataConverterOf(keys, namespace, environment.aadNamespace),
    identity: workerIdentity(keys),
  });
  await proveAgain(workers, store, keys);
  readiness.started(workers);
  log.info({ roles: names.join(','), address, store: store.id.slice(0, 8) }, 'worker is ready');
  process.send?.('ready');
  const tidying = removeOrphansDaily(store, log);
  const stop = (by: NodeJS.Signals): void => {
    if (signal.aborted) return;
    log.info({ signal: by }, 'stopping: running tasks are completed');
    readiness.stopping();
    stopping.abort();
    void workers.stop();
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  await workers.finished;
  for (const { service } of services) await service.close();
  for (const role of made) await role.close?.();
  // Without the store they expire.
  await leases.giveBack().catch(() => undefined);
  // Last: until here `/readyz` reports the shutdown.
  endpoints?.close();
  lag.stop();
  clearInterval(tidying);
  log.info('worker has stopped');
}

/** Bytes of a killed process. */
function removeOrphansDaily(store: Store, log: Logger): NodeJS.Timeout {
  const tidy = async (): Promise<void> => {
    try {
      const files = await store.records.removeOrphans(Date.now());
      if (files > 0) log.info({ files }, 'bytes that no record names were removed');
    } catch (error) {
      log.warn({ err: error }, 'bytes that no record names could not be looked for');
    }
  };
  void tidy();
  return setInterval(() => void tidy(), oneDayMs);
}

/** A key rotation lists the pollers and registers its key, perhaps after we proved ours. From now on it sees this worker. */
async function proveAgain(workers: RunningWorkers, store: Store, keys: KeyRing): Promise<void> {
  const giveUpAt = Date.now() + 5_000;
  while (workers.idleQueues().length > 0 && Date.now() < giveUpAt) await sleep(20);
  await sleep(100);
  try {
    await proveKeys(store, keys);
  } catch (error) {
    await workers.stop();
    throw error;
  }
}

/** Opens keys and store. Before the log: the SDK's runtime, once installed, keeps an idle process alive. */
async function openHouse(environment: Environment, keysOf: 'embedded' | 'server') {
  const remarks: string[] = [];
  const say = (line: string): void => void remarks.push(line);
  // If this fails, nothing has been created yet.
  if (keysOf === 'server') await findPayloadKeys(environment, keysOf);
  const { idKey, generated } = await findIdKey(environment.dataDir, environment.idKey);
  if (generated) say('an id key was generated in the data directory (0600): keep it safe');
  const store = await openOwnStore(environment, idKey, keysOf, say);
  const keys = await findPayloadKeys(environment, keysOf, say);
  await proveKeys(store, keys);
  return { idKey, store, keys, remarks };
}

/** Null when there are none: jobs matter more than metrics. */
async function openEndpoints(
  wanted: ListenAddress | null,
  log: Logger,
  sources: EndpointSources,
): Promise<Endpoints | null> {
  if (wanted === null) return null;
  try {
    const endpoints = await serveEndpoints(wanted, sources);
    log.info({ address: endpoints.address }, 'serving /healthz, /readyz and /metrics');
    return endpoints;
  } catch (error) {
    log.warn(
      { ...wanted, code: (error as NodeJS.ErrnoException).code ?? null },
      'DILIGENCE_METRICS_ADDRESS: cannot be listened on, the worker runs without its endpoints',
    );
    return null;
  }
}

function ownVersion(): string {
  const text = readFileSync(join(__dirname, '..', '..', 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
