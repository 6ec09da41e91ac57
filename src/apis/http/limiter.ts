import { onAbort } from './signals';

/**
 * The rate of one service, held by one process: a token bucket that serves in order of priority,
 * waits as told after 429, and slows down when it is told often.
 */

/** In the order of service. Requests and reads share the rate half and half while both wait. */
export const callPriorities = ['interactive', 'request', 'pdf', 'poll'] as const;
export type CallPriority = (typeof callPriorities)[number];

export interface LimiterOptions {
  /** Calls a second for this process (the installation's rate divided by its workers). */
  ratePerSecond: number;
  now?: () => number;
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

/** The slowest a service can make us by answering 429: a tenth of the configured rate. */
const minFactor = 0.1;
/** Nobody waits longer before asking once more, whatever the service said. */
const longestPauseMs = 3_600_000;
/** Regained a second, as a share of the configured rate, once 429 stops coming. */
const regainPerSecond = 0.05;

export class Limiter {
  readonly ratePerSecond: number;
  readonly #now: () => number;
  readonly #keepsAlive: boolean;
  readonly #onWaited: (priority: CallPriority, waitedMs: number) => void;
  readonly #queues: Record<CallPriority, Waiter[]> = {
    interactive: [],
    request: [],
    pdf: [],
    poll: [],
  };
  #tokens: number;
  #filledAt: number;
  #pausedUntil = 0;
  #factor = 1;
  #readsTurn = false;
  #timer: NodeJS.Timeout | undefined;

  constructor({
    ratePerSecond,
    now = Date.now,
    keepsAlive = false,
    onWaited = () => {},
  }: LimiterOptions) {
    if (!(ratePerSecond > 0)) throw new RangeError(`ratePerSecond: ${ratePerSecond}`);
    this.ratePerSecond = ratePerSecond;
    this.#now = now;
    this.#keepsAlive = keepsAlive;
    this.#onWaited = onWaited;
    this.#tokens = 1;
    this.#filledAt = now();
  }

  /** True once a permit is had; false when `until` came first or the signal fired. */
  acquire(
    priority: CallPriority,
    { until = Infinity, signal }: AcquireOptions = {},
  ): Promise<boolean> {
    if (signal?.aborted) return Promise.resolve(false);
    const askedAt = this.#now();
    return new Promise((resolve) => {
      const waiter: Waiter = {
        until,
        grant: (granted) => {
          letGo();
          this.#onWaited(priority, this.#now() - askedAt);
          resolve(granted);
        },
      };
      const giveUp = (): void => {
        const queue = this.#queues[priority];
        const place = queue.indexOf(waiter);
        if (place >= 0) queue.splice(place, 1);
        waiter.grant(false);
      };
      const letGo = onAbort(signal, giveUp);
      this.#queues[priority].push(waiter);
      this.#serve();
    });
  }

  /** The service said "not before": nobody on this limiter sends until then. */
  pauseFor(ms: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#now() + Math.min(ms, longestPauseMs));
    this.#serve();
  }

  /** The service answered 429: half the rate, regained slowly. */
  slowDown(): void {
    this.#fill();
    this.#factor = Math.max(minFactor, this.#factor / 2);
    this.#tokens = Math.min(this.#tokens, 1);
  }

  /** Milliseconds until a call that asks now could go, as far as can be told. */
  expectedWaitMs(): number {
    this.#fill();
    const waiting = callPriorities.reduce((sum, name) => sum + this.#queues[name].length, 0);
    const missing = Math.max(0, waiting + 1 - this.#tokens);
    const pause = Math.max(0, this.#pausedUntil - this.#now());
    return Math.ceil(pause + (missing / (this.ratePerSecond * this.#factor)) * 1_000);
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
    this.#factor = Math.min(1, this.#factor + seconds * regainPerSecond);
    const rate = this.ratePerSecond * this.#factor;
    // A tenth of a second's worth may be saved up: bursts would defeat a service's own bucket.
    const most = Math.max(1, rate / 10);
    this.#tokens = Math.min(most, this.#tokens + seconds * rate);
  }

  #serve(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#fill();
    const now = this.#now();
    this.#dropLate(now);
    if (now >= this.#pausedUntil) {
      // A hair below 1: the sum of many small refills may fall short of a whole by rounding.
      while (this.#tokens >= 0.999) {
        const next = this.#next();
        if (next === undefined) break;
        this.#tokens -= 1;
        next.grant(true);
      }
    }
    this.#wakeLater(now);
  }

  #next(): Waiter | undefined {
    const { interactive, request, pdf, poll } = this.#queues;
    if (interactive.length > 0) return interactive.shift();
    const readsWait = pdf.length > 0 || poll.length > 0;
    if (request.length > 0 && !(readsWait && this.#readsTurn)) {
      this.#readsTurn = true;
      return request.shift();
    }
    this.#readsTurn = false;
    return pdf.shift() ?? poll.shift();
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
    const missing = Math.max(0, 1 - this.#tokens);
    const refillMs = (missing / (this.ratePerSecond * this.#factor)) * 1_000;
    const ready = Math.max(refillMs, this.#pausedUntil - now);
    const waitMs = Math.min(Math.max(1, Math.ceil(Math.min(ready, firstLate - now))), 60_000);
    this.#timer = setTimeout(() => this.#serve(), waitMs);
    if (!this.#keepsAlive) this.#timer.unref();
  }
}
