/** The counts of a job at an instant. */
export interface PaceSample {
  /** Epoch milliseconds. */
  at: number;
  settled: number;
  total: number;
  /** Nothing new can settle for a known reason: paused, credentials... */
  held: boolean;
}

export interface Estimate {
  /** Null while too few rows were observed. */
  rowsPerSecond: number | null;
  /** Null when unknown: too few rows observed, held up, or stalled. */
  leftMs: number | null;
  /** Since when nothing has settled, once that is unusually long. */
  stalledMs: number | null;
}

const bounds = {
  /** The rate is taken over the shortest window with this many rows and milliseconds. */
  windowRows: 20,
  windowMs: 30_000,
  /** Below either, a rate would be a guess. */
  leastRows: 3,
  leastMs: 3_000,
  /** A stall is a gap this many times the usual one, and at least this long. */
  stallGaps: 10,
  stallMs: 60_000,
  shortHoldMs: 15_000,
  historyMs: 30 * 60_000,
  sampleGapMs: 900,
  /** The shown value follows the computed one with this time constant... */
  smoothingMs: 5_000,
  /** ...and grows by at most this factor a second, so that it does not jump. */
  growth: 1.25,
} as const;

/** Smoothed rate and time left. */
export class Pace {
  #samples: PaceSample[] = [];
  #settledAt = 0;
  #heldSince: number | null = null;
  #shown: { at: number; leftMs: number } | null = null;

  observe(sample: PaceSample): Estimate {
    if (sample.held) return this.#holdUp(sample.at);
    this.#heldSince = null;
    this.#keep(sample);
    const { at, settled, total } = sample;
    const rate = this.#rate(sample);
    const idleMs = at - this.#settledAt;
    const usualGapMs = rate === null ? 0 : 1_000 / rate;
    const isStalled =
      settled < total && idleMs > Math.max(bounds.stallMs, bounds.stallGaps * usualGapMs);
    if (rate === null || isStalled || settled >= total) {
      this.#shown = null;
      return { rowsPerSecond: rate, leftMs: null, stalledMs: isStalled ? idleMs : null };
    }
    const leftMs = this.#smooth(at, ((total - settled) * 1_000) / rate);
    return { rowsPerSecond: rate, leftMs, stalledMs: null };
  }

  /** Short waits count in the rate; after a long one the window starts anew. */
  #holdUp(at: number): Estimate {
    this.#heldSince ??= at;
    if (at - this.#heldSince >= bounds.shortHoldMs) {
      this.#samples = [];
      this.#shown = null;
    }
    return { rowsPerSecond: null, leftMs: null, stalledMs: null };
  }

  #keep(sample: PaceSample): void {
    const last = this.#samples.at(-1);
    if (last === undefined || sample.settled > last.settled) this.#settledAt = sample.at;
    if (last !== undefined && sample.settled < last.settled) this.#samples = [];
    if (last === undefined || sample.at - last.at >= bounds.sampleGapMs) this.#samples.push(sample);
    const oldest = sample.at - bounds.historyMs;
    while ((this.#samples[0]?.at ?? oldest) < oldest) this.#samples.shift();
  }

  #rate({ at, settled }: PaceSample): number | null {
    const isWideEnough = (one: PaceSample): boolean =>
      at - one.at >= bounds.windowMs && settled - one.settled >= bounds.windowRows;
    const from = this.#samples.findLast(isWideEnough) ?? this.#samples[0];
    if (from === undefined) return null;
    const rows = settled - from.settled;
    const spanMs = at - from.at;
    if (rows < bounds.leastRows || spanMs < bounds.leastMs) return null;
    return (rows * 1_000) / spanMs;
  }

  #smooth(at: number, reckonedMs: number): number {
    const before = this.#shown;
    let leftMs = reckonedMs;
    if (before !== null) {
      const passedMs = Math.max(0, at - before.at);
      const expected = Math.max(0, before.leftMs - passedMs);
      const share = 1 - Math.exp(-passedMs / bounds.smoothingMs);
      const ceiling = (before.leftMs + passedMs) * bounds.growth ** (passedMs / 1_000);
      leftMs = Math.min(expected + (reckonedMs - expected) * share, ceiling);
    }
    this.#shown = { at, leftMs };
    return leftMs;
  }
}
