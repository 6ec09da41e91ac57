import { Rate } from '../../../../src/apis/http/rate';
import { ask } from '../../../support/requested-service';

beforeEach(() => {
  jest.useFakeTimers({ now: 1_000_000 });
});

afterEach(() => {
  jest.useRealTimers();
});

const share = ({ asked, refused }: { asked: number; refused: number }): number => refused / asked;

it('finds a service that takes whatever comes, without a setting', async () => {
  const { rows, seconds } = await ask({ allows: () => 1e9, rows: 1_000 });
  expect(rows / seconds).toBeGreaterThanOrEqual(60);
});

it.each(['bucket', 'window'] as const)(
  'keeps to 15 calls a second of a service that refuses more (%s)',
  async (counts) => {
    const asked = await ask({ allows: () => 15, counts, rows: 1_000 });
    expect(asked.rows).toBe(1_000);
    expect(asked.perSecond).toBeGreaterThanOrEqual(0.9 * 15);
    expect(asked.paid.refused).toBeLessThanOrEqual(counts === 'bucket' ? 3 : 5);
    expect(share(asked.reads)).toBeLessThanOrEqual(0.05);
  },
);

it.each([
  [5, 'bucket', 40],
  [50, 'bucket', 40],
  [50, 'window', 40],
  [15, 'bucket', 400],
  [200, 'bucket', 40],
  [200, 'window', 40],
] as const)(
  'comes near to %i calls a second (%s, answers after %i ms)',
  async (most, counts, answerMs) => {
    const asked = await ask({ allows: () => most, counts, answerMs, rows: most * 20 });
    expect(asked.perSecond).toBeGreaterThanOrEqual(0.8 * most);
    expect(share(asked.reads)).toBeLessThanOrEqual(0.05);
  },
);

it('follows a service that allows 5, 15, 50 and 15 calls a second in turn', async () => {
  const allows = (second: number): number => {
    if (second < 120) return 5;
    return second < 300 ? 15 : second < 480 ? 50 : 15;
  };
  const { rates, paid, reads } = await ask({ allows, rows: 1e6, forSeconds: 600 });
  const at = (second: number): number => rates[second] ?? 0;
  expect(at(110)).toBeLessThanOrEqual(5.5);
  expect(at(290)).toBeGreaterThan(11);
  expect(at(290)).toBeLessThanOrEqual(16.5);
  expect(at(470)).toBeGreaterThan(36);
  expect(at(470)).toBeLessThanOrEqual(55);
  expect(at(599)).toBeLessThanOrEqual(16.5);
  expect(share(paid)).toBeLessThanOrEqual(0.02);
  expect(share(reads)).toBeLessThanOrEqual(0.05);
});

it.each<[share: number, times: number, seconds: number]>([
  [0.02, 1, 14],
  [0.06, 1, 17],
  [0.06, 3, 100],
  [0.1, 2, 45],
])(
  'takes refusals of single calls for what they are (%d of the rows, %d times)',
  async (part, times, seconds) => {
    const odd = await ask({ allows: () => 1e9, rows: 1_000, refusesAnyway: [part, times] });
    expect(odd.rows).toBe(1_000);
    expect(odd.seconds).toBeLessThanOrEqual(seconds);
  },
);

it('hardly slows down when a fast service refuses single calls', async () => {
  // Of its own, an odd row holds its place for a second: 0.78 at best.
  const service = { allows: () => 1e9, rows: 10_000, begins: 800 };
  const plain = await ask(service);
  const odd = await ask({ ...service, refusesAnyway: [0.04, 1] });
  expect(plain.seconds / odd.seconds).toBeGreaterThan(0.7);
});

it('never goes beyond what the settings allow, and says so', async () => {
  const rate = new Rate({ perSecond: 40, cap: 20 });
  expect(rate.perSecond).toBe(20);
  rate.wanted();
  expect(rate.trialPerSecond).toBe(0);
  expect(rate.reason).toBe('capped');
});

it('sends next to nothing without a share of the rate, and its part with one', () => {
  const rate = new Rate({ perSecond: 40 });
  rate.share(null);
  expect(rate.perSecond).toBe(1);
  expect(rate.paidPerSecond).toBe(1);
  expect(rate.reason).toBe('no_lease');
  rate.share(1);
  expect(rate.perSecond).toBe(40);
  rate.share(2);
  expect(rate.perSecond).toBe(20);
});

it('keeps requests that cost money at their rate for ten minutes once they are answered "busy"', () => {
  const rate = new Rate({ perSecond: 10 });
  rate.busy();
  rate.begin({ perSecond: 100, ceiling: null });
  expect(rate.paidPerSecond).toBe(10);
  expect(rate.perSecond).toBe(100);
  jest.advanceTimersByTime(600_000);
  expect(rate.paidPerSecond).toBe(100);
});

it('goes on from what was found before', () => {
  const rate = new Rate({});
  rate.begin({ perSecond: 80, ceiling: 90 });
  expect(rate.perSecond).toBe(80);
  expect(rate.reason).toBe('refused');
  expect(rate.found).toEqual({ perSecond: 80, ceiling: 90 });
});
