/** How a work stood at an instant. */
export interface PaceSample {
  /** Epoch milliseconds. */
  at: number;
  settled: number;
  total: number;
  /** Nothing new may settle for a reason that has an end of its own: paused, credentials... */
  held: boolean;
}

export interface Estimate {
  /** Null while too little has been seen. */
  rowsPerSecond: number | null;
  /** Null when it cannot be known: too little seen, held up, or nothing has settled for long. */
  leftMs: number | null;
  /** Since when nothing has settled, once that is longer than usual. */
  stalledMs: number | null;
}

const bounds = {
  /** The rate is that of the shortest time that holds so many rows and so many milliseconds. */
  windowRows: 20,
  windowMs: 30_000,
  /** Below either, a rate would be a guess. */
  leastRows: 3,
  leastMs: 3_000,
  /** A gap so many times the usual one is a stall, and none is shorter than this. */
  stallGaps: 10,
  stallMs: 60_000,
  shortHoldMs: 15_000,
  historyMs: 30 * 60_000,
  sampleGapMs: 900,
  /** What is shown follows what is reckoned with this time constant... */
  smoothingMs: 5_000,
  /** ...and grows by no more than this factor a second, so that nobody sees it leap. */
  growth: 1.25,
} as const;

/** Rate and time left from what was observed, steady enough to be believed. */
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

  /** Short waits are part of the pace; what comes after a long one says nothing with it inside. */
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
