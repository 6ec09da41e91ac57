import type { Billing } from '../core/service/billing';
import type { ServiceFailure } from '../core/service/service-failure';

export const traceStates = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const;
export type TraceState = (typeof traceStates)[number];

/** Types by which a list can be filtered. The service derives them from the target. */
export const traceTypes = ['email', 'phone', 'username', 'wallet'] as const;
export type TraceType = (typeof traceTypes)[number];

export const traceStrategies = ['all', 'first_match'] as const;
export type TraceStrategy = (typeof traceStrategies)[number];

/** Decoded leniently: only the id is required. Null: absent, or of another type. */
export interface Trace {
  traceId: string;
  state: TraceState | 'unknown';
  statusWord: string | null;
  type: string | null;
  /** Personal data: never to be logged in the clear. */
  target: string | null;
  strategy: string | null;
  /** Not every source answered. */
  partial: boolean | null;
  /** Status of each source, unparsed: the specification does not show its structure. Null: absent. */
  coverage: Readonly<Record<string, unknown>> | null;
  billing: Billing | null;
  /** Unparsed: the specification does not show their structure. */
  artifacts: readonly unknown[];
  failure: ServiceFailure | null;
  pollAfterMs: number | null;
  createdAt: string | null;
  completedAt: string | null;
}
