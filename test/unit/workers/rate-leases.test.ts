import { Rate } from '../../../src/apis/http/rate';
import { holdRateLeases } from '../../../src/workers/rate-leases';
import { newStore } from '../../support/new-store';
import type { Store } from '../../../src/store/store';

let store: Store;
let warnings: string[];

beforeEach(() => {
  jest.useFakeTimers({ now: 1_000_000, doNotFake: ['nextTick', 'setImmediate'] });
  store = newStore();
  warnings = [];
});

afterEach(() => jest.useRealTimers());

interface Working {
  rate: Rate;
  giveBack: () => Promise<void>;
}

/** A worker that begins with that rate. */
async function worker(perSecond: number): Promise<Working> {
  const rate = new Rate({ perSecond });
  const warn = (message: string): void => void warnings.push(message);
  const { giveBack } = await holdRateLeases(store, [{ name: 'credit', rate }], { warn });
  return { rate, giveBack };
}

test('workers share what one of them found, and take over from one that was killed', async () => {
  const { rate: first } = await worker(40);
  expect(first.perSecond).toBe(40);
  const share = { service: 'credit', worker: 'killed', reason: 'growing', refusals: 0 };
  const killed = { ...share, until: 1_000_000 + 10_000, perSecond: 20, ceiling: null };
  await store.rateShares.renew([killed], 1_000_000);
  await jest.advanceTimersByTimeAsync(3_000);
  expect(first.perSecond).toBe(20);
  await jest.advanceTimersByTimeAsync(9_000);
  expect(first.perSecond).toBe(40);
});

test('a worker that ends gives its share back: the next one has the whole rate at once', async () => {
  const { giveBack } = await worker(40);
  await giveBack();
  const { rate: next } = await worker(10);
  expect(next.perSecond).toBe(40);
  await jest.advanceTimersByTimeAsync(3_000);
  expect(next.perSecond).toBe(40);
});

test('nothing of the rate is lost or counted twice, in whatever order workers end', async () => {
  const first = await worker(40);
  const second = await worker(10);
  expect(second.rate.perSecond).toBe(20);
  await jest.advanceTimersByTimeAsync(3_000);
  await first.giveBack();
  await jest.advanceTimersByTimeAsync(3_000);
  expect(second.rate.perSecond).toBe(40);
  await second.giveBack();
  const third = await worker(10);
  expect(third.rate.perSecond).toBe(40);
  const fourth = await worker(10);
  await jest.advanceTimersByTimeAsync(3_000);
  await Promise.all([third.giveBack(), fourth.giveBack()]);
  expect((await worker(10)).rate.perSecond).toBe(40);
});

test('a worker goes on from what was found before, for a day', async () => {
  const found = { worker: 'before', until: 1_000_000 - 60_000, reason: 'refused', refusals: 3 };
  const share = { service: 'credit', ...found, perSecond: 60, ceiling: 70 };
  await store.rateShares.renew([share], 900_000);
  jest.setSystemTime(1_000_000 + 23 * 3_600_000);
  const { rate, giveBack } = await worker(10);
  expect(rate.found).toEqual({ perSecond: 60, ceiling: 70 });
  expect(await store.rateShares.all(Date.now())).toHaveLength(1);
  await giveBack();
  jest.setSystemTime(1_000_000 + 48 * 3_600_000);
  expect(await store.rateShares.all(Date.now())).toEqual([]);
  expect((await worker(10)).rate.found).toEqual({ perSecond: 10, ceiling: null });
});

test('without its lease a worker sends one call a second, and says so once', async () => {
  const { rate } = await worker(40);
  const away = jest.spyOn(store.rateShares, 'renew').mockRejectedValue(new Error('away'));
  await jest.advanceTimersByTimeAsync(30_000);
  expect(rate.perSecond).toBe(1);
  expect(rate.reason).toBe('no_lease');
  expect(warnings).toHaveLength(1);
  away.mockRestore();
  await jest.advanceTimersByTimeAsync(3_000);
  expect(rate.perSecond).toBe(40);
});
