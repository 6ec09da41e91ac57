import * as fc from 'fast-check';
import { Pace } from '../../src/starters/cli/pace';

const step = fc.record({
  gapMs: fc.integer({ min: 300, max: 20_000 }),
  rows: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 400 })),
});

describe('the rate, whatever is observed', () => {
  it('is null or a number above nothing', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const pace = new Pace();
        let [at, settled] = [0, 0];
        for (const { gapMs, rows } of steps) {
          at += gapMs;
          settled += rows;
          const rate = pace.observe(at, settled) ?? 1;
          expect(Number.isFinite(rate)).toBe(true);
          expect(rate).toBeGreaterThan(0);
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
          const truth = rowsPerTenSeconds / 10;
          const settledAt = (second: number): number => Math.floor(second * truth);
          fc.pre(settledAt(seconds) >= 30);
          const pace = new Pace();
          let rate: number | null = null;
          for (let second = 0; second <= seconds; second += 1)
            rate = pace.observe(second * 1_000, settledAt(second));
          expect(Math.abs((rate ?? 0) - truth) / truth).toBeLessThan(0.25);
        },
      ),
      { numRuns: 60 },
    );
  });
});
