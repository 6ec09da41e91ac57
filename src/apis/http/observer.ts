import type { CallName } from './errors';
import type { CallPriority } from './limiter';

/**
 * How one call ended. `no_answer`: it may have arrived, and nothing or half an answer came back;
 * `not_sent`: surely nothing left; `broken_off`: a read that we gave up ourselves.
 */
export type CallEnding = 'answered' | 'no_answer' | 'not_sent' | 'broken_off';

/** What a metrics page or a log may learn of a call: no URL, no values. */
export interface CallReport extends CallName {
  ending: CallEnding;
  /** Null unless answered. */
  status: number | null;
  error: string | null;
  durationMs: number;
  /** The answer refuses our credentials, not what was asked. */
  credentialsRefused: boolean;
  /** Calls a second that the service is called at now. */
  perSecond: number;
}

/** Is told of every call of a service. Runs within the call: cheap, and it does not throw. */
export interface CallObserver {
  /** Followed by one `callEnded`. */
  callStarted(): void;
  callEnded(report: CallReport): void;
  /** A call waited for its permit, until it had it or gave up. */
  permitAwaited(priority: CallPriority, waitedMs: number): void;
}
