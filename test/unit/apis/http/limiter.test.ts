import { Limiter, type CallPriority } from '../../../../src/apis/http/limiter';

beforeEach(() => {
  jest.useFakeTimers({ now: 1_000_000 });
});

afterEach(() => {
  jest.useRealTimers();
});

const just = (rate: number) => ({ perSecond: rate, cap: rate });

const settled = async (promise: Promise<boolean>): Promise<boolean | 'waiting'> =>
  Promise.race([promise, Promise.resolve().then(() => 'waiting' as const)]);

/** Asks so many times at once; the list grows by the name and the instant of each permit. */
function ask(
  limiter: Limiter,
  priority: CallPriority,
  times: number,
  served: { name: string; at: number }[] = [],
): typeof served {
  for (let n = 0; n < times; n += 1) {
    void limiter.acquire(priority).then((granted) => {
      served.push({ name: granted ? priority : 'false', at: Date.now() });
    });
  }
  return served;
}

it.each([1, 4, 20, 250])(
  'holds %i calls a second over 10 s, within a burst of a tenth of a second',
  (ratePerSecond) => {
    const servedAt: number[] = [];
    const onWaited = (): void => void servedAt.push(Date.now());
    ask(new Limiter({ ...just(ratePerSecond), onWaited }), 'request', ratePerSecond * 12);
    jest.advanceTimersByTime(10_000);
    const burst = Math.max(1, ratePerSecond / 10);
    expect(servedAt.length).toBeLessThanOrEqual(ratePerSecond * 10 + burst);
    // Not less either: a limiter that is too shy costs hours.
    expect(servedAt.length).toBeGreaterThanOrEqual(ratePerSecond * 10 * 0.98);
    for (let from = 0; from <= 9_000; from += 500) {
      const begin = 1_000_000 + from;
      const inOneSecond = servedAt.filter((at) => at >= begin && at < begin + 1_000).length;
      expect(inOneSecond).toBeLessThanOrEqual(ratePerSecond + burst + 1);
    }
  },
);

it('saves up no more than a tenth of a second while nobody asks', async () => {
  const limiter = new Limiter(just(50));
  await jest.advanceTimersByTimeAsync(60_000);
  const served = ask(limiter, 'request', 50);
  await jest.advanceTimersByTimeAsync(0);
  expect(served).toHaveLength(5);
});

it('calls permits ample while none is waited for, and half of what may be saved up is there', async () => {
  const limiter = new Limiter(just(50));
  await jest.advanceTimersByTimeAsync(100);
  ask(limiter, 'request', 2);
  expect(limiter.areAmple).toBe(true);
  ask(limiter, 'poll', 1);
  expect(limiter.areAmple).toBe(false);
  await jest.advanceTimersByTimeAsync(100);
  expect(limiter.areAmple).toBe(true);
  ask(limiter, 'poll', 6);
  await jest.advanceTimersByTimeAsync(10);
  expect(limiter.areAmple).toBe(false);
});

it('calls permits ample while none is waited for, and nothing has bounded the rate yet', async () => {
  const limiter = new Limiter({ perSecond: 50 });
  ask(limiter, 'request', 1);
  expect(limiter.areAmple).toBe(true);
  ask(limiter, 'poll', 1);
  expect(limiter.areAmple).toBe(false);
  await jest.advanceTimersByTimeAsync(30);
  expect(limiter.areAmple).toBe(true);
  limiter.rate.refused(Date.now(), 'a call');
  expect(limiter.areAmple).toBe(false);
});

it.each(['all', 'reads'] as const)('has no ample permits while %s are paused', async (what) => {
  const limiter = new Limiter(just(50));
  limiter.pauseFor(5_000, what);
  await jest.advanceTimersByTimeAsync(4_900);
  expect(limiter.areAmple).toBe(false);
  await jest.advanceTimersByTimeAsync(100);
  expect(limiter.areAmple).toBe(true);
});

it('serves interactive calls before requests, whoever came first', async () => {
  const limiter = new Limiter(just(10));
  const served = ask(limiter, 'request', 1);
  ask(limiter, 'request', 3, served);
  ask(limiter, 'interactive', 2, served);
  await jest.advanceTimersByTimeAsync(1_000);
  expect(served.map(({ name }) => name)).toEqual([
    'request',
    'interactive',
    'interactive',
    'request',
    'request',
    'request',
  ]);
});

it('gives reads half of the rate while requests wait too, PDFs before polls', async () => {
  const limiter = new Limiter(just(10));
  const served = ask(limiter, 'interactive', 1);
  ask(limiter, 'poll', 4, served);
  ask(limiter, 'pdf', 2, served);
  ask(limiter, 'request', 4, served);
  await jest.advanceTimersByTimeAsync(2_000);
  const names = served.map(({ name }) => name).slice(1);
  expect(names.filter((_name, place) => place % 2 === 0).slice(0, 4)).toEqual(
    Array.from({ length: 4 }, () => 'request'),
  );
  expect(names.filter((name) => name !== 'request')).toEqual([
    'pdf',
    'pdf',
    'poll',
    'poll',
    'poll',
    'poll',
  ]);
  expect(names.slice(0, 8).filter((name) => name === 'request')).toHaveLength(4);
});

