/**
 * Measures how many calls a second a service takes from this process: the rate grows while extra reads succeed, falls
 * at 429, and is tried above a refused rate every minute. Paid requests follow the rate that reads have proved.
 */
/** The measured rate, for the next start. */
export interface FoundRate {
  perSecond: number;
  /** The rate that was refused; null: none. */
  ceiling: number | null;
}

export type RateReason =
  /** Nothing was refused yet: it grows with demand. */
  | 'growing'
  /** Stays below what was refused. */
  | 'refused'
  /** At the configured maximum. */
  | 'capped'
  /** This process has no share of the installation's rate. */
  | 'no_lease';

export interface RateOptions {
  /** Initial calls a second. Default: few. */
  perSecond?: number;
  /** Maximum calls a second of all sharers together. */
  cap?: number;
  now?: () => number;
}

/** Observes the calls after a refusal: they show whether it was about the rate. */
interface Watch {
  since: number;
  answers: number;
  refusals: number;
}

interface Trial {
  perSecond: number;
  startedAt: number;
  /** Calls sent since then, and successful reads among them. */
  sent: number;
  good: number;
  /** Time to use up what the service had saved for us. */
  forMs: number;
}

const firstPerSecond = 10;
/** Without a share of the installation's rate. */
const alonePerSecond = 1;
const leastPerSecond = 0.5;
const fallTo = 0.85;
const growth = 2;
const trialMs = 1_000;
/** After a refusal: longer, until the service's saved permits are used up. */
const trialAgainMs = 8_000;
const trialNearMs = 16_000;
const leastReads = 3;
/** A trial with too little demand ends after this. */
const longestTrialMs = 20_000;
/** Near the refused rate it is tried once a minute, by this factor. */
const near = 1.2;
const nearEveryMs = 60_000;
/** Another refusal within this time means much too fast. */
const waveMs = 3_000;
/** No trial after a refusal, so that the proved rate can be confirmed. */
const restMs = 6_000;
/** A busy response to a paid request limits paid requests to its rate for this long. */
const busyMs = 600_000;
/** A refusal is about the rate when one of this many later calls is refused too. */
const watched = 20;
/** From this rate on when so many are: single calls that are refused for reasons of their own come close to each other. */
const fastPerSecond = 100;
const refusalsWhenFast = 3;
const mostRefusedCalls = 10_000;
/** A smaller share of the last calls may be refused for reasons of their own. */
const manyRefused = 0.3;
/** Falls in a row to less than this, without an end of the refusals: they are not about the rate. */
const vainFallTo = 0.6;
/** A fall that helped is followed by no refusal for this long. */
const vainWithinMs = 15_000;
/** Such refusals are then of single calls; doubles each time. */
const tolerantMs = { first: 60_000, longest: 600_000 };

export class Rate {
  readonly #now: () => number;
  readonly #cap: number;
  #perSecond: number;
  /** What was refused. */
  #ceiling: number | null = null;
  #refusedAt = Number.NEGATIVE_INFINITY;
  #trial: Trial | null = null;
  #watch: Watch | null = null;
  /** Successful reads since the rate fell; a few prove it. */
  #good = 0;
  #isProved = true;
  #fellAt = Number.NEGATIVE_INFINITY;
  /** Calls that were refused, and not answered since. */
  readonly #refusedCalls = new Set<string>();
  /** Whether each of the last calls was refused, but those that were before. */
  #last: boolean[] = [];
  /** The rate before the first of some falls in a row, each at few refusals. */
  #vainFrom = 0;
  #tolerant = { until: Number.NEGATIVE_INFINITY, ms: tolerantMs.first };
  #busy: { perSecond: number; until: number } | null = null;
  #hasLease = true;
  /** Null: unknown. */
  #sharers: number | null = null;
  #refusals = 0;

