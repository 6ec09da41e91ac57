import { certificatePace, nextPollMs, type PollPace } from './poll-timing';

/** How many observations are remembered, and how many it takes until they are believed. */
const remembered = 256;
const believedFrom = 8;
/** The plan is made anew after this many further observations, or this share of what is remembered. */
const replanAfter = 8;
const replanShare = 1 / 8;
/** Points of the distribution that a plan is made over. */
const points = 64;
/** Reads that an issuance may cost on average: one that finds it settled, and two before. */
const readsWanted = 2.95;
/** A read aimed at an instant comes a little after it, lest it miss by a hair. */
const marginMs = 15;
const marginShare = 0.01;
const jitterShare = 0.02;
const soonestMs = 100;

/**
 * How long the issuances of one kind take, learned from those that settled, and when to read the
 * next one: at the ages where a read is most likely to find something. A service that names no
 * interval is so read a few times an issuance, whether it takes a third of a second or an hour.
 * Held by a worker, forgotten with it: until enough was seen, the plain pace serves.
 */
export class SettlingTimes {
  readonly #pace: PollPace;
  #seen: number[] = [];
  #next = 0;
  #sincePlan = 0;
  #plan: ReadingPlan | null = null;

  constructor(pace: PollPace = certificatePace) {
    this.#pace = pace;
  }

  /** An issuance took this long, in milliseconds, from its request to its end. */
  observe(durationMs: number): void {
    if (!(durationMs >= 0)) return;
    this.#seen[this.#next] = durationMs;
    this.#next = (this.#next + 1) % remembered;
    this.#sincePlan += 1;
    const first = this.#plan === null && this.#seen.length >= believedFrom;
    if (!first && this.#sincePlan < this.#replanAfter) return;
    if (this.#seen.length < believedFrom) return;
    this.#plan = readingPlan(quantiles(this.#seen, points), readsWanted);
    this.#sincePlan = 0;
  }

  get #replanAfter(): number {
    return Math.max(replanAfter, this.#seen.length * replanShare);
  }

  /**
   * Milliseconds until the next read of an issuance that is `ageMs` old and was not settled then.
   *
   * @param random a number in [0, 1), for the jitter
   */
  nextReadMs(ageMs: number, random: number): number {
    const age = Math.max(ageMs, 0);
    const aim = this.#plan === null ? null : nextRead(this.#plan, age);
    if (aim === null) {
      const wait = age === 0 ? this.#pace.firstMs : nextPollMs(age, random, this.#pace);
      return Math.max(soonestMs, wait);
    }
    const wait = aimed(aim) - age;
    const jittered = wait * (1 + jitterShare * random);
    return Math.round(Math.min(Math.max(jittered, soonestMs), this.#pace.maxMs));
  }
}

function aimed(atMs: number): number {
  return atMs * (1 + marginShare) + marginMs;
}

/** Evenly spaced points of a sample, smallest to largest; at most as many as it has. */
function quantiles(sample: readonly number[], count: number): number[] {
  const sorted = [...sample].sort((a, b) => a - b);
  const size = Math.min(count, sorted.length);
  return Array.from(
    { length: size },
    (_, index) => sorted[Math.floor(((index + 1) * sorted.length) / size) - 1] as number,
  );
}

/** For each of some equally likely durations, ascending: where to read next when it is reached. */
export interface ReadingPlan {
  durations: readonly number[];
  /** Index of the duration to read at, when those below this index have passed. */
  next: Int32Array;
  /** Reads that an issuance costs on average. */
  reads: number;
}

/** The age of the next read of what had not settled at `ageMs`; null beyond everything known. */
export function nextRead({ durations, next }: ReadingPlan, ageMs: number): number | null {
  const from = durations.findIndex((duration) => aimed(duration) > ageMs);
  const to = next[from];
  return to === undefined ? null : (durations[to] as number);
}

/** The plan that finds results soonest for a number of reads on average. */
export function readingPlan(durations: readonly number[], reads: number): ReadingPlan {
  // A read costs as much as so many milliseconds of waiting: the dearer, the fewer.
  let cheap = 0;
  let dear = (durations.at(-1) ?? 0) * durations.length;
  let plan = cheapestPlan(durations, dear);
  for (let step = 0; step < 20; step += 1) {
    const cost = (cheap + dear) / 2;
    const tried = cheapestPlan(durations, cost);
    if (tried.reads > reads) cheap = cost;
    else {
      dear = cost;
      plan = tried;
    }
  }
  return plan;
}

/** By dynamic programming from the longest duration back: the next read is at one of the durations. */
function cheapestPlan(durations: readonly number[], readCost: number): ReadingPlan {
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
  let reads = 0;
  for (let from = 0; from < count; from = (next[from] as number) + 1) reads += count - from;
  return { durations, next, reads: count === 0 ? 0 : reads / count };
}
