import { emptyBacklog, noCounts, type SweepOutcome } from '../../../src/domain/monitors/sweep';
import { exitCodeOf } from '../../../src/domain/attention';
import { sweepEnd } from '../../../src/domain/job-ends';
import { monitorJobOf } from '../../../src/starters/monitors/works';

const monitorId = '3f0c6a52-7d1e-4b8a-9c55-0e9d2a6b1f47';
const sweep = { kind: 'monitor-sweep', id: `monitor-sweep/${monitorId}`, monitorId };

it.each([
  [monitorId, sweep],
  [monitorId.toUpperCase(), sweep],
  [`monitor-sweep/${monitorId}`, sweep],
  [`monitor-sweep/${monitorId}/20261122T010203123Z`, sweep],
  ['monitor-scan/default', { kind: 'monitor-scan', list: 'default' }],
  ['monitor-scan/by-hand/0123456789abcdef', { kind: 'monitor-scan', list: 'by-hand' }],
  [
    'monitor-scan/my-list-2-2026-11-22T01:00:00Z',
    {
      kind: 'monitor-scan',
      id: 'monitor-scan/my-list-2-2026-11-22T01:00:00Z',
      list: 'my-list-2',
    },
  ],
])('%s is a sweep or a scan', (id, work) => {
  expect(monitorJobOf(id)).toMatchObject(work);
});

it.each([
  'certificate/cnpj/0123',
  'credit/0123456789abcdef0123456789abcdef',
  'monitor-sweep/',
  'monitor-sweep/abc',
  'monitor-scan/',
  'monitor-scan/a/b/c',
  '../monitor-scan/default',
])('%s is none', (id) => {
  expect(monitorJobOf(id)).toBeNull();
});

function outcomeOf(part: Partial<SweepOutcome>): SweepOutcome {
  return {
    monitorId,
    sweep: `monitor-sweep/${monitorId}/20261122T010203123Z`,
    status: 'swept',
    stopped: null,
    fault: null,
    counts: noCounts(),
    backlog: emptyBacklog,
    reconciled: null,
    warnings: [],
    health: [],
    startedAt: '2026-11-22T01:02:03.123Z',
    endedAt: '2026-11-22T01:02:04.123Z',
    ...part,
  };
}

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
  expect(exitCodeOf('monitor-sweep', sweepEnd(outcomeOf(part)))).toBe(code);
});
