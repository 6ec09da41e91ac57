/** The rate is taken over the shortest window with this many rows and milliseconds. */
const window = { rows: 20, ms: 30_000 };
/** Below either, a rate would be a guess. */
const least = { rows: 3, ms: 3_000 };
/** Short waits count in the rate; after a longer one it starts anew. */
const longestGapMs = 15_000;
const historyMs = 30 * 60_000;

export class Pace {
  #samples: { at: number; settled: number }[] = [];

  /** Not called while nothing can settle. @returns rows per second; null: too few were observed */
  observe(at: number, settled: number): number | null {
    const isAnew = at - (this.#samples.at(-1)?.at ?? at) > longestGapMs;
    this.#samples = isAnew ? [] : this.#samples.filter((one) => at - one.at <= historyMs);
    this.#samples.push({ at, settled });
    const isWideEnough = (one: { at: number; settled: number }): boolean =>
      at - one.at >= window.ms && settled - one.settled >= window.rows;
    const from = this.#samples.findLast(isWideEnough) ?? this.#samples[0];
    if (from === undefined) return null;
    const [rows, ms] = [settled - from.settled, at - from.at];
    return rows < least.rows || ms < least.ms ? null : (rows * 1_000) / ms;
  }
}
