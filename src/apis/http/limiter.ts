import { Rate, type RateOptions } from './rate';
import { onAbort } from './signals';

/**
 * Lets calls of one service pass at the rate that was found, in order of priority, and waits as told.
 * What a rate is tried with beyond it are reads.
 */

/** In the order of service. Requests and reads share the rate half and half while both wait. */
export const callPriorities = ['interactive', 'request', 'pdf', 'poll'] as const;
export type CallPriority = (typeof callPriorities)[number];

export interface LimiterOptions extends RateOptions {
  /**
   * A process lives on while a permit is waited for: for a command, which would end in the middle of
   * its work. Default false: a worker ends when it is told to.
   */
  keepsAlive?: boolean;
  /** Told how long a permit was waited for, whether it was had or given up. */
  onWaited?: (priority: CallPriority, waitedMs: number) => void;
}

export interface AcquireOptions {
  /** Give up at this instant (epoch milliseconds). Without it the wait has no end. */
  until?: number;
  signal?: AbortSignal | undefined;
}

interface Waiter {
  grant: (granted: boolean) => void;
  until: number;
}

/** Nobody waits longer before asking once more, whatever the service said. */
const longestPauseMs = 3_600_000;
/** A rate that has changed is looked at after this. */
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
  /** Calls that may go now: any, those that cost money, and reads beyond that. */
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

  /** True once a permit is had; false when `until` came first or the signal fired. */
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

  /** The service said "not before", of requests that cost money, of reads, or of everything. */
  pauseFor(ms: number, what: 'all' | 'paid' | 'reads' = 'all'): void {
    const until = this.#now() + Math.min(ms, longestPauseMs);
    for (const each of what === 'all' ? (['paid', 'reads', 'all'] as const) : [what]) {
      this.#pausedUntil[each] = Math.max(this.#pausedUntil[each], until);
    }
    this.#serve();
  }

  /** Milliseconds until a call that asks now could go, as far as can be told. */
  expectedWaitMs(): number {
    this.#fill();
    const waiting = callPriorities.reduce((sum, name) => sum + this.#queues[name].length, 0);
    const missing = Math.max(0, waiting + 1 - this.#tokens.any);
    const pause = Math.max(0, this.#pausedUntil.paid - this.#now());
    return Math.ceil(pause + (missing / this.rate.perSecond) * 1_000);
  }

  /** How many wait, by priority. */
  waiting(): Record<CallPriority, number> {
    const entries = callPriorities.map((name) => [name, this.#queues[name].length] as const);
    return Object.fromEntries(entries) as Record<CallPriority, number>;
  }

  #fill(): void {
    const now = this.#now();
    const seconds = Math.max(0, now - this.#filledAt) / 1_000;
    this.#filledAt = now;
    const { perSecond, paidPerSecond, trialPerSecond } = this.rate;
    // A tenth of a second's worth may be saved up: bursts would defeat a service's own bucket.
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
    // Where a permit is there and nobody may have it, what holds it back is looked at again.
    const refillMs = missing > 0 ? (missing * 1_000) / (perSecond + trialPerSecond) : lookMs;
    const ready = Math.max(refillMs, this.#pausedUntil.all - now);
    const waitMs = Math.min(Math.max(1, Math.ceil(Math.min(ready, firstLate - now))), 60_000);
    this.#timer = setTimeout(() => this.#serve(), waitMs);
    if (!this.#keepsAlive) this.#timer.unref();
  }
}

/** A hair below 1: the sum of many small refills may fall short of a whole by rounding. */
function has(tokens: number): boolean {
  return tokens >= 0.999;
}
