import { Context } from '@temporalio/activity';
import { classifyFailure, isCallFailure } from '../../apis/http/classify';
import { ContractError, StatusError } from '../../apis/http/errors';
import {
  nextPollMs,
  nextWait,
  waitBounds,
  type PollPace,
  type WaitBounds,
} from '../../domain/core/poll-timing';
import { waitingForCredentials, type WaitOrder, type Waited } from '../../domain/core/settled-wait';
import { notSettledYet } from './failures';
import { Heartbeats } from './heartbeats';
import { longestTimerMs, pauseOnTheClock, type Pause } from './pause';

/** One read of remote state. */
export type Reading<T> =
  | { kind: 'settled'; value: T }
  | {
      kind: 'unsettled';
      value: T;
      /** What a person would want to see change: a state, with an attempt number if there is one. */
      visible: string;
      /** A word that the specification does not list: told once, and waited for. */
      unknownWord: string | null;
      /** As the service asks; null when it asks for nothing. */
      pollAfterMs: number | null;
      /** Goes with the heartbeats: phases, for who looks. Nothing personal, no signed address. */
      details?: unknown;
    };

export interface WaitDependencies {
  /** Aborted when the worker was told to stop. */
  stopping: AbortSignal;
  warn: (message: string, about?: Record<string, string | number | null>) => void;
  now: () => number;
  random: () => number;
  /** Between two reads; default: on the clock. */
  pause?: Pause;
  bounds?: WaitBounds;
}

export interface WaitTerms extends WaitOrder {
  /** What is waited for, in the words of a log. */
  what: string;
  /**
   * A read that is refused for good (404, 410...) ends the wait when every one was for this long:
   * what was just made may not be shown yet, and one odd answer ends no wait of days. Default 0.
   */
  refusalPatienceMs?: number;
  /**
   * What is visible when credentials were waited for and another fault came. Without it they are
   * waited for, as far as anybody sees, until something is read.
   */
  quiet?: string;
}

/** The interval where the service names none, or does not answer. */
const pace: PollPace = { firstMs: 1_000, growth: 0.2, minMs: 1_000, maxMs: 60_000, jitter: 0.1 };
/** Words that a worker has warned of are few; a service that makes them up is not followed. */
const mostWords = 1_000;

/**
 * Waits for one resource (decision record 021). Polls leave no history: the first attempt holds
 * while waits are short, for half a minute in all; else it fails BENIGN, so that the server keeps the
 * timer and no slot is held. What has not settled by then takes long: later attempts read once. It
 * returns when something visible changes, and when the deadline has come, as a value.
 */
export class SettledWait {
  readonly #deps: WaitDependencies;
  readonly #pause: Pause;
  readonly #bounds: WaitBounds;
  readonly #warned = new Set<string>();

  constructor(deps: WaitDependencies) {
    this.#deps = deps;
    this.#pause = deps.pause ?? pauseOnTheClock;
    this.#bounds = deps.bounds ?? waitBounds;
  }

