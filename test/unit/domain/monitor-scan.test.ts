import { scanEnd } from '../../../src/domain/job-ends';
import {
  isReconcileDue,
  noScanCounts,
  scanStatus,
  type WalksOnFile,
  type ScanCounts,
  type ScanOutcome,
} from '../../../src/domain/monitors/scan';

const start = Date.parse('2026-05-04T10:00:00.000Z');
const hour = 3_600_000;
const at = (ms: number): string => new Date(start + ms).toISOString();

function outcomeOf(counts: Partial<ScanCounts>, stopped: ScanOutcome['stopped'] = null) {
  const times = { startedAt: at(0), endedAt: at(1) };
  return { scan: 's', list: 'l', stopped, counts: { ...noScanCounts(), ...counts }, ...times };
}

it.each([
  ['swept', false, { probed: 10, sweeps: 3 }],
  ['swept', false, {}],
  ['partly', false, { probed: 10, failing: 9 }],
  ['partly', false, { probed: 10, sweeps: 1, partly: 1 }],
  ['partly', true, { probed: 10, failing: 1, escalated: 1 }],
  ['partly', true, { probed: 10, lostPages: 1 }],
  ['failed', true, { probed: 10_000, failing: 10_000 }],
  ['failed', true, { probed: 0, lostPages: 1 }],
] as const)('is %s, and needs a person: %s (%j)', (status, attention, counts) => {
  const outcome = outcomeOf(counts);
  expect([scanStatus(outcome), scanEnd(outcome).needsAttention]).toEqual([status, attention]);
});

it('needs a person when the token was refused', () => {
  const outcome = outcomeOf({ probed: 10 }, 'credentials');
  expect([scanStatus(outcome), scanEnd(outcome).needsAttention]).toEqual(['failed', true]);
});

describe('a walk over all states', () => {
  const walk: WalksOnFile = { at: at(0), unfinished: null };

  it('is due weekly, and when one is owed', () => {
    expect(isReconcileDue({ ...walk, at: null }, start)).toBe(true);
    expect(isReconcileDue(undefined, start)).toBe(true);
    expect(isReconcileDue(walk, start + 167 * hour)).toBe(false);
    expect(isReconcileDue(walk, start + 168 * hour)).toBe(true);
  });

  it('that came to nothing is due again twice as late each time, and daily in the end', () => {
    const waits = [1, 2, 3, 20].map((times) => {
      const tried = { ...walk, at: null, unfinished: { at: at(0), times } };
      const isDue = (minutes: number) => isReconcileDue(tried, start + minutes * 60_000);
      return [1, 2, 4, 24 * 60].filter((minutes) => !isDue(minutes - 0.1) && isDue(minutes));
    });
    expect(waits).toEqual([[1], [2], [4], [24 * 60]]);
  });
});
