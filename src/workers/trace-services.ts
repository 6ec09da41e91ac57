import type { MonitorDependencies } from '../activities/dependencies';
import type { TraceDependencies } from '../activities/traces/traces';
import { TracesApi } from '../apis/investigation/traces';
import type { Environment } from '../environment';
import type { WorkerMetrics } from './metrics';

/** The part of the composition root for searches: on the service of monitors, whose rate they share. */
export function traceDependencies(
  { traceNames }: Environment,
  { monitors, store, nameOf, warn, now, random }: MonitorDependencies,
  { metrics, stopping }: { metrics: WorkerMetrics; stopping: AbortSignal },
): TraceDependencies {
  const { service, timeoutMs } = monitors;
  return {
    traces: new TracesApi(service, traceNames, timeoutMs),
    store,
    nameOf,
    metrics: metrics.traces,
    stopping,
    warn,
    now,
    random,
  };
}
