import type { Client } from '@temporalio/client';
import type { WorkerOptions } from '@temporalio/worker';
import { Service } from '../apis/http/service';
import { Token } from '../apis/http/token';
import type { QueueKind } from '../domain/core/queues';
import type { CreditSettings, Environment } from '../environment';
import type { IdKey } from '../protection/id-key';
import { AuditTrail } from '../store/audit/trail';
import type { Store } from '../store/store';
import type { Happenings } from './happened';
import type { WorkerMetrics } from './metrics';
import type { Standstill } from './stalls';

/** Dependencies from which a worker creates its activities. */
export interface WorkerParts {
  environment: Environment;
  store: Store;
  idKey: IdKey;
  stopping: AbortSignal;
  metrics: WorkerMetrics;
  happenings: Happenings;
  standstill: Standstill;
}

/** What a process brings for a role: workers, one per task queue, and the service that they call. */
export interface Role {
  queues: (client: Client) => Partial<Record<QueueKind, Partial<WorkerOptions>>>;
  service?: { name: string; service: Service };
  /** Before its workers poll. */
  begin?(client: Client, queueOf: (kind: QueueKind) => string): Promise<void>;
  close?(): Promise<void>;
}

/** Dependencies of all activities. */
export function commonOf({ store, idKey, metrics, happenings, stopping }: WorkerParts) {
  return {
    store,
    nameOf: (document: string): string => idKey.nameOf('document', document),
    audit: new AuditTrail(store, idKey),
    metrics,
    stopping,
    warn: (message: string, about?: Record<string, string | number | null>): void =>
      happenings.warn(message, about),
    now: Date.now,
    random: Math.random,
  };
}

/** @param settings of one of its tokens and rates */
export function serviceOf(
  name: 'investigation' | 'credit',
  { baseUrl, token, rps, timeoutMs }: CreditSettings,
  { environment: { guard, resendOn503 }, metrics, happenings }: WorkerParts,
): Service {
  return new Service({
    baseUrl,
    token: Token.from(token),
    mostPerSecond: rps,
    guard,
    resendOn503,
    connectTimeoutMs: Math.min(10_000, timeoutMs),
    observer: happenings.callsOf(name, metrics.observerOf(name)),
  });
}

/** Shared by the resources of the investigation service, including the rate. */
export interface InvestigationBase extends Pick<WorkerParts, 'environment' | 'idKey' | 'metrics'> {
  common: ReturnType<typeof commonOf>;
  service: Service;
  timeoutMs: number;
}

/** The activities of one resource. */
export interface InvestigationPart {
  activities: object;
  close?(): Promise<void>;
}
