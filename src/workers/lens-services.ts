import type { MonitorDependencies } from '../activities/dependencies';
import type { LensDependencies } from '../activities/lens/lens';
import { LensApi } from '../apis/investigation/lens';
import type { Environment } from '../environment';
import type { WorkerMetrics } from './metrics';

/** The part of the composition root for analyses: on the service of monitors, whose rate they share. */
export function lensDependencies(
  environment: Environment,
  { monitors, store, audit, nameOf, warn, now, random }: MonitorDependencies,
  { metrics, stopping }: { metrics: WorkerMetrics; stopping: AbortSignal },
): LensDependencies {
  const { service, timeoutMs } = monitors;
  return {
    lens: new LensApi(service, environment.lens, timeoutMs),
    store,
    audit,
    nameOf,
    metrics: metrics.lens,
    stopping,
    warn,
    now,
    random,
  };
}
