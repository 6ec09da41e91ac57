import type { MonitorDependencies } from '../activities/dependencies';
import type { ProfileDependencies } from '../activities/profiles/profiles';
import { ProfilesApi } from '../apis/investigation/profile';
import type { WorkerMetrics } from './metrics';

/** The part of the composition root for profiles: on the service of monitors, whose rate they share. */
export function profileDependencies(
  { monitors, store, audit, nameOf, warn, now, random }: MonitorDependencies,
  { metrics, stopping }: { metrics: WorkerMetrics; stopping: AbortSignal },
): ProfileDependencies {
  const { service, timeoutMs } = monitors;
  return {
    profiles: new ProfilesApi(service, timeoutMs),
    store,
    audit,
    nameOf,
    metrics: metrics.profiles,
    stopping,
    warn,
    now,
    random,
  };
}
