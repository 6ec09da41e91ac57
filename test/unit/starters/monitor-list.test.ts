import { emptyBacklog, type SweepLeft } from '../../../src/domain/monitors/sweep';
import { readerOf } from '../../../src/report/reader';
import { viewLines, type ScheduleView } from '../../../src/starters/monitors/list';

const english = readerOf('en');

const at = '2026-05-04T10:00:00.000Z';
const left: SweepLeft = {
  fault: { fault: 'no cursor', message: 'no way on' },
  warnings: [],
  backlog: { ...emptyBacklog, undelivered: 1 },
};

const view: ScheduleView = {
  id: 'monitor-scan/default',
  name: 'default',
  every: '15m',
  monitors: 3,
  paused: false,
  next: null,
  last: null,
  running: [],
  skipped: 0,
  missed: 0,
  scannedAt: '2026-05-04T10:00:00.000Z',
  open: 0,
  notes: [],
};

it('says of how many monitors it is not known whether they may run, and why', () => {
  const notes = (['not_read', 'refused', 'not_read'] as const).map((why, index) => {
    return { monitorId: `monitor-${index}`, kind: 'unknown' as const, why, status: 403 };
  });
  const lines = viewLines({ ...view, notes }, english);
  expect(lines.slice(3)).toEqual([
    '    health unknown of 2: it could not be read yet',
    '    health unknown of 1: the service does not report it (403)',
  ]);
  expect(viewLines(view, english)).toHaveLength(3);
});

it('names monitors that may not run, that fail at the service, and what sweeps left', () => {
  const monitorId = 'monitor-1';
  const lines = viewLines(
    {
      ...view,
      notes: [
        { monitorId, kind: 'unfinished', left },
        { monitorId, kind: 'blocked', why: 'monitor_paused' },
        { monitorId, kind: 'unwell', health: 'failing', failures: 0, lastCycleAt: at },
      ],
    },
    english,
  );
  expect(lines.slice(2)).toEqual([
    '  at 2026-05-04T10:00:00.000Z: 0 with open changes',
    '    may not run, and detects nothing: monitor-1: monitor_paused',
    `    the service's own checks of it fail: monitor-1: failing, the last one at ${at}`,
    '    left by its last sweep: monitor-1: no cursor: no way on; 1 message could not be delivered or acknowledged',
  ]);
});

it('names the first of many, and counts the others', () => {
  const notes = Array.from({ length: 25 }, (_, index) => {
    return { monitorId: `monitor-${index}`, kind: 'failing' as const, why: 'answered 403' };
  });
  const lines = viewLines({ ...view, notes }, english).slice(3);
  expect(lines).toHaveLength(21);
  expect(lines.at(-1)).toBe('    and 5 more');
});
