import * as fc from 'fast-check';
import { Pace } from '../../src/starters/cli/pace';

const step = fc.record({
  gapMs: fc.integer({ min: 300, max: 5_000 }),
  rows: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 400 })),
  held: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, fc.constant(true)),
});

describe('the time left, whatever is observed', () => {
  it('is null or a number that is no less than nothing', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const pace = new Pace();
        const total = steps.reduce((sum, { rows }) => sum + rows, 1);
        let [at, settled] = [0, 0];
        for (const { gapMs, rows, held } of steps) {
          at += gapMs;
          settled += rows;
          const { leftMs, rowsPerSecond } = pace.observe({ at, settled, total, held });
          if (leftMs !== null) {
            expect(leftMs).toBeGreaterThanOrEqual(0);
            expect(Number.isFinite(leftMs)).toBe(true);
            expect(rowsPerSecond).toBeGreaterThan(0);
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  it('comes within a quarter of the truth when the pace is even', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2_000 }),
        fc.integer({ min: 30, max: 900 }),
        (rowsPerTenSeconds, seconds) => {
          const rate = rowsPerTenSeconds / 10;
          const settledAt = (second: number): number => Math.floor(second * rate);
          fc.pre(settledAt(seconds) >= 30);
          const total = settledAt(seconds) + Math.ceil(rate * 600);
          const pace = new Pace();
          let leftMs: number | null = null;
          for (let second = 0; second <= seconds; second += 1) {
            const sample = { at: second * 1_000, settled: settledAt(second), total, held: false };
            ({ leftMs } = pace.observe(sample));
          }
          const truth = ((total - settledAt(seconds)) / rate) * 1_000;
          expect(Math.abs((leftMs ?? 0) - truth) / truth).toBeLessThan(0.25);
        },
      ),
      { numRuns: 60 },
    );
  });
});