  /**
   * To be called in an activity with a heartbeat time-out.
   *
   * @param read may throw: what passes (no answer, 5xx, 429, refused credentials) is waited out. Its
   *   signal fires when it is cancelled, and soon after the deadline
   * @throws ApplicationFailure `NotSettledYet`, CancelledFailure, and what is no fault of the service
   */
  async until<T>(
    read: (signal: AbortSignal) => Promise<Reading<T>>,
    terms: WaitTerms,
  ): Promise<Waited<T>> {
    const { now, stopping } = this.#deps;
    const context = Context.current();
    const { cancellationSignal } = context;
    const woken = AbortSignal.any([cancellationSignal, stopping]);
    const heartbeats = new Heartbeats(now, 1_000);
    const begunAt = now();
    let refusedSince: number | null = null;
    try {
      for (;;) {
        const look: Look<T> = await this.#look(read, cancellationSignal, {
          ...terms,
          refusedSince,
        });
        if (cancellationSignal.aborted) return await context.cancelled;
        if (look.kind === 'end') return look.waited;
        heartbeats.details = look.details ?? heartbeats.details;
        refusedSince = look.isRefused ? (refusedSince ?? now()) : null;
        // The server would not remember since when it is refused.
        const mayHold = refusedSince !== null || context.info.attempt === 1;
        const heldMs = refusedSince === null ? now() - begunAt : 0;
        const step = nextWait(
          look.askedMs,
          terms.deadlineAt - now(),
          mayHold ? heldMs : Infinity,
          this.#bounds,
        );
        if (step.kind === 'expired') return { kind: 'expired', value: look.value };
        if (look.visible !== null && look.visible !== terms.seen) {
          return { kind: 'changed', visible: look.visible, value: look.value };
        }
        if (stopping.aborted) throw notSettledYet(1_000);
        if (step.kind === 'leave') {
          // Who looks meanwhile is shown them: they stay with the server until the next attempt.
          if (heartbeats.details !== undefined) context.heartbeat(heartbeats.details);
          throw notSettledYet(step.ms);
        }
        await this.#pause(step.ms, woken);
        if (cancellationSignal.aborted) return await context.cancelled;
        // Another worker goes on: nothing is read by one that is to end.
        if (stopping.aborted) throw notSettledYet(1_000);
      }
    } finally {
      heartbeats.stop();
    }
  }

  async #look<T>(
    read: (signal: AbortSignal) => Promise<Reading<T>>,
    signal: AbortSignal,
    terms: LookTerms,
  ): Promise<Look<T>> {
    const ownMs = nextPollMs(this.#deps.now() - terms.since, this.#deps.random(), pace);
    const late = new AbortController();
    const leftMs = Math.max(0, terms.deadlineAt - this.#deps.now());
    const lateMs = Math.min(leftMs + this.#bounds.lastReadMs, longestTimerMs);
    const timer = setTimeout(() => late.abort(), lateMs);
    try {
      const reading = await read(AbortSignal.any([signal, late.signal]));
      if (reading.kind === 'settled') return { kind: 'end', waited: reading };
      this.#warnOnce(reading.unknownWord, terms.what);
      const { value, visible, details, pollAfterMs } = reading;
      return { kind: 'wait', value, visible, details, askedMs: pollAfterMs ?? ownMs };
    } catch (error) {
      // Of a read that was broken off nothing is to be made: the caller sees to the signal.
      const isBrokenOff = signal.aborted || late.signal.aborted;
      if (isBrokenOff) return { kind: 'wait', ...nothingRead, askedMs: ownMs };
      return this.#fault(error, ownMs, terms);
    } finally {
      clearTimeout(timer);
    }
  }

  /** @throws what is no fault of the service */
  #fault<T>(error: unknown, ownMs: number, terms: LookTerms): Look<T> {
    if (!isCallFailure(error)) throw error;
    const failure = classifyFailure(error);
    if (failure === 'credentials') {
      return { kind: 'wait', ...nothingRead, visible: waitingForCredentials, askedMs: ownMs };
    }
    if (failure === 'permanent') return this.#refusal(error as StatusError, terms);
    const { name: reason } = error;
    const unreadable = error instanceof ContractError ? error.message : null;
    this.#deps.warn(`${terms.what} could not be read`, { reason, unreadable });
    const asked = error instanceof StatusError ? (error.retryAfterMs ?? 0) : 0;
    // This time it was not turned away for its token.
    const visible = terms.seen === waitingForCredentials ? (terms.quiet ?? null) : null;
    return { kind: 'wait', ...nothingRead, visible, askedMs: Math.max(ownMs, asked) };
  }

  #refusal<T>(
    error: StatusError,
    { refusedSince, refusalPatienceMs = 0, what }: LookTerms,
  ): Look<T> {
    const { status, code, message } = error;
    const refusedMs = refusedSince === null ? 0 : this.#deps.now() - refusedSince;
    if (refusedMs >= refusalPatienceMs) {
      return { kind: 'end', waited: { kind: 'refused', status, code, message } };
    }
    this.#deps.warn(`${what} is refused`, { status, code });
    const ownMs = nextPollMs(refusedMs, this.#deps.random(), pace);
    const askedMs = Math.min(ownMs, refusalPatienceMs - refusedMs, this.#bounds.holdMs);
    return { kind: 'wait', ...nothingRead, askedMs, isRefused: true };
  }

  #warnOnce(word: string | null, what: string): void {
    if (word === null) return;
    const key = `${what}: ${word}`;
    if (this.#warned.has(key) || this.#warned.size >= mostWords) return;
    this.#warned.add(key);
    this.#deps.warn('a status word that is not known; it is waited on', { what, word });
  }
}

interface LookTerms extends WaitTerms {
  /** Epoch milliseconds from which on every read was refused. */
  refusedSince: number | null;
}

type Look<T> =
  | { kind: 'end'; waited: Waited<T> }
  | {
      kind: 'wait';
      /** Null: it could not be read. */
      value: T | null;
      /** Null: nothing is known that could have changed. */
      visible: string | null;
      details?: unknown;
      askedMs: number;
      isRefused?: boolean;
    };

const nothingRead = { value: null, visible: null } as const;
