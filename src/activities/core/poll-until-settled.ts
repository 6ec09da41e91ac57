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
      /** Null: nothing that a person should see. */
      value: T | null;
      /** What a person would want to see change: a state, with an attempt number if there is one. */
      status: string;
      /** A word that the specification does not list: logged once, and waited for. */
      unknownWord?: string | null;
      /** As the service asks; null or left out when it asks for nothing. */
      pollAfterMs?: number | null;
      /** Goes with the heartbeats: phases, for who looks. Nothing personal, no signed address. */
      details?: unknown;
    };

/** Nothing to report but that it goes on. */
export function goesOn(status: string, pollAfterMs: number | null = null) {
  return { kind: 'unsettled', value: null, status, pollAfterMs } as const;
}

export interface PollDependencies {
  /** Aborted when the worker is to stop. */
  stopping: AbortSignal;
  warn: (message: string, about?: Record<string, string | number | null>) => void;
  now: () => number;
  random: () => number;
  /** Between two reads; default: on the clock. */
  pause?: Pause;
  bounds?: WaitBounds;
}

export interface PollTerms extends PollRequest {
  /** What is polled, in the words of a log. */
  what: string;
  /**
   * Hopeless reads (404, 410...) end the wait when every one was for this long: what was just made may
   * not be shown yet, and one odd answer ends no wait of days. Default 0.
   */
  refusalPatienceMs?: number;
  /** Answers that cannot be read are hopeless too; else they are waited out. */
  refusesUnreadable?: true;
  /**
   * The status when credentials were waited for and another failure came. Without it they are waited
   * for, as far as anybody sees, until something is read.
   */
  quiet?: string;
}

/**
 * To be called in an activity with a heartbeat time-out.
 *
 * @param read may throw: what is transient (no answer, 5xx, 429, refused credentials) is waited out.
 *   Its signal fires when it is cancelled, and soon after the deadline
 * @throws ApplicationFailure `NotSettledYet`, CancelledFailure, and what is no failure of the service
 */
export type PollUntilSettled = <T>(
  read: (signal: AbortSignal) => Promise<Reading<T>>,
  terms: PollTerms,
) => Promise<Polled<T>>;

/** The interval where the service names none, or does not answer. */
const pace: PollPace = { firstMs: 400, growth: 0.2, minMs: 400, maxMs: 60_000, jitter: 0.1 };
/** Words that a worker has warned of are few; a service that makes them up is not followed. */
const mostWords = 1_000;

/**
 * Polls one resource (decision record 021) and leaves no history: the first attempt holds while waits
 * are short, for half a minute in all; else it fails BENIGN, so that the server keeps the timer and no
 * slot is held. What has not settled by then takes long: later attempts read once. It returns when the
 * status changes, and when the deadline has come, as a value.
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
        // The server would not remember since when it is refused.
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
          // Who looks meanwhile is shown them: they stay with the server until the next attempt.
          if (heartbeats.details !== undefined) context.heartbeat(heartbeats.details);
          throw notSettledYet(step.ms);
        }
        await withEither([cancellationSignal, stopping], (woken) => pause(step.ms, woken));
        if (cancellationSignal.aborted) return await context.cancelled;
        // Another worker goes on: nothing is read by one that is to end.
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
      // Of a read that was broken off nothing is to be made: the caller sees to the signal.
      const isBrokenOff = signal.aborted || late.signal.aborted;
      if (isBrokenOff) return { kind: 'wait', ...nothingRead, retryAfterMs: ownMs };
      return afterFailure(error, ownMs, terms);
    } finally {
      clearTimeout(timer);
    }
  }

  /** @throws what is no failure of the service */
  function afterFailure<T>(error: unknown, ownMs: number, terms: ProbeTerms): Probe<T> {
    if (!isCallFailure(error)) throw error;
    const failure = classifyFailure(error);
    if (failure === 'credentials') {
      return { kind: 'wait', ...nothingRead, status: waitingForCredentials, retryAfterMs: ownMs };
    }
    const isUnreadable = error instanceof ContractError;
    if (failure === 'permanent' || (isUnreadable && terms.refusesUnreadable === true)) {
      return refusal(error, terms);
    }
    const unreadable = isUnreadable ? error.message : null;
    warn(`${terms.what} could not be read`, { reason: error.name, unreadable });
    const requested = error instanceof StatusError ? (error.retryAfterMs ?? 0) : 0;
    // This time it was not turned away for its token.
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
  /** Epoch milliseconds from which on every read was refused. */
  refusedSince: number | null;
}

type Probe<T> =
  | { kind: 'end'; polled: Polled<T> }
  | {
      kind: 'wait';
      /** Null: it could not be read. */
      value: T | null;
      /** Null: nothing is known that could have changed. */
      status: string | null;
      details?: unknown;
      retryAfterMs: number;
      isRefused?: boolean;
    };

const nothingRead = { value: null, status: null } as const;
