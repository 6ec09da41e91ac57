import { readerOf } from '../../../src/report/reader';
import { viewLines, type ScheduleView } from '../../../src/starters/monitors/list';

const english = readerOf('en');

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
  const notes = ['not told', 'refused', 'not told'].map((why, index) => {
    return { monitorId: `monitor-${index}`, kind: 'unknown' as const, why };
  });
  const lines = viewLines({ ...view, notes }, english);
  expect(lines.slice(3)).toEqual([
    '    health unknown of 2: not told',
    '    health unknown of 1: refused',
  ]);
  expect(viewLines(view, english)).toHaveLength(3);
});

it('names monitors that may not run, that fail at the service, and what sweeps left', () => {
  const monitorId = 'monitor-1';
  const lines = viewLines(
    {
      ...view,
      notes: [
        { monitorId, kind: 'unfinished', why: 'no cursor: no way on' },
        { monitorId, kind: 'blocked', why: 'monitor_paused' },
        { monitorId, kind: 'unwell', why: 'failing' },
      ],
    },
    english,
  );
  expect(lines.slice(2)).toEqual([
    '  at 2026-05-04T10:00:00.000Z: 0 with open changes',
    '    may not run, and detects nothing: monitor-1: monitor_paused',
    "    the service's own checks of it fail: monitor-1: failing",
    '    left by its last sweep: monitor-1: no cursor: no way on',
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
