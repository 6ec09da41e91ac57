import {
  SettlingTimes,
  nextRead,
  readingPlan,
  type ReadingPlan,
} from '../../../src/domain/core/service/settling-times';

/** Reads one issuance as a watch does: until it has settled. */
function follow(times: SettlingTimes, durationMs: number): { reads: number; lagMs: number } {
  let age = 0;
  for (let reads = 0; ; reads += 1) {
    if (reads > 0 && age >= durationMs) return { reads, lagMs: age - durationMs };
    age = times.nextReadAt(age, age, 0.5);
  }
}

function learned(durations: readonly number[], areAmple = false): SettlingTimes {
  const times = new SettlingTimes({ areAmple });
  for (const duration of durations) times.observe(duration);
  return times;
}

/** Median 3 s, one in forty above 7 s: the same sequence at every run. */
const spread = Array.from({ length: 256 }, (_, index) => {
  const turn = ((index * 89) % 256) / 256 + 1 / 512;
  return Math.round(3_000 * Math.exp(0.46 * 1.7 * Math.log(turn / (1 - turn)) * 0.35));
});

/** Old issuances are read every quarter of a second. */
function inMoments(at: number): number {
  return Math.ceil(at / 256) * 256;
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
}

describe('when to read an issuance', () => {
  test('follows the plain pace until something is known', () => {
    const times = new SettlingTimes({ areAmple: true });
    expect(times.nextReadAt(0, 0, 0.5)).toBe(400);
    expect(times.nextReadAt(0, 40_000, 0.5)).toBe(inMoments(10_000));
  });

  test('finds issuances that all take the same time with one read, just after their end', () => {
    const times = learned(Array.from({ length: 40 }, () => 300));
    expect(follow(times, 300)).toEqual({ reads: 1, lagMs: expect.any(Number) });
    expect(follow(times, 300).lagMs).toBeLessThan(30);
  });

  test('spends about three reads on issuances that differ, for a lag below a fifth', () => {
    const times = learned(spread);
    const followed = spread.map((duration) => follow(times, duration));
    expect(mean(followed.map(({ reads }) => reads))).toBeLessThanOrEqual(3);
    expect(mean(followed.map(({ lagMs }) => lagMs))).toBeLessThan(mean(spread) / 5);
  });

  test('reads more often while permits are ample, for a lag below a sixteenth', () => {
    const times = learned(spread, true);
    const followed = spread.map((duration) => follow(times, duration));
    const reads = mean(followed.map((one) => one.reads));
    expect(reads).toBeGreaterThan(4);
    expect(reads).toBeLessThanOrEqual(12);
    expect(mean(followed.map(({ lagMs }) => lagMs))).toBeLessThan(mean(spread) / 16);
  });

  test('spends no read to save a few milliseconds, however ample permits are', () => {
    const times = learned(
      Array.from({ length: 40 }, (_, index) => 300 + index / 2),
      true,
    );
    expect(follow(times, 319).reads).toBe(1);
  });

  test('reads many at a time, hardly later', () => {
    const times = learned(spread);
    const requestedAt = Array.from({ length: 400 }, (_, index) => 1_790_000_000_000 + index * 10);
    const reads = requestedAt.map((at) => times.nextReadAt(at, 0, 0.5));
    const waits = reads.map((at, index) => at - (requestedAt[index] ?? 0));
    expect(new Set(reads).size).toBeLessThan(80);
    expect(Math.max(...waits)).toBeLessThan(Math.min(...waits) * 1.05);
  });

  test('decides by the permits of the moment', () => {
    const permits = { areAmple: false };
    const times = new SettlingTimes(permits);
    for (const duration of spread) times.observe(duration);
    const scarce = times.nextReadAt(0, 0, 0.5);
    permits.areAmple = true;
    expect(times.nextReadAt(0, 0, 0.5)).toBeLessThan(scarce);
  });

  test('reads at growing intervals what takes longer than anything known', () => {
    const times = learned(spread);
    const waits = [20_000, 40_000, 80_000].map((age) => times.nextReadAt(0, age, 0.5));
    expect(waits).toEqual([5_000, 10_000, 20_000].map(inMoments));
  });

  test('forgets an old pace: a service that became ten times slower or faster is learned anew', () => {
    for (const factor of [10, 0.1]) {
      const times = learned(spread);
      const changed = spread.map((duration) => duration * factor);
      for (const duration of changed) times.observe(duration);
      const lag = mean(changed.map((duration) => follow(times, duration).lagMs));
      expect(lag).toBeLessThan(mean(changed) / 4);
    }
  });

  test('waits for the moment after a minute at most, however long the issuances known', () => {
    const times = learned(Array.from({ length: 40 }, () => 3_600_000));
    expect(times.nextReadAt(0, 0, 0.5)).toBe(inMoments(60_000));
  });

  test('ignores a duration that is none', () => {
    const times = learned([...Array.from({ length: 40 }, () => 300), NaN, -5]);
    expect(follow(times, 300).reads).toBe(1);
  });
});

describe('a plan of reads', () => {
  test('waits longer the more a read costs', () => {
    const durations = [...spread].sort((a, b) => a - b);
    const plans = [10, 100, 500, 5_000].map((cost) => readingPlan(durations, cost));
    const followed = plans.map((plan) => durations.map((duration) => found(plan, duration)));
    const waits = followed.map((rows) => mean(rows.map(({ waitedMs }) => waitedMs)));
    const reads = followed.map((rows) => mean(rows.map((row) => row.reads)));
    expect(waits).toEqual(waits.toSorted((a, b) => a - b));
    expect(reads).toEqual(reads.toSorted((a, b) => b - a));
    expect(new Set(reads).size).toBe(plans.length);
  });

  test('goes on from any age at which something was read, and ends behind the last duration', () => {
    const plan = readingPlan([100, 200, 400, 800], 5_000);
    expect([0, 150, 500, 790].map((age) => nextRead(plan, age))).toEqual([800, 800, 800, 800]);
    expect(nextRead(plan, 900)).toBeNull();
  });
});

function found(plan: ReadingPlan, duration: number): { reads: number; waitedMs: number } {
  let at: number | null = 0;
  let reads = 0;
  for (; at !== null && at < duration; reads += 1)
    at = nextRead(plan, at === 0 ? 0 : at * 1.02 + 20);
  return { reads, waitedMs: (at ?? Infinity) - duration };
}
