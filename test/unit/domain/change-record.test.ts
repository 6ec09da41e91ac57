import {
  changeRecord,
  isPending,
  lagFigures,
  LagSums,
} from '../../../src/domain/monitors/change-record';
import type { ReviewMark } from '../../../src/domain/monitors/stored';
import type { ChangeFile } from '../../../src/domain/monitors/stored';
import { filedChange } from '../../support/monitor-changes';

const sweep = 'monitor-sweep/monitor-1/run-1';
const plain: ChangeFile & { reviews: ReviewMark[] } = {
  stored: filedChange('c1', { detectedAt: '2026-05-04T10:00:00Z' }),
  isNew: false,
  delivered: {},
  acknowledged: null,
  failure: null,
  reviews: [],
};
const fileMark = { sweep, at: '2026-05-04T10:06:00.000Z', attempt: 1 };
const webhookMark = { sweep: 'later', at: '2026-05-04T10:07:30.000Z', attempt: 2 };
const required = ['file'];
const everySink = ['file', 'webhook'];
const failure = {
  count: 2,
  firstAt: '2026-05-04T10:06:00.000Z',
  lastAt: '2026-05-04T10:06:30.000Z',
  sweep,
  step: 'deliver' as const,
  sink: 'webhook',
  why: 'the webhook answered 500',
  againAt: null,
};

it.each([
  ['stored', {}],
  ['stored', { delivered: { file: fileMark } }],
  ['delivered', { delivered: { file: fileMark, webhook: webhookMark } }],
  ['failing', { delivered: { file: fileMark }, failure }],
  [
    'acknowledged',
    { failure, acknowledged: { ...webhookMark, by: 'us', acknowledgedAt: null, required } },
  ],
  ['failing', { failure, acknowledged: { ...fileMark, by: 'us', acknowledgedAt: null, required } }],
  [
    'acknowledged',
    {
      failure,
      delivered: { file: fileMark, webhook: webhookMark },
      acknowledged: { ...fileMark, by: 'us', acknowledgedAt: null, required },
    },
  ],
  [
    'acknowledged_elsewhere',
    { acknowledged: { ...fileMark, by: 'elsewhere', acknowledgedAt: null, required: everySink } },
  ],
  [
    'acknowledged_elsewhere',
    {
      failure,
      delivered: { file: fileMark, webhook: webhookMark },
      acknowledged: { ...fileMark, by: 'elsewhere', acknowledgedAt: null, required: everySink },
    },
  ],
  [
    'failing',
    {
      failure,
      delivered: { file: fileMark },
      acknowledged: { ...fileMark, by: 'elsewhere', acknowledgedAt: null, required: everySink },
    },
  ],
  ['gone', { acknowledged: { ...fileMark, by: 'gone', acknowledgedAt: null, required } }],
])('calls a change %s', (status, marks) => {
  const record = changeRecord({ ...plain, ...(marks as Partial<ChangeFile>) }, ['file', 'webhook']);
  expect(record.status).toBe(status);
});

it('counts a lag from the detection to the last required delivery', () => {
  const both = { ...plain, delivered: { file: fileMark, webhook: webhookMark } };
  expect(changeRecord(both, ['file', 'webhook'])).toMatchObject({
    delivered_at: webhookMark.at,
    delivered_by: 'later',
    lag_seconds: 450,
  });
  expect(changeRecord(both, ['file'])).toMatchObject({
    delivered_at: fileMark.at,
    lag_seconds: 360,
  });
  const early = { ...both, stored: filedChange('c1', { detectedAt: '2026-05-04T11:00:00Z' }) };
  expect(changeRecord(early, ['file']).lag_seconds).toBe(0);
  for (const detectedAt of ['yesterday', '0001-01-01T00:00:00Z', '9999-12-31T23:59:59Z']) {
    const untold = { ...both, stored: filedChange('c1', { detectedAt }) };
    expect(changeRecord(untold, ['file']).lag_seconds).toBeNull();
  }
});

it('measures an acknowledgement with the sinks of that day, whatever is required since', () => {
  const acknowledged = { ...webhookMark, by: 'us', acknowledgedAt: null, required } as const;
  const file = { ...plain, delivered: { file: fileMark }, acknowledged };
  expect(changeRecord(file, ['file', 'webhook'])).toMatchObject({
    status: 'acknowledged',
    delivered_at: fileMark.at,
    lag_seconds: 360,
  });
  // A sink that took it later for itself changes nothing.
  const later = { ...webhookMark, at: '2026-05-04T11:00:00.000Z' };
  const told = { ...file, delivered: { file: fileMark, webhook: later } };
  expect(changeRecord(told, ['webhook'])).toMatchObject({ delivered_at: fileMark.at });
});

it('owes what others acknowledged to the sinks of that day that are still required', () => {
  const elsewhere = { ...fileMark, by: 'elsewhere' as const, acknowledgedAt: null };
  const noted = (sinks: string[]) => ({
    ...plain,
    delivered: { file: fileMark },
    acknowledged: { ...elsewhere, required: sinks },
  });
  expect(isPending(noted(['file', 'webhook']), ['file', 'webhook'])).toBe(true);
  expect(isPending(noted(['file', 'webhook']), ['file'])).toBe(false);
  expect(isPending(noted(['file']), ['file', 'webhook'])).toBe(false);
});

it('tells no instant of acknowledgement of a change that is gone', () => {
  const acknowledged = { ...fileMark, by: 'gone' as const, acknowledgedAt: null, required };
  expect(changeRecord({ ...plain, acknowledged }, ['file']).acknowledged_at).toBeNull();
});

it('tells lags by severity, gravest first, without what others acknowledged', () => {
  const sums = new LagSums();
  const record = changeRecord({ ...plain, delivered: { file: fileMark } }, ['file']);
  sums.add({ ...record, severity: 'info', lag_seconds: 5 });
  sums.add({ ...record, severity: 'critical', lag_seconds: 1 });
  sums.add({ ...record, severity: 'critical', lag_seconds: 3 });
  sums.add({ ...record, severity: 'critical', lag_seconds: 90_000, found_as: 'elsewhere' });
  sums.add({ ...record, severity: 'warn', lag_seconds: null });
  expect(sums.bySeverity()).toEqual([
    ['critical', { count: 2, p50: 1, p95: 3, max: 3 }],
    ['info', { count: 1, p50: 5, p95: 5, max: 5 }],
  ]);
});

it('takes p50 and p95 for lags that were had', () => {
  const lags = Array.from({ length: 100 }, (_, place) => 100 - place);
  expect(lagFigures(lags)).toEqual({ count: 100, p50: 50, p95: 95, max: 100 });
});
