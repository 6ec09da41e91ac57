import {
  backoffMs,
  certificatePace,
  nextPollMs,
  pollBoundMs,
} from '../../../src/domain/core/service/poll-timing';

const middle = 0.5;

describe('the next read', () => {
  it.each([
    [0, 400],
    [-50, 400],
    [1_600, 400],
    [4_000, 1_000],
    [60_000, 15_000],
    [240_000, 60_000],
    [86_400_000, 60_000],
  ])('of something %i ms old comes after %i ms', (age, expected) => {
    expect(nextPollMs(age, middle)).toBe(expected);
  });

  it('differs by up to 15 per cent either way, by chance', () => {
    expect(nextPollMs(40_000, 0)).toBe(8_500);
    expect(nextPollMs(40_000, 1)).toBe(11_500);
  });

  it('follows the pace it is given', () => {
    const pace = { ...certificatePace, growth: 1, minMs: 10, maxMs: 20, jitter: 0 };
    expect([5, 15, 50].map((age) => nextPollMs(age, 0, pace))).toEqual([10, 15, 20]);
  });
});

describe('the wait after failures', () => {
  it('doubles up to its bound', () => {
    const waits = [1, 2, 3, 9, 10, 100].map((failures) => backoffMs(failures, 1));
    expect(waits).toEqual([1_000, 2_000, 4_000, 256_000, 300_000, 300_000]);
  });

  it('loses at most a quarter by chance', () => {
    expect(backoffMs(3, 0)).toBe(3_000);
  });

  it('takes no failure for one', () => {
    expect(backoffMs(0, 1)).toBe(1_000);
  });

  it('takes another base and bound', () => {
    expect([1, 2, 9].map((n) => backoffMs(n, 1, { baseMs: 500, maxMs: 60_000 }))).toEqual([
      500, 1_000, 60_000,
    ]);
  });
});

it.each([
  [0, 5_000],
  [20_000, 5_000],
  [60_000, 15_000],
  [86_400_000, 300_000],
])('lets a watch whose youngest row is %i ms old last %i ms', (age, expected) => {
  expect(pollBoundMs(age)).toBe(expected);
});
