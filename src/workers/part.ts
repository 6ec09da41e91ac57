import type { Service } from '../apis/http/service';
import type { Environment } from '../environment';
import type { IdKey } from '../protection/id-key';
import { AuditTrail } from '../store/audit/trail';
import type { Store } from '../store/store';
import type { Happenings } from './happened';
import type { WorkerMetrics } from './metrics';

/** Dependencies from which a worker creates its activities. */
export interface WorkerParts {
  store: Store;
  idKey: IdKey;
  stopping: AbortSignal;
  warn: (message: string, about?: Record<string, string | number | null>) => void;
  metrics: WorkerMetrics;
  happenings: Happenings;
}

/** Dependencies of all activities. */
export function commonOf({ store, idKey, metrics, stopping, warn }: WorkerParts) {
  return {
    store,
    nameOf: (document: string): string => idKey.nameOf('document', document),
    audit: new AuditTrail(store, idKey),
    metrics: metrics.jobs,
    stopping,
    warn,
    now: Date.now,
    random: Math.random,
  };
}

/** Shared by the resources of the investigation service, including the rate. */
export interface InvestigationBase {
  common: ReturnType<typeof commonOf>;
  idKey: IdKey;
  service: Service;
  timeoutMs: number;
  environment: Environment;
  metrics: WorkerMetrics;
}

/** The activities of one resource. */
export interface InvestigationPart {
  activities: object;
  close?(): Promise<void>;
}
