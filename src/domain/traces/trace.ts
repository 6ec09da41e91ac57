import type { Billing } from '../core/service/billing';
import type { ServiceFailure } from '../core/service/service-failure';

/** Trace searches, in our words. */

/** States by which a list can be filtered. */
export const traceStates = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const;
export type TraceState = (typeof traceStates)[number];

/** Types by which a list can be filtered. The service derives them from the target. */
export const traceTypes = ['email', 'phone', 'username', 'wallet'] as const;
export type TraceType = (typeof traceTypes)[number];

export const traceStrategies = ['all', 'first_match'] as const;
export type TraceStrategy = (typeof traceStrategies)[number];

/** Read tolerantly: only the id is relied on. Null: not told, or of another type. */
export interface Trace {
  traceId: string;
  /** `unknown`: a word that the specification does not list, or none. */
  state: TraceState | 'unknown';
  statusWord: string | null;
  type: string | null;
  /** Personal data: never to be logged in the clear. */
  target: string | null;
  strategy: string | null;
  /** Not every source has answered. */
  partial: boolean | null;
  /** Situation of each source, as it came; null when not told. Its structure is not shown. */
  coverage: Readonly<Record<string, unknown>> | null;
  billing: Billing | null;
  /** As they came: their structure is not shown. */
  artifacts: readonly unknown[];
  /** As it came; null while there is none. */
  result: Readonly<Record<string, unknown>> | null;
  failure: ServiceFailure | null;
  pollAfterMs: number | null;
  createdAt: string | null;
  updatedAt: string | null;
  startedAt: string | null;
  completedAt: string | null;
}