it('gives the whole rate to reads when no request waits', async () => {
  const limiter = new Limiter(just(10));
  const served = ask(limiter, 'poll', 11);
  await jest.advanceTimersByTimeAsync(1_000);
  expect(served).toHaveLength(11);
});

it('answers false once `until` has come, and gives the permit to the next', async () => {
  const limiter = new Limiter(just(1));
  await limiter.acquire('request');
  const late = limiter.acquire('request', { until: Date.now() + 500 });
  const patient = limiter.acquire('request');
  await jest.advanceTimersByTimeAsync(499);
  expect(await settled(late)).toBe('waiting');
  await jest.advanceTimersByTimeAsync(1);
  expect(await settled(late)).toBe(false);
  await jest.advanceTimersByTimeAsync(500);
  expect(await settled(patient)).toBe(true);
});

it('answers false at once when `until` is over, without using up a permit', async () => {
  const limiter = new Limiter(just(1));
  expect(await limiter.acquire('request', { until: Date.now() })).toBe(false);
  expect(await settled(limiter.acquire('request'))).toBe(true);
});

it('lets nobody pass during a pause, and goes on after it', async () => {
  const limiter = new Limiter(just(100));
  limiter.pauseFor(3_000);
  const served = ask(limiter, 'interactive', 2);
  await jest.advanceTimersByTimeAsync(2_999);
  expect(served).toEqual([]);
  await jest.advanceTimersByTimeAsync(1);
  expect(served).toHaveLength(2);
});

it('never shortens a pause', async () => {
  const limiter = new Limiter(just(100));
  limiter.pauseFor(3_000);
  limiter.pauseFor(10);
  const served = ask(limiter, 'poll', 1);
  await jest.advanceTimersByTimeAsync(2_000);
  expect(served).toEqual([]);
});

it.each([300_001, 1e12, Infinity])(
  'pauses for five minutes at most when told %d ms',
  async (ms) => {
    const limiter = new Limiter(just(100));
    limiter.pauseFor(ms);
    const served = ask(limiter, 'poll', 1);
    await jest.advanceTimersByTimeAsync(299_000);
    expect(served).toEqual([]);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(served).toHaveLength(1);
  },
);

it('lets those give up in time whose `until` falls into a pause', async () => {
  const limiter = new Limiter(just(100));
  limiter.pauseFor(60_000);
  const waiting = limiter.acquire('request', { until: Date.now() + 1_000 });
  await jest.advanceTimersByTimeAsync(1_000);
  expect(await settled(waiting)).toBe(false);
});

it('takes a waiter out when its signal fires, and serves the others', async () => {
  const limiter = new Limiter(just(1));
  await limiter.acquire('poll');
  const leaving = new AbortController();
  const left = limiter.acquire('poll', { signal: leaving.signal });
  const staying = limiter.acquire('poll');
  expect(limiter.waiting()).toMatchObject({ poll: 2 });
  leaving.abort();
  expect(await left).toBe(false);
  expect(limiter.waiting()).toMatchObject({ poll: 1 });
  await jest.advanceTimersByTimeAsync(1_000);
  expect(await settled(staying)).toBe(true);
});

it('answers false to a signal that has fired already', async () => {
  const limiter = new Limiter(just(1));
  expect(await limiter.acquire('poll', { signal: AbortSignal.abort() })).toBe(false);
  expect(await settled(limiter.acquire('poll'))).toBe(true);
});

it('keeps no listener on a signal once it has answered', async () => {
  const limiter = new Limiter(just(1_000));
  const { signal } = new AbortController();
  const removed = jest.spyOn(signal, 'removeEventListener');
  await limiter.acquire('poll', { signal });
  expect(removed).toHaveBeenCalledTimes(1);
});

it('tells how long a new call would wait', async () => {
  const limiter = new Limiter(just(2));
  expect(limiter.expectedWaitMs()).toBe(0);
  await limiter.acquire('poll');
  expect(limiter.expectedWaitMs()).toBe(500);
  void limiter.acquire('poll');
  expect(limiter.expectedWaitMs()).toBe(1_000);
  limiter.pauseFor(4_000);
  expect(limiter.expectedWaitMs()).toBe(5_000);
});

it.each([0, -1, Number.NaN])('refuses a rate of %p', (ratePerSecond) => {
  expect(() => new Limiter(just(ratePerSecond))).toThrow(RangeError);
});
