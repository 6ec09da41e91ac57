import * as fc from 'fast-check';
import { Limiter, callPriorities, type CallPriority } from '../../src/apis/http/limiter';
import { sized } from '../support/full-size';

afterEach(() => {
  jest.useRealTimers();
});

interface Served {
  priority: CallPriority;
  at: number;
}

const load = fc.array(
  fc.record({
    afterMs: fc.nat(300),
    priority: fc.constantFrom(...callPriorities),
    calls: fc.integer({ min: 1, max: 8 }),
  }),
  { maxLength: 15 },
);

it('keeps to its rate in every span of time, whoever asks when', async () => {
  jest.useFakeTimers();
  await fc.assert(
    fc.asyncProperty(load, fc.integer({ min: 1, max: 60 }), async (steps, ratePerSecond) => {
      const limiter = new Limiter({ perSecond: ratePerSecond, cap: ratePerSecond });
      const served: Served[] = [];
      let asked = 0;
      for (const { afterMs, priority, calls } of steps) {
        await jest.advanceTimersByTimeAsync(afterMs);
        asked += calls;
        for (let n = 0; n < calls; n += 1) {
          void limiter.acquire(priority).then(() => served.push({ priority, at: Date.now() }));
        }
      }
      await jest.advanceTimersByTimeAsync((asked / ratePerSecond) * 1_000 + 2_000);
      expect(served).toHaveLength(asked);
      const burst = Math.max(1, ratePerSecond / 10);
      for (let from = 0; from < served.length; from += 1) {
        for (let to = from; to < served.length; to += 1) {
          const seconds = ((served[to]?.at ?? 0) - (served[from]?.at ?? 0)) / 1_000;
          expect(to - from + 1).toBeLessThanOrEqual(seconds * ratePerSecond + burst + 0.01);
        }
      }
    }),
    { numRuns: sized(20, 60) },
  );
});

it('serves each kind in the order of asking and forgets nobody', async () => {
  jest.useFakeTimers();
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...callPriorities), { maxLength: 30 }),
      async (asked) => {
        const limiter = new Limiter({ perSecond: 10, cap: 10 });
        const served: [CallPriority, number][] = [];
        for (const [n, priority] of asked.entries()) {
          void limiter.acquire(priority).then(() => served.push([priority, n]));
        }
        await jest.advanceTimersByTimeAsync(asked.length * 100 + 1_000);
        for (const kind of callPriorities) {
          const order = served.filter(([priority]) => priority === kind).map(([, n]) => n);
          expect(order).toEqual(order.toSorted((a, b) => a - b));
        }
        expect(served).toHaveLength(asked.length);
        expect(Object.values(limiter.waiting())).toEqual([0, 0, 0, 0]);
      },
    ),
    { numRuns: sized(20, 60) },
  );
});
