import { Rate, type RateOptions } from './rate';
import { onAbort } from './signals';

/**
 * Admits calls of one service at the measured rate, by priority, and obeys Retry-After. A higher rate is tried with
 * reads only.
 */

/** In order of priority. Requests and reads share the rate equally while both wait. */
export const callPriorities = ['interactive', 'request', 'pdf', 'poll'] as const;
export type CallPriority = (typeof callPriorities)[number];

export interface LimiterOptions extends RateOptions {
  /** A pending permit keeps the process alive: for a command, which would end early. Default false: a worker ends at shutdown. */
  keepsAlive?: boolean;
  /** Reports how long a call waited for a permit, granted or not. */
  onWaited?: (priority: CallPriority, waitedMs: number) => void;
}

export interface AcquireOptions {
  /** Give up at this instant (epoch milliseconds). Default: never. */
  until?: number;
  signal?: AbortSignal | undefined;
}

interface Waiter {
  grant: (granted: boolean) => void;
  until: number;
}

/** Maximum pause of all calls before the next try, whatever the service asks for. */
const longestPauseMs = 300_000;
/** Interval to check for a changed rate. */
const lookMs = 100;

export class Limiter {
  readonly rate: Rate;
  readonly #now: () => number;
  readonly #keepsAlive: boolean;
  readonly #onWaited: (priority: CallPriority, waitedMs: number) => void;
  readonly #queues: Record<CallPriority, Waiter[]> = {
    interactive: [],
    request: [],
    pdf: [],
    poll: [],
  };
  /** Calls that may start now: any, paid ones, and extra reads. */
  readonly #tokens = { any: 1, paid: 1, trial: 0 };
  #filledAt: number;
  readonly #pausedUntil = { all: 0, paid: 0, reads: 0 };
  #readsTurn = false;
  #timer: NodeJS.Timeout | undefined;

  constructor({ keepsAlive = false, onWaited = () => {}, ...options }: LimiterOptions) {
    this.rate = new Rate(options);
    this.#now = options.now ?? Date.now;
    this.#keepsAlive = keepsAlive;
    this.#onWaited = onWaited;
    this.#filledAt = this.#now();
  }

  /** True with a permit; false at `until` or when the signal fired. */
  acquire(
    priority: CallPriority,
    { until = Infinity, signal }: AcquireOptions = {},
  ): Promise<boolean> {
    if (signal?.aborted) return Promise.resolve(false);
    const requestedAt = this.#now();
    return new Promise((resolve) => {
      const waiter: Waiter = {
        until,
        grant: (granted) => {
          letGo();
          this.#onWaited(priority, this.#now() - requestedAt);
          resolve(granted);
        },
      };
      const giveUp = (): void => {
        const queue = this.#queues[priority];
        const position = queue.indexOf(waiter);
        if (position >= 0) queue.splice(position, 1);
        waiter.grant(false);
      };
      const letGo = onAbort(signal, giveUp);
      this.#queues[priority].push(waiter);
      this.#serve();
    });
  }

  /** Retry-After for paid requests, reads, or everything. */
  pauseFor(ms: number, what: 'all' | 'paid' | 'reads' = 'all'): void {
    const until = this.#now() + Math.min(ms, longestPauseMs);
    for (const each of what === 'all' ? (['paid', 'reads', 'all'] as const) : [what]) {
      this.#pausedUntil[each] = Math.max(this.#pausedUntil[each], until);
    }
    this.#serve();
  }

  /** Estimated milliseconds until a new call could start. */
  expectedWaitMs(): number {
    this.#fill();
    const waiting = callPriorities.reduce((sum, name) => sum + this.#queues[name].length, 0);
    const missing = Math.max(0, waiting + 1 - this.#tokens.any);
    const pause = Math.max(0, this.#pausedUntil.paid - this.#now());
    return Math.ceil(pause + (missing / this.rate.perSecond) * 1_000);
  }

  /** At this moment more calls may want to start: none waits, and nothing bounds the rate or half of what may be saved up is there. */
  get areAmple(): boolean {
    this.#fill();
    const { all, reads } = this.#pausedUntil;
    return (
      (this.rate.reason === 'growing' ||
        this.#tokens.any >= Math.max(1, this.rate.perSecond / 20)) &&
      this.#now() >= Math.max(all, reads) &&
      callPriorities.every((name) => this.#queues[name].length === 0)
    );
  }

  /** Waiting calls by priority. */
  waiting(): Record<CallPriority, number> {
    const entries = callPriorities.map((name) => [name, this.#queues[name].length] as const);
    return Object.fromEntries(entries) as Record<CallPriority, number>;
  }

  #fill(): void {
    const now = this.#now();
    const seconds = Math.max(0, now - this.#filledAt) / 1_000;
    this.#filledAt = now;
    const { perSecond, paidPerSecond, trialPerSecond } = this.rate;
    // At most a tenth of a second of permits is saved: bursts would exceed a service's own bucket.
    const filled = (tokens: number, rate: number, least: number): number =>
      Math.min(Math.max(least, rate / 10), tokens + seconds * rate);
    this.#tokens.any = filled(this.#tokens.any, perSecond, 1);
    this.#tokens.paid = paidPerSecond > 0 ? filled(this.#tokens.paid, paidPerSecond, 1) : 0;
    this.#tokens.trial = trialPerSecond > 0 ? filled(this.#tokens.trial, trialPerSecond, 1) : 0;
  }

  #serve(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#fill();
    const now = this.#now();
    this.#dropLate(now);
    for (let next = this.#next(now); next !== undefined; next = this.#next(now)) {
      this.rate.sent();
      next.grant(true);
    }
    this.#wakeLater(now);
  }

  #next(now: number): Waiter | undefined {
    if (now < this.#pausedUntil.all) return undefined;
    const { interactive, request, pdf, poll } = this.#queues;
    const tokens = this.#tokens;
    const reads = pdf.length > 0 ? pdf : poll;
    const readsWait = reads.length > 0 && now >= this.#pausedUntil.reads;
    if (!has(tokens.any)) {
      if (!readsWait) return undefined;
      this.rate.wanted();
      return has(tokens.trial) ? this.#take('trial', reads) : undefined;
    }
    if (interactive.length > 0) return this.#take('any', interactive);
    const requestsWait = request.length > 0 && has(tokens.paid) && now >= this.#pausedUntil.paid;
    if (requestsWait && !(readsWait && (this.#readsTurn || this.rate.holdsPaid))) {
      this.#readsTurn = true;
      tokens.paid -= 1;
      return this.#take('any', request);
    }
    this.#readsTurn = false;
    return readsWait ? this.#take('any', reads) : undefined;
  }

  #take(from: 'any' | 'trial', queue: Waiter[]): Waiter | undefined {
    this.#tokens[from] -= 1;
    return queue.shift();
  }

  #dropLate(now: number): void {
    for (const name of callPriorities) {
      const queue = this.#queues[name];
      if (!queue.some((waiter) => waiter.until <= now)) continue;
      this.#queues[name] = queue.filter((waiter) => waiter.until > now);
      for (const waiter of queue) if (waiter.until <= now) waiter.grant(false);
    }
  }

  #wakeLater(now: number): void {
    let waiting = 0;
    let firstLate = Infinity;
    for (const name of callPriorities) {
      waiting += this.#queues[name].length;
      for (const waiter of this.#queues[name]) firstLate = Math.min(firstLate, waiter.until);
    }
    if (waiting === 0) return;
    const { perSecond, trialPerSecond } = this.rate;
    const missing = Math.max(0, 1 - this.#tokens.any);
    // A permit is free and no call may take it: check the reason again.
    const refillMs = missing > 0 ? (missing * 1_000) / (perSecond + trialPerSecond) : lookMs;
    const ready = Math.max(refillMs, this.#pausedUntil.all - now);
    const waitMs = Math.min(Math.max(1, Math.ceil(Math.min(ready, firstLate - now))), 60_000);
    this.#timer = setTimeout(() => this.#serve(), waitMs);
    if (!this.#keepsAlive) this.#timer.unref();
  }
}

/** Slightly below 1: many small refills may round down. */
function has(tokens: number): boolean {
  return tokens >= 0.999;
}
