import { noCounts, noStanding, type SweepOutcome } from '../../../src/domain/monitors/sweep';
import { healthLines, sweepLines } from '../../../src/starters/monitors/outcome';

const outcome: SweepOutcome = {
  monitorId: 'monitor-1',
  sweep: 'monitor-sweep/monitor-1/run-1',
  status: 'swept',
  stopped: null,
  fault: null,
  counts: { ...noCounts(), filed: 30, delivered: 30, elsewhere: 30 },
  standing: noStanding(),
  reconciled: { pages: 1, found: 0, owed: 0, fault: null },
  remarks: [],
  startedAt: '2026-05-04T10:00:00.000Z',
  endedAt: '2026-05-04T10:00:01.000Z',
};

it('does not say of a sweep that found what others acknowledged that there was none', () => {
  expect(sweepLines(outcome)).toEqual([
    'monitor-1: swept: 30 new, 30 delivered, 0 acknowledged, 30 acknowledged elsewhere or gone',
    '  a walk over all states put on file nothing more',
  ]);
});

it('says of a walk that did not come to its end that it did not', () => {
  const fault = { fault: 'no cursor', message: 'no way on' } as const;
  const reconciled = { pages: 1, found: 2, owed: 0, fault };
  expect(sweepLines({ ...outcome, fault, reconciled }).slice(1)).toEqual([
    '  no cursor: no way on',
    '  a walk over all states did not come to its end: it put on file 2 changes acknowledged by others and not on file before',
  ]);
});

it('tells where items that cannot be read are named, and how many things need a person', () => {
  const standing = { stuck: 1, escalated: 1, unreadable: 2 };
  expect(sweepLines({ ...outcome, standing, reconciled: null }).slice(1)).toEqual([
    '  1 change could not be brought through (1 need a person)',
    '  2 items of the list cannot be read: `diligence status monitor-1` names them',
  ]);
});

it('names what sweeps of a schedule left', () => {
  const left = [{ monitorId: 'monitor-1', why: 'no cursor: no way on' }];
  expect(healthLines([{ blocked: [], left }])).toEqual([
    'left by its sweep: monitor-1: no cursor: no way on',
  ]);
});
