import { Histogram, type Bars } from '../../../src/report/histogram';

function histogramOf(values: Iterable<number>): Histogram {
  const histogram = new Histogram();
  for (const value of values) histogram.add(value);
  return histogram;
}

const sumOf = ({ bars, beyond }: Bars): number =>
  bars.reduce((sum, { count }) => sum + count, beyond?.count ?? 0);

/** The same every time: spread over six orders of magnitude. */
function* spread(count: number): Generator<number> {
  let state = 1;
  for (let n = 0; n < count; n += 1) {
    state = (state * 16_807) % 2_147_483_647;
    yield 10 ** ((state / 2_147_483_647) * 6 + 1);
  }
}

describe('a histogram', () => {
  it.each([1, 2, 51, 10_000])('of %i values has each of them in a bar, or beyond all', (count) => {
    const histogram = histogramOf(spread(count));
    expect(histogram.total).toBe(count);
    for (const most of [1, 8, 60]) {
      const bars = histogram.bars(most, 0);
      expect(sumOf(bars)).toBe(count);
      expect(bars.bars.length).toBeLessThanOrEqual(most);
    }
  });

  it('puts its bars next to each other, a value at the edge into the later one', () => {
    const { bars, widthMs } = histogramOf([0, 999, 1_000, 2_500, 3_999]).bars(4, 0);
    expect(widthMs).toBe(1_000);
    expect(bars).toEqual([
      { from: 0, count: 2 },
      { from: 1_000, count: 1 },
      { from: 2_000, count: 1 },
      { from: 3_000, count: 1 },
    ]);
  });

  it('keeps a few stragglers from flattening the picture, and tells of them', () => {
    const day = 86_400_000;
    const values = [...Array.from({ length: 99 }, (_, n) => n * 100), day];
    const shown = histogramOf(values).bars(20, 0);
    expect(shown.beyond).toEqual({ count: 1, last: day });
    expect(shown.widthMs).toBe(500);
    expect(sumOf(shown)).toBe(100);
  });

  it('shows what comes late when it is more than a few', () => {
    const values = [
      ...Array.from({ length: 50 }, () => 1_000),
      ...Array.from({ length: 50 }, () => 3_600_000),
    ];
    const shown = histogramOf(values).bars(20, 0);
    expect(shown.beyond).toBeNull();
    expect(shown.bars.filter(({ count }) => count > 0)).toHaveLength(2);
  });

  it('is exact to its places: a tenth of a second while the values are near each other', () => {
    const histogram = histogramOf(Array.from({ length: 1_000 }, (_, n) => n * 10));
    expect(histogram.quantile(0.5)).toBeCloseTo(5_000, -2);
    expect(histogram.quantile(1)).toBe(9_990);
  });

  it('coarsens as it fills, and loses nothing: 100,000 instants over four months', () => {
    const start = Date.parse('2026-07-01T00:00:00Z');
    const histogram = histogramOf(
      (function* () {
        for (let n = 0; n < 100_000; n += 1) yield start + n * 100_003;
      })(),
    );
    const shown = histogram.bars(60);
    expect(sumOf(shown)).toBe(100_000);
    expect(shown.bars.length).toBeGreaterThan(15);
    expect(histogram.quantile(0.5) - start).toBeCloseTo(50_000 * 100_003, -8);
  });

  it('without values has no bars', () => {
    expect(new Histogram().bars(10)).toEqual({ widthMs: 1_000, bars: [], beyond: null });
    expect(new Histogram().quantile(0.5)).toBe(0);
  });
});
