import { Pace } from '../../../src/starters/cli/pace';

/** Observes once a second; `settledAt` tells how many rows have settled by then. */
function watch(
  pace: Pace,
  seconds: number,
  settledAt: (second: number) => number,
  from = 0,
): number | null {
  let last: number | null = null;
  for (let second = from; second <= from + seconds; second += 1)
    last = pace.observe(second * 1_000, settledAt(second));
  return last;
}

describe('the rate', () => {
  it('is unknown until enough has settled for long enough', () => {
    expect(watch(new Pace(), 2, (second) => second * 50)).toBeNull();
    expect(watch(new Pace(), 300, () => 2)).toBeNull();
  });

  it('is right when the pace is even', () => {
    expect(watch(new Pace(), 60, (second) => second * 10)).toBeCloseTo(10, 1);
  });

  it('serves rows that settle one in a while', () => {
    const rate = watch(new Pace(), 1_200, (second) => Math.floor(second / 45));
    expect(rate).toBeCloseTo(1 / 45, 3);
  });

  it('follows a pace that changes: a first thousand taken from the store is no promise', () => {
    const pace = new Pace();
    watch(pace, 8, (second) => second * 125);
    expect(watch(pace, 90, (second) => 1_000 + (second - 8) * 5, 9)).toBeCloseTo(5, 0);
  });

  it('starts anew after the work was held up', () => {
    const pace = new Pace();
    watch(pace, 60, (second) => second * 10);
    expect(pace.observe(92_000, 600)).toBeNull();
    expect(watch(pace, 20, (second) => 600 + (second - 92) * 10, 93)).toBeCloseTo(10, 0);
  });

  it('lives through short waits, which are part of the pace', () => {
    const pace = new Pace();
    let last: number | null = null;
    for (let second = 0; second <= 120; second += 4)
      last = pace.observe(second * 1_000, Math.floor(second / 4) * 30);
    expect(last).toBeCloseTo(7.5, 1);
  });
});
