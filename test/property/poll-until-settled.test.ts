import * as fc from 'fast-check';
import { nextWait, waitBounds, type WaitStep } from '../../src/domain/core/service/poll-timing';
import { sized } from '../support/full-size';

/**
 * A wait as activity and server carry it out, on a clock of its own. The server fails an activity
 * at once when its next attempt would come after the schedule-to-close time-out, and never tries
 * again after a delay of 0.
 */
function simulate({ deadlineAt, asked, settlesAt, dispatchMs }: Course) {
  const backstopAt = deadlineAt + 60_000;
  const reads: number[] = [];
  const steps: WaitStep[] = [];
  let at = 0;
  /** In all, the last seconds before the deadline aside. */
  let heldMs = 0;
  let attempt = 1;
  for (;;) {
    reads.push(at);
    if (at >= settlesAt) return { end: 'settled', at, reads, steps, heldMs } as const;
    const askedMs = asked[reads.length % asked.length] ?? 0;
    const step = nextWait(askedMs, deadlineAt - at, attempt === 1 ? heldMs : Infinity);
    steps.push(step);
    if (step.kind === 'expired') return { end: 'expired', at, reads, steps, heldMs } as const;
    if (step.kind === 'leave') {
      if (step.ms <= 0 || at + step.ms > backstopAt) {
        return { end: 'failed by the server', at, reads, steps, heldMs } as const;
      }
      at += step.ms + dispatchMs;
      attempt += 1;
      continue;
    }
    if (deadlineAt - at >= waitBounds.lastHoldMs) heldMs += step.ms;
    at += step.ms;
  }
}

interface Course {
  deadlineAt: number;
  asked: number[];
  settlesAt: number;
  /** Between the server's timer and the next attempt. */
  dispatchMs: number;
}

const hour = 3_600_000;
const seconds = fc.oneof(
  fc.constantFrom(0, 1, 2, 5, 10, 60, 3_600, 86_400, 1e9),
  fc.double({ min: 0, max: 7_200, noNaN: true }),
);
const course: fc.Arbitrary<Course> = fc.record({
  deadlineAt: fc.integer({ min: 0, max: 4 * hour }),
  asked: fc.array(
    seconds.map((one) => one * 1_000),
    { minLength: 1, maxLength: 5 },
  ),
  settlesAt: fc.oneof(fc.constant(Infinity), fc.integer({ min: 0, max: 8 * hour })),
  dispatchMs: fc.integer({ min: 0, max: 900 }),
});

it('ends at the deadline to the second, or when it has settled, and never by the server', () => {
  fc.assert(
    fc.property(course, (given) => {
      const { end, at } = simulate(given);
      expect(['settled', 'expired']).toContain(end);
      expect(at).toBeLessThanOrEqual(given.deadlineAt + 1_000);
      if (end === 'expired') expect(at).toBeGreaterThanOrEqual(given.deadlineAt);
      // What settled in time is never told to have expired.
      if (given.settlesAt <= given.deadlineAt) expect(end).toBe('settled');
    }),
    { numRuns: sized(100, 500) },
  );
});

it('reads never more often than once a second, the last read aside', () => {
  fc.assert(
    fc.property(course, (given) => {
      const { reads } = simulate(given);
      const gaps = reads.slice(1, -1).map((at, place) => at - (reads[place] ?? 0));
      expect(Math.min(...gaps, waitBounds.minMs)).toBe(waitBounds.minMs);
    }),
  );
});

it('reads as often as the service asks, within an hour, while there is time', () => {
  const left = fc.integer({ min: 2 * hour, max: 100 * hour });
  const held = fc.oneof(fc.constantFrom(0, Infinity), fc.integer({ min: 0, max: 60_000 }));
  fc.assert(
    fc.property(seconds, left, held, (asked, leftMs, heldMs) => {
      const ms = Math.ceil(Math.min(Math.max(asked * 1_000, 400), hour));
      const isHeld = ms <= waitBounds.holdMs && heldMs + ms <= waitBounds.holdInAllMs;
      expect(nextWait(asked * 1_000, leftMs, heldMs)).toEqual({
        kind: isHeld ? 'hold' : 'leave',
        ms: isHeld ? ms : Math.max(ms, 1_000),
      });
    }),
  );
});

it('holds a slot for half a minute at most, however often it is to read', () => {
  fc.assert(
    fc.property(course, (given) => {
      expect(simulate(given).heldMs).toBeLessThanOrEqual(waitBounds.holdInAllMs);
    }),
    { numRuns: sized(100, 500) },
  );
});

it('holds no slot over a wait that is long at once', () => {
  fc.assert(
    fc.property(fc.integer({ min: 10_001, max: 2 * hour }), (asked) => {
      const given = { deadlineAt: 4 * hour, asked: [asked], settlesAt: 2 * hour, dispatchMs: 100 };
      expect(simulate(given).heldMs).toBe(0);
    }),
  );
});

it('leaves the server a timer that ends within its own time, and is never 0', () => {
  fc.assert(
    fc.property(seconds, fc.integer({ min: 1, max: 24 * hour }), (asked, leftMs) => {
      const step = nextWait(asked * 1_000, leftMs, Infinity);
      if (step.kind !== 'leave') return;
      expect(step.ms).toBeGreaterThanOrEqual(1_000);
      expect(step.ms).toBeLessThanOrEqual(leftMs - waitBounds.marginMs);
    }),
  );
});
