import type { MonitorDependencies } from '../activities/dependencies';
import type { DossierDependencies } from '../activities/dossiers/dossiers';
import { DossiersApi } from '../apis/investigation/dossiers';
import type { Environment } from '../environment';
import type { WorkerMetrics } from './metrics';

/** The part of the composition root for dossiers: on the service of monitors, whose rate they share. */
export function dossierDependencies(
  { dossierNames }: Environment,
  { monitors, store, nameOf, warn, now, random }: MonitorDependencies,
  { metrics, stopping }: { metrics: WorkerMetrics; stopping: AbortSignal },
): DossierDependencies {
  const { service, timeoutMs } = monitors;
  return {
    dossiers: new DossiersApi(service, dossierNames, timeoutMs),
    store,
    nameOf,
    metrics: metrics.dossiers,
    stopping,
    warn,
    now,
    random,
  };
}
