import { healthNotes } from '../../../src/domain/monitors/health';
import { noteLine } from '../../../src/report/monitors/sweep-words';
import { readerOf } from '../../../src/report/reader';
import type { HealthOnFile } from '../../../src/domain/monitors/stored';

const well: HealthOnFile = {
  kind: 'known',
  at: '2026-05-04T10:00:00.000Z',
  state: 'active',
  executionAllowed: true,
  blockingReason: null,
  health: 'unknown',
  subscription: 'active',
  consecutiveFailures: 0,
  lastCycleAt: '2026-05-04T09:00:00Z',
};
const unread: HealthOnFile = { kind: 'unknown', at: well.at, why: 'no_route', status: 404 };

it('says nothing of a monitor that runs', () => {
  expect(healthNotes(well)).toEqual([]);
  // The words of the service are not listed: one that we do not know says nothing.
  expect(healthNotes({ ...well, health: 'green' })).toEqual([]);
  expect(healthNotes({ ...well, health: null, consecutiveFailures: null })).toEqual([]);
});

it.each<[string, HealthOnFile | null, string]>([
  ['is paused', { ...well, state: 'paused' }, 'may not run, and detects nothing: monitor_paused'],
  [
    'is not paid',
    { ...well, executionAllowed: false, blockingReason: 'payment_required' },
    'payment_required',
  ],
  [
    'fails',
    { ...well, health: 'failing', consecutiveFailures: 9 },
    'failing, 9 in a row failed, the last one at 2026-05-04T09:00:00Z',
  ],
  [
    'fails, by a count alone',
    { ...well, health: null, consecutiveFailures: 2 },
    '2 in a row failed',
  ],
  ['fails, by its word alone', { ...well, health: 'unhealthy' }, 'checks of it fail: unhealthy'],
  ['cannot be read', unread, 'health unknown: the service does not report it (404)'],
  ['was never read', null, 'health unknown'],
])('says of a monitor that %s why', (_, health, words) => {
  const notes = healthNotes(health);
  expect(notes).toHaveLength(1);
  expect(notes.map((note) => noteLine(note, readerOf('en')))[0]).toContain(words);
});
