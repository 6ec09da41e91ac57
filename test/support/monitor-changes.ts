import type { Change } from '../../src/domain/monitors/change';
import type { StoredChange, ReportedChange } from '../../src/domain/monitors/stored';

export function toldChange(changeId: string, told: Partial<Change> = {}): ReportedChange {
  const change: Change = {
    changeId,
    state: 'open',
    statusWord: 'open',
    severity: 'warn',
    severityWord: 'warn',
    type: 'partner_added',
    detectedAt: '2026-05-04T10:00:00Z',
    acknowledgedAt: null,
    ...told,
  };
  const answer = {
    id: changeId,
    status: change.statusWord,
    severity: change.severityWord,
    type: change.type,
    before: {},
    after: { partners: 2 },
    detected_at: change.detectedAt,
  };
  return { change, answer };
}

export function filedChange(changeId: string, told: Partial<Change> = {}): StoredChange {
  return {
    monitorId: 'monitor-1',
    ...toldChange(changeId, told),
    foundAs: 'open',
    seenAt: '2026-05-04T10:05:00.000Z',
    sweep: 'monitor-sweep/monitor-1/run-1',
  };
}
