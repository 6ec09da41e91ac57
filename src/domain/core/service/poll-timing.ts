/** When to read a remote state again. Pure: age and randomness are handed in. */

/** Bounds of the poll interval where the service names none (certificates). All in milliseconds. */
export interface PollPace {
  /** Age at which an issuance is read for the first time. */
  firstMs: number;
  /** The next interval as a share of the age: 0.25 reads at 1.25, 1.56, 1.95... times the age. */
  growth: number;
  minMs: number;
  maxMs: number;
  /** Share of the interval that chance may add or take away, so that rows do not march in step. */
  jitter: number;
}

export const certificatePace: PollPace = {
  firstMs: 400,
  growth: 0.25,
  minMs: 400,
  maxMs: 60_000,
  jitter: 0.15,
};

/**
 * Milliseconds until the next read of something that is `ageMs` old.
 *
 * @param random a number in [0, 1), for the jitter
 */
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
 *
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
 * How long a watch may hold its rows before it returns what it has, so that slow rows never keep
 * fresh ones unwatched: 5 s for a fresh row, a quarter of the age later, at most 5 minutes.
 */
export function pollBoundMs(youngestAgeMs: number): number {
  return Math.min(Math.max(5_000, youngestAgeMs / 4), 300_000);
}

/** How an activity waits for one resource (decision record 021). All in milliseconds. */
export interface WaitBounds {
  /** A wait up to this long is held by the activity; a longer one by the server. */
  holdMs: number;
  /** So long an activity holds in all, however short the waits: then they are the server's too. */
  holdInAllMs: number;
  /** No read comes sooner after the one before, whatever the service asks for. */
  minMs: number;
  /** No timer of the server is shorter. */
  leastLeaveMs: number;
  /** Nor later, so that a service that asks for a year is asked now and then. */
  maxMs: number;
  /** With less time left than this, the activity holds to the deadline. */
  lastHoldMs: number;
  /** A timer of the server ends at least this long before the deadline: past it, it fails at once. */
  marginMs: number;
  /** A read that has no answer so long after the deadline is given up: it may not even have left. */
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
  /** Let the server keep the timer; a new attempt reads then. */
  | { kind: 'leave'; ms: number }
  /** What was just read was the last read. */
  | { kind: 'expired' };

/**
 * What to do after a read that found nothing settled.
 *
 * @param retryAfterMs what the service asked for, or our own pace where it asked for nothing
 * @param leftMs until the deadline
 * @param heldMs how long it is held already; Infinity: long enough
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
  // Of 0 the server would make "never", and of what lies past the deadline "failed".
  return { kind: 'leave', ms: Math.max(leastLeaveMs, Math.min(ms, leftMs - marginMs)) };
}
