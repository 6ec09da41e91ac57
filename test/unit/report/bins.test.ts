import { binsOf, quantile } from '../../../src/report/bins';

const sorted = (values: Iterable<number>) => Float64Array.from(values).sort();
const sumOf = (bars: { count: number }[]): number =>
  bars.reduce((sum, { count }) => sum + count, 0);

/** The same every time: spread over six orders of magnitude. */
function* spread(count: number): Generator<number> {
  let state = 1;
  for (let n = 0; n < count; n += 1) {
    state = (state * 16_807) % 2_147_483_647;
    yield 10 ** ((state / 2_147_483_647) * 6 + 1);
  }
}

it.each([1, 2, 51, 10_000])('has each of %i values in one of the bars', (count) => {
  const values = sorted(spread(count));
  for (const most of [8, 60]) {
    const bars = binsOf(values, most);
    expect(sumOf(bars)).toBe(count);
    expect(bars.length).toBeLessThanOrEqual(most);
  }
});

it('puts bars next to each other, a value at the edge into the later one', () => {
  expect(binsOf(sorted([0, 999, 1_000, 2_500, 3_999]), 5)).toEqual([
    { from: 0, count: 2 },
    { from: 1_000, count: 1 },
    { from: 2_000, count: 1 },
    { from: 3_000, count: 1 },
  ]);
});

it('keeps a few stragglers from flattening the picture: the last bar has them', () => {
  const day = 86_400_000;
  const bars = binsOf(sorted([...Array.from({ length: 99 }, (_, n) => n * 100), day]), 20);
  expect(bars.at(-1)?.from).toBeLessThan(11_000);
  expect(sumOf(bars)).toBe(100);
});

it('covers four months of instants', () => {
  const start = Date.parse('2026-07-01T00:00:00Z');
  const values = sorted(Array.from({ length: 10_000 }, (_, n) => start + n * 1_000_003));
  const bars = binsOf(values, 60);
  expect(sumOf(bars)).toBe(10_000);
  expect(bars.length).toBeGreaterThan(15);
  expect(bars.length).toBeLessThanOrEqual(60);
  expect(quantile(values, 0.5) - start).toBeCloseTo(4_999 * 1_000_003, -3);
});
