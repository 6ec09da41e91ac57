import { changeRecord, type ChangeRecord } from '../../../src/domain/monitors/change-record';
import { MonitorFigures, type MonitorReport } from '../../../src/report/monitors/figures';
import { monitorHtml } from '../../../src/report/monitors/page';
import { filedChange } from '../../support/monitor-changes';

const plain = changeRecord(
  {
    stored: filedChange('c'),
    isNew: false,
    delivered: {},
    acknowledged: null,
    failure: null,
    reviews: [],
  },
  ['file'],
);

function recordsOf(...some: Partial<ChangeRecord>[]): MonitorReport['figures'] {
  const sums = new MonitorFigures();
  for (const [place, one] of some.entries()) {
    sums.add({ ...plain, change_id: `c${place}`, ...one }, { before: { a: 1 }, after: { a: 2 } });
  }
  return sums;
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
      {
        monitorId: 'm-2',
        name: 'Padaria',
        document: '***.123.456-**',
        notes: [{ kind: 'blocked', why: 'payment_required' }],
      },
      {
        monitorId: 'm-3',
        name: null,
        document: null,
        notes: [{ kind: 'unknown', why: 'no_route', status: 404 }],
      },
    ],
    more: 0,
  },
  names: new Map([['monitor-1', 'Padaria']]),
  disabledSinks: [{ name: 'webhook', at: '2026-05-05T03:00:00Z', why: 'answered 410' }],
  writtenAt: Date.parse('2026-05-06T10:00:00Z'),
};

it('tells what is open, failing, blocked, of unknown health and disabled', () => {
  const page = monitorHtml(report, 'en');
  expect(page).toContain('3 changes, 1 still open');
  expect(page).toContain('the webhook answered 500 &lt;script&gt;');
  expect(page).not.toContain('<script');
  expect(page).toContain('may not run, and detects nothing: payment_required');
  expect(page).toContain('health unknown: the service does not report it (404)');
  expect(page).toMatch(/1 may not run, of\s+1 the health is unknown/);
  expect(page).toContain('webhook is disabled since 05 May 2026, 00:00:00: answered 410');
  expect(page).toMatch(/Detected, by day[\s\S]*04 May 2026: 3/);
  expect(page).toMatch(/A:<\/span> 1<\/span[\s\S]*?A:<\/span> 2<\/span/);
});

it('tells all times by the clocks of Sao Paulo, and says so', () => {
  const page = monitorHtml(report, 'en');
  expect(page).toContain('Seen since 04 May 2026, 21:00:00, of 1 monitor, of severity Critical');
  expect(page).toContain('All times are those of America/Sao_Paulo.');
  const scope = { since: null, monitors: null, severities: null };
  expect(monitorHtml({ ...report, scope }, 'en')).toContain('All that is stored');
});

it('tells of monitors that the service itself cannot check', () => {
  expect(monitorHtml(report, 'en')).toMatch(/own checks of 1 fail/);
});

it('says so when nothing is stored', () => {
  const page = monitorHtml({ ...report, figures: recordsOf() }, 'en');
  expect(page).toContain('No changes');
});
