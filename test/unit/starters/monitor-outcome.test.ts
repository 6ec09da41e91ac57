import { readerOf } from '../../../src/report/reader';
import {
  emptyBacklog,
  noCounts,
  sweepStatus,
  type SweepEnd,
  type SweepOutcome,
} from '../../../src/domain/monitors/sweep';
import { exitCodeOf } from '../../../src/domain/attention';
import { sweepEnd } from '../../../src/domain/job-ends';
import { leftLines } from '../../../src/report/monitors/sweep-words';
import { sweepLines } from '../../../src/starters/monitors/outcome-lines';

const english = readerOf('en');

const end: SweepEnd = {
  counts: { ...noCounts(), stored: 30, delivered: 30, elsewhere: 30 },
  warnings: [],
  fault: null,
  reconciled: { pages: 1, found: 0, pending: 0, fault: null },
  stopped: null,
};

const outcome: SweepOutcome = {
  ...end,
  monitorId: 'monitor-1',
  sweep: 'monitor-sweep/monitor-1/run-1',
  status: 'swept',
  backlog: emptyBacklog,
  health: [],
  startedAt: '2026-05-04T10:00:00.000Z',
  endedAt: '2026-05-04T10:00:01.000Z',
};

it('does not say of a sweep that found what others acknowledged that there was none', () => {
  expect(sweepLines(outcome, english)).toEqual([
    'monitor-1: swept: new: 30, delivered: 30, acknowledged elsewhere or gone: 30',
    '  reconciled: 0 changes acknowledged by others',
  ]);
});

it('says of a walk that did not come to its end that it did not', () => {
  const fault = { fault: 'no cursor', message: 'no way on' } as const;
  const reconciled = { pages: 1, found: 2, pending: 0, fault };
  expect(sweepLines({ ...outcome, fault, reconciled }, english).slice(1)).toEqual([
    '  no cursor: no way on',
    '  not reconciled to the end of the list: 2 changes acknowledged by others',
  ]);
});

it('says where items that cannot be read are named, and how many things need a person', () => {
  const backlog = { undelivered: 1, escalated: 1, unreadable: 2 };
  expect(leftLines('monitor-1', { ...end, backlog }, english)).toEqual([
    '1 message could not be delivered or acknowledged',
    '2 items of the list cannot be read: `diligence show monitor-sweep/monitor-1` names them',
    '1 of them need a person',
  ]);
});

it.each<[SweepOutcome['status'], Partial<SweepEnd>, Partial<SweepOutcome['backlog']>]>([
  ['swept', {}, {}],
  ['swept', { warnings: ['status ignored', 'disabled optional sink'] }, {}],
  ['partly', {}, { undelivered: 1 }],
  ['partly', {}, { unreadable: 1 }],
  ['partly', { warnings: ['no cursor'] }, {}],
  ['partly', { warnings: ['slow sink'] }, {}],
  ['partly', { stopped: 'cancelled' }, {}],
  ['partly', { fault: { fault: 'unavailable', message: '503' } }, {}],
  ['failed', { fault: { fault: 'unavailable', message: '503' }, counts: noCounts() }, {}],
])('is %s when it ends with %j and leaves %j', (status, part, backlog) => {
  expect(sweepStatus({ ...end, ...part }, { ...emptyBacklog, ...backlog })).toBe(status);
});

it.each<[string, Partial<SweepOutcome>, number]>([
  ['all is through', {}, 0],
  ['it was cancelled', { status: 'partly', stopped: 'cancelled' }, 0],
  [
    'it was cancelled, and something is undelivered',
    { status: 'partly', stopped: 'cancelled', backlog: { ...emptyBacklog, undelivered: 1 } },
    1,
  ],
  [
    'something is undelivered',
    { status: 'partly', backlog: { ...emptyBacklog, undelivered: 1 } },
    1,
  ],
  [
    'something is undelivered for too long',
    { status: 'partly', backlog: { ...emptyBacklog, undelivered: 1, escalated: 1 } },
    3,
  ],
  ['the service is away', { status: 'failed', fault: { fault: 'unavailable', message: '503' } }, 1],
  ['a person must look', { status: 'failed', fault: { fault: 'no monitor', message: '404' } }, 3],
])('when %s, the exit code says so', (_what, part, code) => {
  expect(exitCodeOf('monitor-sweep', sweepEnd({ ...outcome, warnings: [], ...part }))).toBe(code);
});
