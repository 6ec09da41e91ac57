import type { HttpCall } from './call';
import { classifyFailure } from './classify';
import { StatusError } from './errors';
import type { HttpAnswer } from './exchange';
import type { Limiter } from './limiter';
import { decodeProblem, retryAfterMs } from './problem';
import type { Token } from './token';

/** Of one call, whatever the service asks for: a result that was paid for has a deadline. */
const longestWaitMs = 3_600_000;
/** Recent calls per route. */
const lastOfRoute = 6;

export interface AnswersOptions {
  limiter: Limiter;
  token: Token;
  /** Whether a 503 with Retry-After or a problem body was certainly not processed. */
  resendOn503: boolean;
  now: () => number;
}

/** What the responses of a service mean for the rate and the credential. */
export class Answers {
  readonly #limiter: Limiter;
  readonly #token: Token;
  readonly #resendOn503: boolean;
  readonly #now: () => number;
  /** Of the last calls of each route, whether they were throttled: 429, or 503 that says "busy". */
  readonly #routes = new Map<string, boolean[]>();

  constructor({ limiter, token, resendOn503, now }: AnswersOptions) {
    this.#limiter = limiter;
    this.#token = token;
    this.#resendOn503 = resendOn503;
    this.#now = now;
  }

  good(call: HttpCall, sentAt: number): void {
    this.#heard(call, sentAt, false);
  }

  /**
   * The error for a response other than 2xx; updates limiter and token.
   *
   * @param elsewhere from another origin that the service named
   */
  refused(call: HttpCall, answer: HttpAnswer, sentAt: number, elsewhere: boolean): StatusError {
    const header = (name: string): string | undefined => {
      const value = answer.headers[name];
      return Array.isArray(value) ? value[0] : value;
    };
    const { status } = answer;
    const problem = decodeProblem(answer.body);
    // A date is by the service's clock.
    const theirs = Date.parse(header('date') ?? '');
    const told = retryAfterMs(header('retry-after'), Number.isNaN(theirs) ? this.#now() : theirs);
    const waitMs = told === null ? null : Math.min(told, longestWaitMs);
    const isReportedBusy = status === 503 && (waitMs !== null || problem.hasProblem);
    const mayGoAgain = this.#resendOn503 && problem.retryable !== false;
    const error = new StatusError(call, {
      status,
      ...problem,
      retryAfterMs: waitMs,
      location: header('location') ?? null,
      elsewhere,
      wasNotProcessed: status === 429 || (isReportedBusy && mayGoAgain),
    });
    // Another origin that serves PDFs says nothing about our token or our rate.
    if (elsewhere) return error;
    if (classifyFailure(error) === 'credentials') this.#token.forget();
    const isPaid = call.keyless === true;
    const isRate = status === 429 && this.#limiter.rate.refused(sentAt, nameOf(call));
    const isRoute = this.#heard(call, sentAt, status === 429 || isReportedBusy, status < 500);
    if (isRate) this.#limiter.pauseFor(waitMs ?? 1_000);
    else if (isRoute) {
      if (isPaid && isReportedBusy) this.#limiter.rate.busy();
      this.#limiter.pauseFor(waitMs ?? 1_000, isPaid ? 'paid' : 'reads');
    }
    return error;
  }

  /** Records the call of a route. @returns whether the route is throttled, and not only this call */
  #heard(call: HttpCall, sentAt: number, isTurnedAway: boolean, isGood = true): boolean {
    const isPaid = call.keyless === true;
    if (!isTurnedAway && isGood) this.#limiter.rate.answered(sentAt, isPaid, nameOf(call));
    const route = `${call.method} ${call.pathTemplate}`;
    const last = this.#routes.get(route) ?? [];
    last.push(isTurnedAway);
    if (last.length > lastOfRoute) last.shift();
    this.#routes.set(route, last);
    return isTurnedAway && last.filter(Boolean).length * 2 >= last.length;
  }
}

/** Kept in memory alone: it may hold a document. */
function nameOf({ method, path, json, jsonText = JSON.stringify(json) }: HttpCall): string {
  return `${method} ${path} ${jsonText}`;
}
