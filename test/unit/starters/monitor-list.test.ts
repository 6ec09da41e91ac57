import { viewLines, type ScheduleView } from '../../../src/starters/monitors/list';

const view: ScheduleView = {
  id: 'monitor-watch/default',
  name: 'default',
  every: '15m',
  monitors: 3,
  paused: false,
  next: null,
  last: null,
  running: [],
  skipped: 0,
  missed: 0,
  lookedAt: '2026-05-04T10:00:00.000Z',
  open: 0,
  failing: [],
  blocked: [],
  unknown: [],
  unwell: [],
  left: [],
};

it('says of how many monitors nobody knows whether they may run, and why', () => {
  const unknown = ['not told', 'refused', 'not told'].map((why, place) => {
    return { monitorId: `monitor-${place}`, why };
  });
  const lines = viewLines({ ...view, unknown });
  expect(lines.slice(3)).toEqual([
    '    health unknown of 2: not told',
    '    health unknown of 1: refused',
  ]);
  expect(viewLines(view)).toHaveLength(3);
});

it('names monitors that may not run, or that the service cannot look at', () => {
  const one = { monitorId: 'monitor-1', why: 'monitor_paused' };
  expect(
    viewLines({ ...view, blocked: [one], unwell: [{ ...one, why: 'failing' }] }).slice(2),
  ).toEqual([
    '  at 2026-05-04T10:00:00.000Z: 0 with open changes, 0 failing, 1 that may not run, 0 of unknown health',
    '    may not run, and detects nothing: monitor-1: monitor_paused',
    "    the service's own looks at it fail: monitor-1: failing",
  ]);
});
