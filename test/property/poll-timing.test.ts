import * as fc from 'fast-check';
import {
  backoffMs,
  certificatePace,
  nextPollMs,
  pollBoundMs,
} from '../../src/domain/core/service/poll-timing';

const age = fc.integer({ min: -1_000, max: 30 * 86_400_000 });
const chance = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });

it('stays within the bounds of the pace, jitter aside', () => {
  const { minMs, maxMs, jitter } = certificatePace;
  fc.assert(
    fc.property(age, chance, (ageMs, random) => {
      const wait = nextPollMs(ageMs, random);
      expect(Number.isInteger(wait)).toBe(true);
      expect(wait).toBeGreaterThanOrEqual(Math.floor(minMs * (1 - jitter)));
      expect(wait).toBeLessThanOrEqual(Math.ceil(maxMs * (1 + jitter)));
    }),
  );
});

it('never reads an older issuance more often than a younger one', () => {
  fc.assert(
    fc.property(age, age, chance, (a, b, random) => {
      const [younger, older] = a < b ? [a, b] : [b, a];
      expect(nextPollMs(older, random)).toBeGreaterThanOrEqual(nextPollMs(younger, random));
    }),
  );
});

it('reads an issuance that takes a day fewer than 1,800 times', () => {
  fc.assert(
    fc.property(chance, (random) => {
      let reads = 0;
      for (let at = 0; at < 86_400_000; at += nextPollMs(at, random)) reads += 1;
      expect(reads).toBeLessThan(1_800);
    }),
    { numRuns: 20 },
  );
});

it('waits longer after more failures, within its bounds', () => {
  const failures = fc.nat(10_000);
  fc.assert(
    fc.property(failures, failures, chance, (a, b, random) => {
      const [fewer, more] = a < b ? [a, b] : [b, a];
      expect(backoffMs(more, random)).toBeGreaterThanOrEqual(backoffMs(fewer, random));
      expect(backoffMs(more, random)).toBeLessThanOrEqual(300_000);
      expect(backoffMs(fewer, random)).toBeGreaterThanOrEqual(750);
    }),
  );
});

it('bounds every watch between 5 seconds and 5 minutes', () => {
  fc.assert(
    fc.property(age, (ageMs) => {
      expect(pollBoundMs(ageMs)).toBeGreaterThanOrEqual(5_000);
      expect(pollBoundMs(ageMs)).toBeLessThanOrEqual(300_000);
    }),
  );
});
