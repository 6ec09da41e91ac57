import { groupBy } from '../domain/core/group-by';
import {
  queueKinds,
  queueName,
  queueSuffix,
  queuesOf,
  type QueueKind,
} from '../domain/core/queues';
import { retentionScheduleId, termText } from '../domain/core/retention';
import { rateWords } from '../domain/core/service/rates';
import { ConfigError, type Environment } from '../environment';
import type { Store } from '../store/store';
import type { EngineClient } from '../temporal/connection';
import { isGrpcStatus } from '../temporal/grpc-status';
import { reachEngine } from '../temporal/open-engine';
import { refuseOtherStore } from '../temporal/namespace-store';
import { queuePollers } from '../temporal/queue-pollers';
import { missingSearchAttributes } from '../temporal/search-attributes';
import { stalledWorkflows } from '../temporal/stalled-workflows';
import { fail, messageOf, ok, warn, type Finding } from './finding';

const leastDays = 7;

/** The Temporal server, its namespace, and the pollers of our queues. Starts nothing. */
export async function examineEngine(
  environment: Environment,
  store: Store | null,
): Promise<Finding[]> {
  const check = 'engine';
  let engine: EngineClient | null;
  try {
    engine = await reachEngine(environment);
  } catch (error) {
    const fix = 'start the server, or fix TEMPORAL_ADDRESS (and TEMPORAL_TLS, TEMPORAL_API_KEY)';
    return [fail(check, messageOf(error), fix)];
  }
  if (engine === null)
    return [ok(check, 'none runs on this data directory: a command that needs one starts it')];
  try {
    const findings = await examineServer(engine);
    if (findings.some(({ state }) => state === 'fail')) return findings;
    findings.push(await examineSearchAttributes(engine));
    if (store === null) return findings;
    const stranger = await examineOwner(engine, store);
    if (stranger !== null) return [...findings, stranger];
    return [
      ...findings,
      ...(await examinePollers(engine, environment, store)),
      ...(await examineRates(store)),
      await examineStandstill(engine, store),
      await examineRetention(engine, environment),
    ];
  } catch (error) {
    const fix = 'read the log of the server, and try again';
    return [fail(check, `${engine.address}: ${messageOf(error)}`, fix)];
  } finally {
    await engine.close();
  }
}

async function examineServer(engine: EngineClient): Promise<Finding[]> {
  const { address, connection, record } = engine;
  const { serverVersion } = await connection.workflowService.getSystemInfo({});
  const embedded = record === undefined ? '' : ' (embedded)';
  const config =
    record === undefined
      ? 'a server does not tell it: matching.enableFairness and limit.maxIDLength are set as in docker/dynamicconfig.yaml, or interactive work waits behind batches'
      : 'as the embedded engine needs it';
  return [
    ok('engine', `${address}, server ${serverVersion || 'of unknown version'}${embedded}`),
    ...(await examineNamespace(engine)),
    ok('dynamic config', config),
  ];
}

async function examineNamespace({ connection, namespace }: EngineClient): Promise<Finding[]> {
  const check = `namespace ${namespace}`;
  const operator = `temporal operator namespace`;
  const found = await connection.workflowService
    .describeNamespace({ namespace })
    .catch((error: unknown) => {
      if (isGrpcStatus(error, 'notFound')) return null;
      throw error;
    });
  if (found === null) {
    const fix = `${operator} create --namespace ${namespace} --retention 30d, or fix TEMPORAL_NAMESPACE`;
    return [fail(check, 'the server has none of this name', fix)];
  }
  const findings: Finding[] = [];
  if (found.namespaceInfo?.capabilities?.syncUpdate === false) {
    const fix = 'set frontend.enableUpdateWorkflowExecution on the server';
    findings.push(fail(check, 'takes no updates: pause, resume and cancel will not work', fix));
  }
  const days = Number(found.config?.workflowExecutionRetentionTtl?.seconds ?? 0) / 86_400;
  const kept = `what has ended is kept ${days.toFixed(1)} days (results stay in the store)`;
  const fix = `${operator} update --namespace ${namespace} --retention 30d`;
  findings.push(days >= leastDays ? ok(check, kept) : warn(check, kept, fix));
  return findings;
}

