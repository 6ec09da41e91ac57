/** When to read a remote state again. Pure: age and randomness are parameters. */

/** Bounds of the poll interval where the service names none (certificates). All in milliseconds. */
export interface PollPace {
  /** Age at which an issuance is read for the first time. */
  firstMs: number;
  /** The next interval as a share of the age: 0.25 reads at 1.25, 1.56, 1.95... times the age. */
  growth: number;
  minMs: number;
  maxMs: number;
  /** Random share of the interval, so that rows are not read in step. */
  jitter: number;
}

export const certificatePace: PollPace = {
  firstMs: 400,
  growth: 0.25,
  minMs: 400,
  maxMs: 60_000,
  jitter: 0.15,
};

/** Milliseconds until the next read of a resource that is `ageMs` old. @param random in [0, 1), for the jitter */
export function nextPollMs(
  ageMs: number,
  random: number,
  pace: PollPace = certificatePace,
): number {
  const grown = Math.max(ageMs, 0) * pace.growth;
  const interval = Math.min(Math.max(grown, pace.minMs), pace.maxMs);
  return Math.round(interval * (1 + pace.jitter * (2 * random - 1)));
}

/**
 * Doubling wait with jitter: 1, 2, 4... times `baseMs`, at most `maxMs`.
 * @param failures consecutive failures so far, from 1
 */
export function backoffMs(
  failures: number,
  random: number,
  { baseMs = 1_000, maxMs = 300_000 } = {},
): number {
  const full = Math.min(baseMs * 2 ** Math.min(Math.max(failures - 1, 0), 30), maxMs);
  return Math.round(full * (0.75 + 0.25 * random));
}

/**
 * How long a poll may hold its rows before it returns, so that slow rows do not delay fresh ones: 5 s for a fresh row,
 * a quarter of the age later, at most 5 minutes.
 */
export function pollBoundMs(youngestAgeMs: number): number {
  return Math.min(Math.max(5_000, youngestAgeMs / 4), 300_000);
}

/** How an activity waits for one resource (decision record 021). All in milliseconds. */
export interface WaitBounds {
  /** The activity waits up to this long; Temporal waits longer. */
  holdMs: number;
  /** Upper bound of all waits in one activity: later ones are Temporal's. */
  holdInAllMs: number;
  /** Minimum interval, whatever the service asks for. */
  minMs: number;
  /** Minimum timer of Temporal. */
  leastLeaveMs: number;
  /** Maximum interval, for a service that asks for a year. */
  maxMs: number;
  /** With less time left than this, the activity waits until the deadline. */
  lastHoldMs: number;
  /** Temporal's timer ends at least this long before the deadline: past it, the activity fails at once. */
  marginMs: number;
  /** A read without a response this long after the deadline is aborted: it may not have been sent. */
  lastReadMs: number;
}

export const waitBounds: WaitBounds = {
  holdMs: 10_000,
  holdInAllMs: 30_000,
  minMs: 400,
  leastLeaveMs: 1_000,
  maxMs: 3_600_000,
  lastHoldMs: 5_000,
  marginMs: 2_000,
  lastReadMs: 5_000,
};

export type WaitStep =
  /** Wait here, then read again. */
  | { kind: 'hold'; ms: number }
  /** Temporal keeps the timer; a new attempt reads then. */
  | { kind: 'leave'; ms: number }
  | { kind: 'expired' };

/**
 * What to do after a read that found nothing settled.
 * @param retryAfterMs of the service, or else our own interval
 * @param leftMs until the deadline
 * @param heldMs how long the activity has waited; Infinity: long enough
 */
export function nextWait(
  retryAfterMs: number,
  leftMs: number,
  heldMs: number,
  {
    holdMs,
    holdInAllMs,
    minMs,
    leastLeaveMs,
    maxMs,
    lastHoldMs,
    marginMs,
  }: WaitBounds = waitBounds,
): WaitStep {
  if (leftMs <= 0) return { kind: 'expired' };
  const ms = Math.ceil(Math.min(Math.max(retryAfterMs, minMs), maxMs));
  const isShort = ms <= holdMs && heldMs + ms <= holdInAllMs;
  if (leftMs < lastHoldMs || isShort) return { kind: 'hold', ms: Math.min(ms, leftMs) };
  // Temporal takes 0 as "never", and fails a retry past the deadline.
  return { kind: 'leave', ms: Math.max(leastLeaveMs, Math.min(ms, leftMs - marginMs)) };
}