  constructor({
    perSecond = firstPerSecond,
    cap = Number.POSITIVE_INFINITY,
    now = Date.now,
  }: RateOptions) {
    if (!(cap > 0 && perSecond > 0)) throw new RangeError(`calls a second: ${perSecond}, ${cap}`);
    this.#now = now;
    this.#cap = cap;
    this.#perSecond = Math.min(perSecond, cap);
  }

  /** Proved calls a second. */
  get perSecond(): number {
    return this.#hasLease ? this.#perSecond : Math.min(alonePerSecond, this.#perSecond);
  }

  /** Extra reads a second for a trial. */
  get trialPerSecond(): number {
    return this.#trial === null || !this.#hasLease ? 0 : this.#trial.perSecond - this.#perSecond;
  }

  /** The part that paid requests may use. */
  get paidPerSecond(): number {
    const now = this.#now();
    if (this.#busy !== null && now >= this.#busy.until) this.#busy = null;
    const proved = Math.min(this.perSecond, this.#busy?.perSecond ?? Number.POSITIVE_INFINITY);
    if (this.#isProved) return proved;
    // Without reads, paid requests find the rate themselves.
    return now - this.#fellAt > waveMs ? proved / 2 : 0;
  }

  /** The rate is unclear: paid requests wait while there are reads to test it. */
  get holdsPaid(): boolean {
    return this.#watch !== null || (this.#trial !== null && this.#ceiling !== null);
  }

  get reason(): RateReason {
    if (!this.#hasLease) return 'no_lease';
    if (this.#ceiling !== null) return 'refused';
    return this.#perSecond >= this.#most ? 'capped' : 'growing';
  }

  /** 429 responses so far. */
  get refusals(): number {
    return this.#refusals;
  }

  get found(): FoundRate {
    return { perSecond: this.#perSecond, ceiling: this.#ceiling };
  }

  /** Resumes from an earlier measurement. */
  begin({ perSecond, ceiling }: FoundRate): void {
    this.#perSecond = this.#within(perSecond);
    this.#ceiling = ceiling;
  }

  /** Number of sharers of the rate, including this process; null: it has no share. */
  share(sharers: number | null): void {
    this.#hasLease = sharers !== null;
    if (sharers === null || sharers === this.#sharers) return;
    const times = (this.#sharers ?? sharers) / sharers;
    this.#sharers = sharers;
    if (this.#ceiling !== null) this.#ceiling *= times;
    this.#perSecond = this.#within(this.#perSecond * times);
    this.#trial = null;
  }

  /** A call was sent. */
  sent(): void {
    if (this.#trial !== null) this.#trial.sent += 1;
  }

  /** More demand than rate: time for a trial. */
  wanted(): void {
    const now = this.#now();
    if (this.#trial !== null || this.#watch !== null || !this.#hasLease || !this.#isProved) return;
    if (this.#perSecond >= this.#most || now - this.#refusedAt < restMs) return;
    const isNear = this.#ceiling !== null && this.#ceiling < this.#perSecond * near;
    if (isNear && now - this.#refusedAt < nearEveryMs) return;
    const next = isNear
      ? this.#perSecond * near
      : Math.min(
          this.#perSecond * growth,
          Math.sqrt(this.#perSecond * (this.#ceiling ?? Number.POSITIVE_INFINITY)),
        );
    const perSecond = Math.min(next, this.#most);
    const forMs = isNear ? trialNearMs : this.#ceiling === null ? trialMs : trialAgainMs;
    this.#trial = { perSecond, startedAt: now, sent: 0, good: 0, forMs };
  }

  /** A call sent at that instant was not throttled. */
  answered(sentAt: number, isPaid: boolean, call: string): void {
    const now = this.#now();
    this.#refusedCalls.delete(call);
    this.#heard(false);
    if (this.#watch !== null && sentAt >= this.#watch.since) {
      this.#watch.answers += 1;
      if (this.#watch.answers >= watched) this.#watch = null;
    }
    if (sentAt < this.#fellAt) return;
    this.#good += 1;
    const sinceMs = now - this.#fellAt;
    if (this.#good >= leastReads && sinceMs >= (isPaid ? waveMs : trialMs)) this.#isProved = true;
    const trial = this.#trial;
    if (trial === null) return;
    if (!isPaid && sentAt >= trial.startedAt) trial.good += 1;
    const lastedMs = now - trial.startedAt;
    if (lastedMs < trial.forMs || this.#watch !== null) return;
    const found = Math.min(trial.perSecond, trial.sent / (lastedMs / 1_000));
    if (trial.good >= leastReads && found > this.#perSecond * 1.02) {
      if (found > (this.#ceiling ?? 0) * 0.98) this.#ceiling = null;
      this.#perSecond = this.#within(found);
      this.#trial = null;
    } else if (lastedMs > longestTrialMs) this.#trial = null;
  }

  /**
   * A call sent at that instant was refused with 429.
   *
   * @param call what names the call: one that is refused again says nothing about the others
   * @returns whether it is about the rate, so that all must wait; otherwise only that call
   */
  refused(sentAt: number, call: string): boolean {
    this.#refusals += 1;
    const now = this.#now();
    if (this.#refusedCalls.has(call)) return false;
    this.#refusedCalls.add(call);
    if (this.#refusedCalls.size > mostRefusedCalls) this.#refusedCalls.clear();
    const isFew = this.#heard(true) < manyRefused;
    if (isFew && now < this.#tolerant.until) return false;
    const isSlight = isFew && this.#perSecond >= fastPerSecond;
    const again = !isSlight && now - this.#fellAt < waveMs;
    if (sentAt < this.#fellAt || sentAt < this.#refusedAt) return false;
    if (!again) {
      this.#watch ??= { since: now, answers: 0, refusals: 0 };
      if (sentAt < this.#watch.since) return false;
      this.#watch.refusals += 1;
      if (isSlight && this.#watch.refusals < refusalsWhenFast) return false;
    }
    this.#watch = null;
    if (this.#trial !== null) this.#ceiling = this.#trial.perSecond;
    else {
      const isInRow = isFew && now - this.#fellAt < vainWithinMs;
      if (isInRow && this.#perSecond <= this.#vainFrom * vainFallTo) {
        this.#tolerate(now);
        return false;
      }
      if (!isInRow) this.#vainFrom = isFew ? this.#perSecond : 0;
      this.#fall(now, again);
    }
    this.#refusedAt = now;
    this.#trial = null;
    return true;
  }

  #fall(now: number, again: boolean): void {
    const met = this.#perSecond;
    // A wave of refusals proves no more than that its first rate was too high.
    if (!again) this.#ceiling = met;
    this.#perSecond = this.#within(met * (again ? 0.5 : fallTo));
    this.#fellAt = now;
    this.#isProved = false;
    this.#good = 0;
  }

  /** A lower rate did not lead to fewer refusals. */
  #tolerate(now: number): void {
    const { ms } = this.#tolerant;
    this.#tolerant = { until: now + ms, ms: Math.min(ms * 2, tolerantMs.longest) };
    this.#perSecond = this.#within(this.#vainFrom);
    this.#ceiling = null;
    this.#isProved = true;
  }

  /** @returns the refused share of the last calls; all of too few */
  #heard(isRefused: boolean): number {
    this.#last.push(isRefused);
    if (this.#last.length > watched) this.#last.shift();
    if (this.#last.length < watched / 4) return 1;
    return this.#last.filter(Boolean).length / this.#last.length;
  }

  /** Paid requests get "busy". */
  busy(): void {
    this.#busy = { perSecond: this.#perSecond, until: this.#now() + busyMs };
  }

  get #most(): number {
    return this.#cap / (this.#sharers ?? 1);
  }

  #within(perSecond: number): number {
    return Math.min(this.#most, Math.max(leastPerSecond, perSecond));
  }
}