async function examineSearchAttributes(engine: EngineClient): Promise<Finding> {
  const check = 'search attributes';
  try {
    const missing = await missingSearchAttributes(engine);
    if (missing === null)
      return ok(check, 'the server does not tell which there are: `diligence setup` names ours');
    if (missing.length === 0) return ok(check, 'ours are registered');
    return fail(check, `${missing.join(', ')}: not registered`, 'run `diligence setup` once');
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return fail(check, error.message, 'as it says');
  }
}

/** Null unless the namespace belongs to another store: workers of ours refuse it. */
async function examineOwner(engine: EngineClient, store: Store): Promise<Finding | null> {
  try {
    await refuseOtherStore(engine, store.id);
    return null;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return fail(`namespace ${engine.namespace}`, error.message, 'as it says');
  }
}

/** The queues of a worker with these services. */
export function queuesToPoll({
  credit,
  investigation,
}: Pick<Environment, 'credit' | 'investigation'>): QueueKind[] {
  const services: (keyof typeof queuesOf)[] = credit === null ? [] : ['credit'];
  if (investigation !== null || credit === null) services.push('certificates', 'investigation');
  const needed = new Set<QueueKind>(services.flatMap((service) => queuesOf[service]));
  return queueKinds.filter((kind) => needed.has(kind));
}

async function examinePollers(
  engine: EngineClient,
  environment: Environment,
  store: Store,
): Promise<Finding[]> {
  const suffix = queueSuffix(store);
  const fix = 'start one with this store: `diligence worker`';
  const findings: Finding[] = [];
  for (const kind of queuesToPoll(environment)) {
    const check = `queue ${queueName(kind, suffix)}`;
    const { length } = await queuePollers(engine, kind, suffix);
    const none = fail(check, 'no worker polls it', fix);
    findings.push(length === 0 ? none : ok(check, `${length} worker(s) poll it`));
  }
  return findings;
}

/** Rates of the services, now or within the last day. */
async function examineRates(store: Store): Promise<Finding[]> {
  const shares = groupBy(await store.rateShares.all(Date.now()), ({ service }) => service);
  return [...shares].map(([service, all]) => {
    return ok(
      `rate ${service}`,
      rateWords(all, Date.now(), (en) => en),
    );
  });
}

async function examineStandstill({ client }: EngineClient, store: Store): Promise<Finding> {
  const check = 'workflows';
  const stalled = await stalledWorkflows(client, queueName('workflows', queueSuffix(store)));
  if (stalled.length === 0) return ok(check, 'none stands still');
  const named = stalled.slice(0, 5).map(({ jobId, workflowId, cause }) => {
    return `${jobId ?? workflowId} (${cause})`;
  });
  const fix =
    'run the version of diligence that started them (`diligence logs` says why), or `cancel` them';
  return fail(check, `${stalled.length} stand still: ${named.join(', ')}`, fix);
}

/** Read without keys: the input of the schedule is sealed, and need not be opened. */
async function examineRetention(
  { connection, namespace }: EngineClient,
  { retention }: Environment,
): Promise<Finding> {
  const check = 'retention';
  const found = await connection.workflowService
    .describeSchedule({ namespace, scheduleId: retentionScheduleId })
    .catch((error: unknown) => {
      if (isGrpcStatus(error, 'notFound')) return null;
      throw error;
    });
  const terms = retention.map(termText).join(', ');
  if ((found === null) !== (retention.length === 0)) {
    const fix = 'set the same DILIGENCE_RETENTION for every process, and restart the workers';
    const detail = found === null ? `${terms}: nothing applies it` : 'is applied, and not set here';
    return warn(check, detail, fix);
  }
  if (found === null) return ok(check, 'none is set: jobs are kept until somebody erases them');
  const last = instantOf(found.info?.recentActions?.at(-1)?.actualTime) ?? 'never';
  const next = instantOf(found.info?.futureActionTimes?.[0]) ?? 'never: it is paused';
  return ok(check, `${terms}; applied last at ${last}; next at ${next}`);
}

function instantOf(time: { seconds?: unknown } | null | undefined): string | null {
  return time?.seconds == null ? null : new Date(Number(time.seconds) * 1_000).toISOString();
}
