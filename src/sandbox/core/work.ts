/** Work that takes time: all it will ever be is fixed when it begins; the clock reveals it. */

import { iso, type JsonObject } from '../http/answer';
import { drawDuration, type Distribution } from './chance';
import type { Times } from './scenario-parts';

/** By the words of a scenario: for how many times it ends so unless the step says, and what it then shows. */
export type Endings<Ending extends string = string, Status extends string = string> = Readonly<
  Record<Ending, readonly [times: Times, status: Status]>
>;

export interface Work<Ending extends string> {
  ending: Ending;
  /** Instants, in milliseconds; `endsAt` is infinite when it never settles. */
  createdAt: number;
  startsAt: number;
  endsAt: number;
}

type Range = readonly [number, number];

export interface WorkTiming {
  waitingMs: Range;
  processingMs: Range;
  distribution: Distribution;
}

/** Times of one script, before those of all. */
interface OwnTiming {
  waitingMs?: Range | undefined;
  processingMs?: Range | undefined;
}

/** @param words what the durations are drawn from */
export function beginWork<Ending extends string>(
  at: number,
  ending: Ending,
  { waitingMs, processingMs, distribution }: WorkTiming,
  words: readonly (string | number)[],
  own: OwnTiming = {},
): Work<Ending> {
  const waiting = drawDuration(own.waitingMs ?? waitingMs, distribution, ...words, 'waiting');
  const range = own.processingMs ?? processingMs;
  const processing = drawDuration(range, distribution, ...words, 'processing');
  const startsAt = at + waiting;
  const endsAt = ending === 'never_settles' ? Number.POSITIVE_INFINITY : startsAt + processing;
  return { ending, createdAt: at, startsAt, endsAt };
}

/** What is shown of work: the words of a document for waiting and for being at it, then of its ending. */
export function statusOf<Ending extends string, Status extends string>(
  { ending, startsAt, endsAt }: Work<Ending>,
  now: number,
  [waiting, working]: readonly [Status, Status],
  endings: Endings<Ending, Status>,
): Status {
  if (now < startsAt) return waiting;
  return now < endsAt ? working : endings[ending][1];
}

/** Its instants, as the investigation service shows them; absent before they have come. */
export function instantsOf(
  { createdAt, startsAt, endsAt }: Omit<Work<never>, 'ending'>,
  now: number,
): JsonObject {
  return {
    created_at: iso(createdAt),
    ...(now >= startsAt && { started_at: iso(startsAt) }),
    ...(now >= endsAt && { completed_at: iso(endsAt) }),
  };
}

/** The last of the instants that has come. */
export function latest(now: number, first: number, ...instants: readonly number[]): string {
  return iso(Math.max(first, ...instants.filter((at) => at <= now)));
}

/** How long to wait before the next read of what has not settled. */
export function pollHint(seconds: number | null, settled: boolean): JsonObject {
  return settled || seconds === null ? {} : { poll_after_seconds: seconds };
}

/** Charged in tokens when the service has done what was asked for. */
export function billingOf(isDone: boolean, amount: number): JsonObject {
  return isDone
    ? { status: 'charged', amount, unit: 'tokens' }
    : { status: 'not_charged', amount: 0, unit: 'tokens' };
}

export interface FailureWords {
  /** Codes of a failure that may pass, and of one that stays. */
  codes: readonly [string, string];
  message: string;
}

/** What a failure says, with what the scenario lays over it. */
export function failureOf(
  ending: string,
  { codes: [transient, permanent], message }: FailureWords,
  own: JsonObject | undefined,
): JsonObject {
  return ending === 'failure_retryable'
    ? { code: transient, message, retryable: true, retry_after_seconds: 1, ...own }
    : { code: permanent, message, retryable: false, ...own };
}
