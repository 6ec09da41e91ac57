import { Context } from '@temporalio/activity';
import { classifyFailure, isCallFailure, type CallFailure } from '../../apis/http/classify';
import { withEither } from '../../apis/http/signals';
import { ContractError, StatusError } from '../../apis/http/errors';
import {
  nextPollMs,
  nextWait,
  waitBounds,
  type PollPace,
  type WaitBounds,
} from '../../domain/core/service/poll-timing';
import {
  waitingForCredentials,
  type Polled,
  type PollRequest,
} from '../../domain/core/service/poll-request';
import { unreadableAnswer } from '../../domain/core/service/service-failure';
import { notSettledYet } from './failures';
import { Heartbeats } from './heartbeats';
import { longestTimerMs, pauseOnTheClock, type Pause } from './pause';

/** One read of remote state. */
export type Reading<T> =
  | { kind: 'settled'; value: T }
  /** As of `Polled`. */
  | { kind: 'stopped' }
  | {
      kind: 'unsettled';
      /** Null: nothing to show to a person. */
      value: T | null;
      /** The status whose changes are shown: a state, with an attempt number if there is one. */
      status: string;
      /** A status that the specification does not list: logged once, and polled on. */
      unknownWord?: string | null;
      /** The service's Retry-After; null or left out: none. */
      pollAfterMs?: number | null;
      /** Sent with the heartbeats, for progress. Nothing personal, no signed address. */
      details?: unknown;
    };

/** Not settled, with nothing else to report. */
export function unsettled(status: string, pollAfterMs: number | null = null) {
  return { kind: 'unsettled', value: null, status, pollAfterMs } as const;
}

/** A result may come in parts: one that is missing at the end is awaited this long. */
const patienceWithNoneMs = 5_000;

/** Whether a missing result may come still; remembered for the process, since each attempt may read once. */
export class MissingResults {
  readonly #since = new Map<string, number>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  mayCome(folder: string, isMissing: boolean): boolean {
    const since = this.#since.get(folder) ?? this.#now();
    const may = isMissing && this.#now() - since < patienceWithNoneMs;
    if (may) this.#since.set(folder, since);
    else this.#since.delete(folder);
    return may;
  }
}

export interface PollDependencies {
  /** Aborted at shutdown. */
  stopping: AbortSignal;
  warn: (message: string, about?: Record<string, string | number | null>) => void;
  now: () => number;
  random: () => number;
  /** Between two reads; default: real time. */
  pause?: Pause;
  bounds?: WaitBounds;
}

export interface PollTerms extends PollRequest {
  /** What is polled, for the log. */
  what: string;
  /**
   * Permanent failures (404, 410...) end the poll when every read has failed for this long: a new resource may not
   * be visible yet, and a single wrong response must not end a poll of days. Default 0.
   */
  refusalPatienceMs?: number;
  /** Unreadable responses count as permanent failures; else only JSON:API documents do. */
  refusesUnreadable?: true;
  /**
   * Status once another failure follows refused credentials. Left out: the status stays until a read succeeds.
   */
  quiet?: string;
}

/**
 * Call it in an activity with a heartbeat timeout.
 *
 * @param read transient errors (no response, 5xx, 429, refused credentials) are retried. Its signal fires on
 *   cancellation, and soon after the deadline
 * @throws ApplicationFailure `NotSettledYet`, CancelledFailure, and errors not of the service
 */
export type PollUntilSettled = <T>(
  read: (signal: AbortSignal) => Promise<Reading<T>>,
  terms: PollTerms,
) => Promise<Polled<T>>;

/** Interval when the service names none, or does not respond. */
const pace: PollPace = { firstMs: 400, growth: 0.2, minMs: 400, maxMs: 60_000, jitter: 0.1 };
/** Bounds the set of statuses that this worker has warned of. */
const mostWords = 1_000;

/**
 * Polls one resource (decision record 021) without history: the first attempt holds for half a minute while waits
 * are short; then it fails BENIGN, so that Temporal keeps the timer and no slot is held. Later attempts read
 * once. It returns when the status changes, and at the deadline.
 */
