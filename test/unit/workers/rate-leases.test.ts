import { Rate } from '../../../src/apis/http/rate';
import { holdRateLeases } from '../../../src/workers/rate-leases';
import { newStore } from '../../support/new-store';
import type { Store } from '../../../src/store/store';

let store: Store;
let warnings: string[];
const stopping = new AbortController();

beforeEach(() => {
  jest.useFakeTimers({ now: 1_000_000, doNotFake: ['nextTick', 'setImmediate'] });
  store = newStore();
  warnings = [];
});

afterEach(() => jest.useRealTimers());
afterAll(() => stopping.abort());

/** A worker that begins with that rate; it lives until the test is over, or until it is told to end. */
async function worker(perSecond: number, ends = new AbortController()): Promise<Rate> {
  const rate = new Rate({ perSecond });
  await holdRateLeases(store, [{ name: 'credit', rate }], {
    stopping: AbortSignal.any([stopping.signal, ends.signal]),
    warn: (message) => warnings.push(message),
  });
  return rate;
}

test('workers share what one of them found, and take over from one that is gone', async () => {
  const first = await worker(40);
  expect(first.perSecond).toBe(40);
  const ends = new AbortController();
  const second = await worker(10, ends);
  expect(second.perSecond).toBe(20);
  await jest.advanceTimersByTimeAsync(3_000);
  expect([first.perSecond, second.perSecond]).toEqual([20, 20]);
  ends.abort();
  await jest.advanceTimersByTimeAsync(16_000);
  expect(first.perSecond).toBe(40);
});

test('a worker goes on from what was found before, for a day', async () => {
  const found = { worker: 'before', until: 1_000_000 - 60_000, reason: 'refused', refusals: 3 };
  const share = { service: 'credit', ...found, perSecond: 60, ceiling: 70 };
  await store.rateShares.renew([share], 1_000_000);
  expect((await worker(10)).found).toEqual({ perSecond: 60, ceiling: 70 });
  await jest.advanceTimersByTimeAsync(0);
  expect(await store.rateShares.all()).toHaveLength(2);
  await store.rateShares.renew([share], 1_000_000 + 25 * 3_600_000);
  expect(await store.rateShares.all()).toEqual([share]);
});

test('without its lease a worker sends one call a second, and says so once', async () => {
  const rate = await worker(40);
  const away = jest.spyOn(store.rateShares, 'renew').mockRejectedValue(new Error('away'));
  await jest.advanceTimersByTimeAsync(30_000);
  expect(rate.perSecond).toBe(1);
  expect(rate.reason).toBe('no_lease');
  expect(warnings).toHaveLength(1);
  away.mockRestore();
  await jest.advanceTimersByTimeAsync(3_000);
  expect(rate.perSecond).toBe(40);
});
