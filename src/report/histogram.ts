const seconds = 1_000;
const minutes = 60 * seconds;
const hours = 60 * minutes;
const days = 24 * hours;

/** Widths of stored bins: each a multiple of the one before, so that bins can merge. */
const binWidths = [
  100,
  500,
  seconds,
  5 * seconds,
  10 * seconds,
  30 * seconds,
  minutes,
  5 * minutes,
  10 * minutes,
  30 * minutes,
  hours,
  3 * hours,
  6 * hours,
  12 * hours,
  days,
];

/** Widths that are easy to read. */
const shownWidths = [
  100,
  200,
  500,
  ...[1, 2, 5, 10, 15, 20, 30].map((n) => n * seconds),
  ...[1, 2, 5, 10, 15, 20, 30].map((n) => n * minutes),
  ...[1, 2, 3, 4, 6, 8, 12].map((n) => n * hours),
  ...[1, 2, 5, 7, 14, 28, 56].map((n) => n * days),
];

/** The smallest readable width with which at most `most` bars cover the span. */
export function readableWidth(spanMs: number, most: number): number {
  let width = shownWidths.find((one) => spanMs / one <= most) ?? 56 * days;
  while (spanMs / width > most) width *= 2;
  return width;
}

const mostCells = 4_096;

/** Outliers: the largest values, at most this share of all, may be left out where they would flatten the picture. */
const stragglers = 0.05;

export interface Bar {
  /** Milliseconds: values in [from, from + width) are in this bar. */
  from: number;
  count: number;
}

export interface Bars {
  widthMs: number;
  /** Next to each other, empty ones included. */
  bars: Bar[];
  /** Outliers, which no bar contains. */
  beyond: { count: number; last: number } | null;
}

/** Counts of durations or instants in milliseconds, in bounded memory: bins merge as it fills. */
export class Histogram {
  readonly #counts = new Map<number, number>();
  #width = 0;
  #total = 0;
  #least = Infinity;
  #greatest = -Infinity;

  get total(): number {
    return this.#total;
  }

  /** Infinity when it is empty. */
  get least(): number {
    return this.#least;
  }

  /** -Infinity when it is empty. */
  get greatest(): number {
    return this.#greatest;
  }

  add(value: number): void {
    this.#total += 1;
    this.#least = Math.min(this.#least, value);
    this.#greatest = Math.max(this.#greatest, value);
    this.#count(Math.floor(value / this.#widthMs()), 1);
    while (this.#counts.size > mostCells) this.#coarsen();
  }

  /** The value that this share of all does not exceed, to the precision of the bins. 0 when empty. */
  quantile(share: number): number {
    let left = Math.ceil(this.#total * share);
    for (const [bin, count] of this.#bins()) {
      left -= count;
      if (left <= 0) return Math.min(this.#greatest, (bin + 1) * this.#widthMs());
    }
    return 0;
  }

  /** At most `most` bars of one readable width, from `origin` (default: the least value). */
  bars(most: number, origin = this.#least): Bars {
    if (this.#total === 0) return { widthMs: seconds, bars: [], beyond: null };
    const nearly = this.quantile(1 - stragglers);
    const flattened = this.#greatest - origin > 4 * Math.max(nearly - origin, seconds);
    const until = flattened ? nearly : this.#greatest;
    const widthMs = this.#shownWidth(origin, until, most);
    const first = Math.floor(origin / widthMs);
    const last = Math.floor(until / widthMs);
    const bars = Array.from({ length: last - first + 1 }, (_, n) => ({
      from: (first + n) * widthMs,
      count: 0,
    }));
    let beyond = 0;
    for (const [bin, count] of this.#counts) {
      const bar = bars[Math.floor((bin * this.#widthMs()) / widthMs) - first];
      if (bar === undefined) beyond += count;
      else bar.count += count;
    }
    const left = beyond === 0 ? null : { count: beyond, last: this.#greatest };
    return { widthMs, bars, beyond: left };
  }

  #shownWidth(origin: number, until: number, most: number): number {
    const own = this.#widthMs();
    const fits = (width: number): boolean =>
      width % own === 0 && Math.floor(until / width) - Math.floor(origin / width) < most;
    const found = shownWidths.find(fits);
    if (found !== undefined) return found;
    let width = Math.max(own, 56 * days);
    while (!fits(width)) width *= 2;
    return width;
  }

  #widthMs(): number {
    return binWidths[this.#width] ?? days * 2 ** (this.#width - binWidths.length + 1);
  }

  #bins(): [bin: number, count: number][] {
    return [...this.#counts].sort(([a], [b]) => a - b);
  }

  #count(cell: number, count: number): void {
    this.#counts.set(cell, (this.#counts.get(cell) ?? 0) + count);
  }

  #coarsen(): void {
    const before = this.#widthMs();
    this.#width += 1;
    const fewer = this.#widthMs() / before;
    const bins = [...this.#counts];
    this.#counts.clear();
    for (const [bin, count] of bins) this.#count(Math.floor(bin / fewer), count);
  }
}
