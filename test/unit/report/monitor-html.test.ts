import { changeRecord, type ChangeRecord } from '../../../src/domain/monitors/change-record';
import { Histogram } from '../../../src/report/histogram';
import { MonitorSums } from '../../../src/report/monitor-figures';
import { monitorHtml, type MonitorReport } from '../../../src/report/monitor-html';
import { filedChange } from '../../support/monitor-changes';

const plain = changeRecord(
  {
    filed: filedChange('c'),
    isNew: false,
    delivered: {},
    acknowledged: null,
    trouble: null,
    reviews: [],
  },
  ['file'],
);

function recordsOf(...some: Partial<ChangeRecord>[]): MonitorReport['figures'] {
  const sums = new MonitorSums();
  for (const [place, one] of some.entries()) {
    sums.add({ ...plain, change_id: `c${place}`, ...one });
  }
  return sums.figures();
}

const report: MonitorReport = {
  scope: { since: '2026-05-05T00:00:00.000Z', monitors: 1, severities: ['critical'] },
  figures: recordsOf(
    {
      severity: 'critical',
      status: 'acknowledged',
      detected_at: '2026-05-04T10:00:00Z',
      delivered_at: '2026-05-04T10:10:00Z',
      acknowledged_at: '2026-05-04T10:11:00Z',
      lag_seconds: 600,
      reviewed_at: '2026-05-05T10:00:00Z',
    },
    {
      severity: 'info',
      status: 'failing',
      detected_at: '2026-05-04T12:00:00Z',
      failures: 7,
      failure: 'the webhook answered 500 <script>',
    },
    { severity: 'info', status: 'acknowledged_elsewhere', detected_at: '2026-05-04T11:00:00Z' },
  ),
  monitors: {
    total: 3,
    noted: { blocked: 1, unwell: 1, unknown: 1 },
    listed: [
      { monitorId: 'm-2', document: '***.123.456-**', notes: ['may not run: payment_required'] },
      { monitorId: 'm-3', document: null, notes: ['health unknown: no such route (404)'] },
    ],
    more: 0,
  },
  sinks: [{ name: 'webhook', required: true, disabled: 'disabled since x: answered 410' }],
  writtenAt: Date.parse('2026-05-06T10:00:00Z'),
};

it('tells what is open, failing, blocked, of unknown health and disabled', () => {
  const page = monitorHtml(report);
  expect(page).toContain('3 changes, 1 still open');
  expect(page).toContain('the webhook answered 500 &lt;script&gt;');
  expect(page).not.toContain('<script');
  expect(page).toContain('may not run: payment_required');
  expect(page).toContain('health unknown: no such route (404)');
  expect(page).toMatch(/1 may not run, of\s+1 the health is unknown/);
  expect(page).toContain('disabled since x: answered 410');
  expect(page).toMatch(/critical<\/td>[\s\S]*?10 min/);
});

it('tells all times by the clocks of Sao Paulo, and says so', () => {
  const page = monitorHtml(report);
  expect(page).toContain('Seen since 04 May 2026, 21:00:00, of 1 monitor, of severity critical');
  expect(page).toMatch(
    /All times are those of Sao Paulo;\s+<code>monitor changes<\/code> tells the same in UTC/,
  );
  const scope = { since: null, monitors: null, severities: null };
  expect(monitorHtml({ ...report, scope })).toContain('All that is stored');
});

it('tells of monitors that the service itself cannot check', () => {
  expect(monitorHtml(report)).toMatch(/own checks of 1 fail/);
});

it('draws what was detected, delivered and acknowledged, in both sizes, and says it in words', () => {
  const page = monitorHtml(report);
  expect(page.match(/<svg\s+class="chart /g)).toHaveLength(2);
  expect(page).toContain('detected: 3, delivered: 1, acknowledged: 1');
});

it('is not drawn over thousands of years for one instant that cannot be', () => {
  const seen = { seen_at: '2026-05-04T12:00:00.000Z', severity: 'info' as const };
  const dates = ['0001-01-01T00:00:00Z', '+012026-11-21T10:00:00Z', 'ontem', null];
  const figures = recordsOf(
    { ...seen, detected_at: '2026-05-04T10:00:00Z' },
    ...dates.map((date) => ({ ...seen, detected_at: date, acknowledged_at: date })),
  );
  const { axis, undated, bars } = figures.overTime ?? fail();
  expect(undated).toBe(4);
  expect((axis.bars.at(-1)?.from ?? 0) - (axis.bars[0]?.from ?? 0)).toBeLessThan(86_400_000);
  const sum = (some: readonly { count: number }[]) => some.reduce((all, one) => all + one.count, 0);
  expect([sum(bars.detected), sum(bars.acknowledged)]).toEqual([5, 0]);
  expect(monitorHtml({ ...report, figures })).toMatch(/Of 4 the service tells no instant/);
});

function fail(): never {
  throw new Error('nothing is drawn');
}

it('says so when nothing is stored', () => {
  const page = monitorHtml({ ...report, figures: recordsOf() });
  expect(page).toContain('No changes');
  expect(page).not.toContain('class="chart');
});

it('puts the values of one histogram into the bars of another that holds them', () => {
  const [all, some] = [new Histogram(), new Histogram()];
  for (let minute = 0; minute < 90; minute += 1) {
    all.add(minute * 60_000);
    if (minute % 3 === 0) some.add(minute * 60_000);
  }
  const axis = all.bars(10);
  const bars = some.within(axis);
  expect(bars.map(({ from }) => from)).toEqual(axis.bars.map(({ from }) => from));
  expect(bars.reduce((sum, { count }) => sum + count, 0)).toBe(30);
  expect(bars[0]?.count).toBe(Math.ceil(axis.widthMs / 180_000));
});
