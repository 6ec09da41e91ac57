import { certificatePace, nextPollMs, type PollPace } from './poll-timing';

/** Size of the sample, and its minimum. */
const remembered = 256;
const believedFrom = 8;
/** Recalculate after this many further observations, or this share of the sample. */
const replanAfter = 8;
const replanShare = 1 / 8;
const points = 64;
/** What a read must save in waiting on average, as a share of the mean duration: while permits are scarce, and ample. */
const readPrice = { scarce: 0.05, ample: 0.002 };
/** And at least this. */
const leastPriceMs = 6;
/** A read is timed slightly later, so that it does not just miss. */
const marginMs = 20;
const soonestMs = 100;
/** Reads share moments, this share of the age apart, and this far at most: to wake up costs more than a read. */
const momentShare = 0.04;
const longestMomentMs = 256;

/**
 * Durations of issuances of one kind, learned from settled ones, and when to read the next one: at the ages where a
 * read is most likely to find something. Without an interval of the service this takes a few reads an issuance,
 * whether it lasts a third of a second or an hour; some more while permits are ample. In memory of a worker: before
 * it has enough data, the fixed pace applies.
 */
export class SettlingTimes {
  readonly #permits: { readonly areAmple: boolean };
  readonly #pace: PollPace;
  #seen: number[] = [];
  #next = 0;
  #sincePlan = 0;
  #plans: Record<keyof typeof readPrice, ReadingPlan> | null = null;

  /** @param permits of the service that is read */
  constructor(permits: { readonly areAmple: boolean }, pace: PollPace = certificatePace) {
    this.#permits = permits;
    this.#pace = pace;
  }

  observe(durationMs: number): void {
    if (!(durationMs >= 0)) return;
    this.#seen[this.#next] = durationMs;
    this.#next = (this.#next + 1) % remembered;
    this.#sincePlan += 1;
    const first = this.#plans === null && this.#seen.length >= believedFrom;
    if (!first && this.#sincePlan < this.#replanAfter) return;
    if (this.#seen.length < believedFrom) return;
    const mean = this.#seen.reduce((sum, one) => sum + one, 0) / this.#seen.length;
    const durations = quantiles(this.#seen, points);
    const planFor = (share: number): ReadingPlan =>
      readingPlan(durations, Math.max(leastPriceMs, mean * share));
    this.#plans = { scarce: planFor(readPrice.scarce), ample: planFor(readPrice.ample) };
    this.#sincePlan = 0;
  }

  get #replanAfter(): number {
    return Math.max(replanAfter, this.#seen.length * replanShare);
  }

  /**
   * When to read an unsettled issuance next that is `ageMs` old at a moment.
   * @param at epoch milliseconds, as is the result
   * @param random in [0, 1), for the jitter
   */
  nextReadAt(at: number, ageMs: number, random: number): number {
    const age = Math.max(ageMs, 0);
    const wait = this.#waitMs(age, random);
    const moment = momentMs(age + wait);
    return Math.ceil((at + wait) / moment) * moment;
  }

  #waitMs(age: number, random: number): number {
    const plan = this.#plans?.[this.#permits.areAmple ? 'ample' : 'scarce'];
    const aim = plan === undefined ? null : nextRead(plan, age);
    if (aim === null) {
      const wait = age === 0 ? this.#pace.firstMs : nextPollMs(age, random, this.#pace);
      return Math.max(soonestMs, wait);
    }
    return Math.min(Math.max(aim + marginMs - age, soonestMs), this.#pace.maxMs);
  }
}

/** Powers of two, so that issuances of different ages meet. */
function momentMs(ageMs: number): number {
  return 2 ** Math.floor(Math.log2(Math.min(Math.max(ageMs * momentShare, 1), longestMomentMs)));
}

function quantiles(sample: readonly number[], count: number): number[] {
  const sorted = [...sample].sort((a, b) => a - b);
  const size = Math.min(count, sorted.length);
  return Array.from(
    { length: size },
    (_, index) => sorted[Math.floor(((index + 1) * sorted.length) / size) - 1] as number,
  );
}

/** For equally likely durations, ascending: where to read next. */
export interface ReadingPlan {
  durations: readonly number[];
  /** Index of the duration to read at, once those below this index have passed. */
  next: Int32Array;
}

export function nextRead({ durations, next }: ReadingPlan, ageMs: number): number | null {
  const from = durations.findIndex((duration) => duration + marginMs > ageMs);
  const to = next[from];
  return to === undefined ? null : (durations[to] as number);
}

/**
 * By dynamic programming from the longest duration back: the next read is at one of the durations.
 * @param readCost of a read, in milliseconds of waiting
 */
export function readingPlan(durations: readonly number[], readCost: number): ReadingPlan {
  const count = durations.length;
  const sums = [0];
  for (const duration of durations) sums.push((sums.at(-1) as number) + duration);
  const cost = new Float64Array(count + 1);
  const next = new Int32Array(count);
  for (let from = count - 1; from >= 0; from -= 1) {
    cost[from] = Infinity;
    for (let to = from; to < count; to += 1) {
      const at = durations[to] as number;
      const waited = at * (to - from + 1) - ((sums[to + 1] as number) - (sums[from] as number));
      const total = readCost * (count - from) + waited + (cost[to + 1] as number);
      if (total >= (cost[from] as number)) continue;
      cost[from] = total;
      next[from] = to;
    }
  }
  return { durations, next };
}
