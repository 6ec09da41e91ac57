import { draw, drawDuration } from '../../../src/sandbox/core/chance';

const many = Array.from({ length: 10_000 }, (_, index) => index);

describe('chance', () => {
  test('the same words draw the same number', () => {
    expect(draw(1, 'poll', '11222333000181', 3)).toBe(draw(1, 'poll', '11222333000181', 3));
    expect(draw(1, 'a')).not.toBe(draw(2, 'a'));
  });

  test('numbers fill the interval evenly, also for neighbouring words', () => {
    const tenths = Array.from({ length: 10 }, () => 0);
    for (const index of many) {
      const tenth = Math.floor(draw(1, 'even', index) * 10);
      tenths[tenth] = (tenths[tenth] ?? 0) + 1;
    }
    for (const count of tenths) {
      expect(count).toBeGreaterThan(850);
      expect(count).toBeLessThan(1150);
    }
  });

  test.each(['uniform', 'lognormal'] as const)('%s durations stay in their range', (kind) => {
    const durations = many.map((index) => drawDuration([100, 1000], kind, index));
    expect(Math.min(...durations)).toBeGreaterThanOrEqual(100);
    expect(Math.max(...durations)).toBeLessThanOrEqual(1000);
    const median = durations.sort((a, b) => a - b)[5000] ?? 0;
    const expected = kind === 'uniform' ? 550 : Math.sqrt(100 * 1000);
    expect(Math.abs(median - expected)).toBeLessThan(expected * 0.1);
  });

  test('a range of one value is that value', () => {
    expect(drawDuration([0, 0], 'lognormal', 1)).toBe(0);
    expect(drawDuration([7, 7], 'uniform', 1)).toBe(7);
  });
});
