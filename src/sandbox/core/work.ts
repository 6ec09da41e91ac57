/** Work that takes time: all it will ever be is fixed when it begins; the clock reveals it. */

import { drawDuration, type Distribution } from './chance';
import type { JsonObject } from '../http/answer';

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

/** What is shown of work: the words of a document for waiting, for being at it, and for each ending. */
export function statusOf<Ending extends string, Status extends string>(
  { ending, startsAt, endsAt }: Work<Ending>,
  now: number,
  [waiting, working]: readonly [Status, Status],
  settledAs: Readonly<Record<Ending, Status>>,
): Status {
  if (now < startsAt) return waiting;
  return now < endsAt ? working : settledAs[ending];
}

export interface FailureWords {
  /** Codes of a failure that may pass, and of one that stays. */
  codes: readonly [string, string];
  message: string;
}

/** What a failure says, with what the scenario lays over it. */
export function failureOf(
  ending: string,
  { codes: [passing, lasting], message }: FailureWords,
  own: JsonObject | undefined,
): JsonObject {
  return ending === 'failure_retryable'
    ? { code: passing, message, retryable: true, retry_after_seconds: 1, ...own }
    : { code: lasting, message, retryable: false, ...own };
}
