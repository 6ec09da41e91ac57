import type { CallName } from './errors';
import type { CallPriority } from './limiter';

/**
 * How one call ended. `no_answer`: it may have arrived, without a complete response; `not_sent`: certainly nothing was
 * sent; `broken_off`: a read that we aborted.
 */
export type CallEnding = 'answered' | 'no_answer' | 'not_sent' | 'broken_off';

/** Data of a call for metrics or logs: no URL, no values. */
export interface CallReport extends CallName {
  ending: CallEnding;
  /** Null unless answered. */
  status: number | null;
  error: string | null;
  durationMs: number;
  /** The response refuses our credentials, not the request. */
  credentialsRefused: boolean;
  /** Current rate in calls a second. */
  perSecond: number;
}

/** Notified of every call of a service. Runs within the call: cheap, throws nothing. */
export interface CallObserver {
  /** Followed by one `callEnded`. */
  callStarted(): void;
  callEnded(report: CallReport): void;
  /** A call waited for its permit, granted or not. */
  permitAwaited(priority: CallPriority, waitedMs: number): void;
}
