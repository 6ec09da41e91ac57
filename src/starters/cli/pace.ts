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

const unknown: Estimate = { rowsPerSecond: null, leftMs: null, stalledMs: null };
/** The rate is taken over the shortest window with this many rows and milliseconds. */
const window = { rows: 20, ms: 30_000 };
/** Below either, a rate would be a guess. */
const least = { rows: 3, ms: 3_000 };
/** A stall is a gap this many times the usual one, and at least this long. */
const stall = { gaps: 10, ms: 60_000 };
const shortHoldMs = 15_000;
const historyMs = 30 * 60_000;

export class Pace {
  #samples: PaceSample[] = [];
  #settledAt = 0;
  #heldSince: number | null = null;

  observe(sample: PaceSample): Estimate {
    const { at, held, settled, total } = sample;
    if (held) {
      // Short waits count in the rate; after a long one the window starts anew.
      this.#heldSince ??= at;
      if (at - this.#heldSince >= shortHoldMs) this.#samples = [];
      return unknown;
    }
    this.#heldSince = null;
    const last = this.#samples.at(-1);
    if (last === undefined || settled > last.settled) this.#settledAt = at;
    if (last === undefined || at - last.at >= 900) this.#samples.push(sample);
    while ((this.#samples[0]?.at ?? at) < at - historyMs) this.#samples.shift();
    const rowsPerSecond = this.#rate(sample);
    if (rowsPerSecond === null || settled >= total) return { ...unknown, rowsPerSecond };
    const idleMs = at - this.#settledAt;
    if (idleMs > Math.max(stall.ms, (stall.gaps * 1_000) / rowsPerSecond))
      return { rowsPerSecond, leftMs: null, stalledMs: idleMs };
    return { rowsPerSecond, leftMs: ((total - settled) * 1_000) / rowsPerSecond, stalledMs: null };
  }

  #rate({ at, settled }: PaceSample): number | null {
    const isWideEnough = (one: PaceSample): boolean =>
      at - one.at >= window.ms && settled - one.settled >= window.rows;
    const from = this.#samples.findLast(isWideEnough) ?? this.#samples[0];
    if (from === undefined) return null;
    const [rows, ms] = [settled - from.settled, at - from.at];
    return rows < least.rows || ms < least.ms ? null : (rows * 1_000) / ms;
  }
}