export function createPolling(deps: PollDependencies): PollUntilSettled {
  const { now, random, stopping, warn, pause = pauseOnTheClock, bounds = waitBounds } = deps;
  const warned = new Set<string>();

  async function pollUntilSettled<T>(
    read: (signal: AbortSignal) => Promise<Reading<T>>,
    terms: PollTerms,
  ): Promise<Polled<T>> {
    const context = Context.current();
    const { cancellationSignal } = context;
    const heartbeats = new Heartbeats(now, 1_000);
    const startedAt = now();
    let refusedSince: number | null = null;
    try {
      for (;;) {
        const probe: Probe<T> = await probed(read, cancellationSignal, { ...terms, refusedSince });
        if (cancellationSignal.aborted) return await context.cancelled;
        if (probe.kind === 'end') return probe.polled;
        heartbeats.details = probe.details ?? heartbeats.details;
        refusedSince = probe.isRefused ? (refusedSince ?? now()) : null;
        // Temporal would not remember since when reads are refused.
        const mayHold = refusedSince !== null || context.info.attempt === 1;
        const heldMs = refusedSince === null ? now() - startedAt : 0;
        const leftMs = terms.deadlineAt - now();
        const step = nextWait(probe.retryAfterMs, leftMs, mayHold ? heldMs : Infinity, bounds);
        if (step.kind === 'expired') return { kind: 'expired', value: probe.value };
        if (probe.status !== null && probe.status !== terms.seen) {
          return { kind: 'changed', status: probe.status, value: probe.value };
        }
        if (stopping.aborted) throw notSettledYet(1_000);
        if (step.kind === 'leave') {
          // They stay visible on the server until the next attempt.
          if (heartbeats.details !== undefined) context.heartbeat(heartbeats.details);
          throw notSettledYet(step.ms);
        }
        await withEither([cancellationSignal, stopping], (woken) => pause(step.ms, woken));
        if (cancellationSignal.aborted) return await context.cancelled;
        // At shutdown another worker continues.
        if (stopping.aborted) throw notSettledYet(1_000);
      }
    } finally {
      heartbeats.stop();
    }
  }

  async function probed<T>(
    read: (signal: AbortSignal) => Promise<Reading<T>>,
    signal: AbortSignal,
    terms: ProbeTerms,
  ): Promise<Probe<T>> {
    const ownMs = nextPollMs(now() - terms.since, random(), pace);
    const late = new AbortController();
    const leftMs = Math.max(0, terms.deadlineAt - now());
    const lateMs = Math.min(leftMs + bounds.lastReadMs, longestTimerMs);
    const timer = setTimeout(() => late.abort(), lateMs);
    try {
      const reading = await withEither([signal, late.signal], read);
      if (reading.kind !== 'unsettled') return { kind: 'end', polled: reading };
      warnOnce(reading.unknownWord ?? null, terms.what);
      const { value, status, details, pollAfterMs } = reading;
      return { kind: 'wait', value, status, details, retryAfterMs: pollAfterMs ?? ownMs };
    } catch (error) {
      // An aborted read has no result: the caller checks the signal.
      const isBrokenOff = signal.aborted || late.signal.aborted;
      if (isBrokenOff) return { kind: 'wait', ...nothingRead, retryAfterMs: ownMs };
      return afterFailure(error, ownMs, terms);
    } finally {
      clearTimeout(timer);
    }
  }

  /** @throws errors not of the service */
  function afterFailure<T>(error: unknown, ownMs: number, terms: ProbeTerms): Probe<T> {
    if (!isCallFailure(error)) throw error;
    const failure = classifyFailure(error);
    if (failure === 'credentials') {
      return { kind: 'wait', ...nothingRead, status: waitingForCredentials, retryAfterMs: ownMs };
    }
    const isUnreadable = error instanceof ContractError;
    const isRefused = isUnreadable && (terms.refusesUnreadable === true || error.isJsonApi);
    if (failure === 'permanent' || isRefused) {
      return refusal(error, terms);
    }
    const unreadable = isUnreadable ? error.message : null;
    warn(`${terms.what} could not be read`, { reason: error.name, unreadable });
    const requested = error instanceof StatusError ? (error.retryAfterMs ?? 0) : 0;
    // This failure is not about the token.
    const status = terms.seen === waitingForCredentials ? (terms.quiet ?? null) : null;
    return { kind: 'wait', ...nothingRead, status, retryAfterMs: Math.max(ownMs, requested) };
  }

  function refusal<T>(
    error: CallFailure,
    { refusedSince, refusalPatienceMs = 0, what }: ProbeTerms,
  ): Probe<T> {
    const isStatus = error instanceof StatusError;
    const status = isStatus ? error.status : 200;
    const code = isStatus ? error.code : unreadableAnswer;
    const refusedMs = refusedSince === null ? 0 : now() - refusedSince;
    if (refusedMs >= refusalPatienceMs) {
      const why = isStatus && error.detail !== null ? `: ${error.detail}` : '';
      const message = `${error.message}${why}`;
      return { kind: 'end', polled: { kind: 'refused', status, code, message } };
    }
    const job = Context.current().info.workflowExecution?.workflowId ?? null;
    warn(`${what} is refused`, { job, status, code });
    const ownMs = nextPollMs(refusedMs, random(), pace);
    const retryAfterMs = Math.min(ownMs, refusalPatienceMs - refusedMs, bounds.holdMs);
    return { kind: 'wait', ...nothingRead, retryAfterMs, isRefused: true };
  }

  function warnOnce(word: string | null, what: string): void {
    if (word === null) return;
    const key = `${what}: ${word}`;
    if (warned.has(key) || warned.size >= mostWords) return;
    warned.add(key);
    warn('a status word that is not known; it is waited on', { what, word });
  }

  return pollUntilSettled;
}

interface ProbeTerms extends PollTerms {
  /** Epoch milliseconds since which every read was refused. */
  refusedSince: number | null;
}

type Probe<T> =
  | { kind: 'end'; polled: Polled<T> }
  | {
      kind: 'wait';
      /** Null: the read failed. */
      value: T | null;
      /** Null: no known change. */
      status: string | null;
      details?: unknown;
      retryAfterMs: number;
      isRefused?: boolean;
    };

const nothingRead = { value: null, status: null } as const;
