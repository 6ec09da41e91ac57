import { Pace, type Estimate } from '../../../src/starters/cli/pace';

/** Observes once a second; `settledAt` tells how many rows have settled by then. */
function watch(
  pace: Pace,
  seconds: number,
  settledAt: (second: number) => number,
  { total = 10_000, from = 0, held = false } = {},
): Estimate {
  let last: Estimate = { rowsPerSecond: null, leftMs: null, stalledMs: null };
  for (let second = from; second <= from + seconds; second += 1) {
    last = pace.observe({ at: second * 1_000, settled: settledAt(second), total, held });
  }
  return last;
}

describe('rate and time left', () => {
  it('are unknown until enough has settled for long enough', () => {
    expect(watch(new Pace(), 2, (second) => second * 50)).toMatchObject({ leftMs: null });
    expect(watch(new Pace(), 300, () => 2)).toMatchObject({ rowsPerSecond: null, leftMs: null });
  });

  it('are right when the pace is even', () => {
    const { rowsPerSecond, leftMs } = watch(new Pace(), 60, (second) => second * 10);
    expect(rowsPerSecond).toBeCloseTo(10, 1);
    expect((leftMs ?? 0) / 1_000).toBeCloseTo((10_000 - 600) / 10, -1);
  });

  it('serve rows that settle one in a while', () => {
    const estimate = watch(new Pace(), 1_200, (second) => Math.floor(second / 45), { total: 100 });
    expect(estimate.rowsPerSecond).toBeCloseTo(1 / 45, 3);
    expect(estimate.leftMs).not.toBeNull();
  });

  it('follow a pace that changes: a first thousand taken from the store is no promise', () => {
    const pace = new Pace();
    watch(pace, 8, (second) => second * 125);
    const { rowsPerSecond } = watch(pace, 90, (second) => 1_000 + (second - 8) * 5, { from: 9 });
    expect(rowsPerSecond).toBeCloseTo(5, 0);
  });

  it('are not shown while the work is held up, and start anew after it', () => {
    const pace = new Pace();
    watch(pace, 60, (second) => second * 10);
    expect(watch(pace, 30, () => 600, { from: 61, held: true })).toEqual({
      rowsPerSecond: null,
      leftMs: null,
      stalledMs: null,
    });
    const after = watch(pace, 20, (second) => 600 + (second - 92) * 10, { from: 92 });
    expect(after.rowsPerSecond).toBeCloseTo(10, 0);
  });

  it('live through short waits, which are part of the pace', () => {
    const pace = new Pace();
    const settledAt = (second: number): number => Math.floor(second / 4) * 30;
    let last: Estimate | null = null;
    for (let second = 0; second <= 120; second += 1) {
      const held = second % 4 !== 0;
      const sample = { at: second * 1_000, settled: settledAt(second), total: 10_000, held };
      const estimate = pace.observe(sample);
      if (!held) last = estimate;
    }
    expect(last?.rowsPerSecond).toBeCloseTo(7.5, 1);
    expect(last?.leftMs).not.toBeNull();
  });

  it('give way to a stall when nothing settles for much longer than usual', () => {
    const pace = new Pace();
    watch(pace, 60, (second) => second * 10);
    expect(watch(pace, 30, () => 600, { from: 61 }).stalledMs).toBeNull();
    const { stalledMs, leftMs } = watch(pace, 90, () => 600, { from: 92 });
    expect(stalledMs).toBeGreaterThan(60_000);
    expect(leftMs).toBeNull();
  });

  it('end with the last row', () => {
    expect(
      watch(new Pace(), 20, (second) => Math.min(100, second * 10), { total: 100 }),
    ).toMatchObject({ leftMs: null, stalledMs: null });
  });
});
