const seconds = 1_000;
const minutes = 60 * seconds;
const hours = 60 * minutes;
const days = 24 * hours;

/** Widths of bars that are easy to read. */
const widths = [
  100,
  200,
  500,
  ...[1, 2, 5, 10, 15, 20, 30].map((n) => n * seconds),
  ...[1, 2, 5, 10, 15, 20, 30].map((n) => n * minutes),
  ...[1, 2, 3, 4, 6, 8, 12].map((n) => n * hours),
  ...[1, 2, 5, 7, 14, 28, 56].map((n) => n * days),
];

/** Milliseconds, sorted: durations or instants. */
export type Sorted = Float64Array;

/** The value that this share of all does not exceed; 0: there is none. */
export function quantile(values: Sorted, share: number): number {
  return values[Math.max(0, Math.ceil(values.length * share) - 1)] ?? 0;
}

/**
 * Counts in at most `most` bars of one readable width, next to each other. The last one has what lies far beyond
 * nearly all others too, which would flatten the picture.
 */
export function binsOf(values: Sorted, most: number): { from: number; count: number }[] {
  const least = quantile(values, 0);
  const nearly = quantile(values, 0.95);
  const greatest = quantile(values, 1);
  const until = greatest - least > 4 * Math.max(nearly - least, seconds) ? nearly : greatest;
  const widest = Math.ceil((until - least) / (most - 1) / days) * days;
  const width = widths.find((one) => (until - least) / one < most - 1) ?? widest;
  const first = Math.floor(least / width);
  const count = Math.floor(until / width) - first + 1;
  const bars = Array.from({ length: count }, (_, n) => ({ from: (first + n) * width, count: 0 }));
  for (const value of values) {
    const bar = bars[Math.min(Math.floor(value / width) - first, count - 1)];
    if (bar !== undefined) bar.count += 1;
  }
  return bars;
}
