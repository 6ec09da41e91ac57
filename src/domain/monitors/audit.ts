import type { AuditEntry } from '../core/audit';
import type { AcknowledgementMark } from './stored';
import type { Backlog, SweepRef } from './sweep';

/** Audit entries about changes of monitors: ids and our own words only. */

export function acknowledgementEntry(
  { monitorId, sweep, by }: SweepRef,
  changeId: string,
  how: AcknowledgementMark['by'],
  now: number,
): AuditEntry {
  return {
    kind: 'delivery',
    id: `acknowledgement/${monitorId}/${changeId}`,
    result: how === 'us' ? 'acknowledged' : how,
    by,
    happenedAt: new Date(now).toISOString(),
    job: sweep,
  };
}

export function undeliveredEntry(
  { sweep, by }: SweepRef,
  { undelivered, escalated }: Backlog,
  now: number,
): AuditEntry {
  return {
    kind: 'delivery',
    id: `undelivered/${sweep}`,
    result: 'refused',
    by,
    happenedAt: new Date(now).toISOString(),
    job: sweep,
    details: { undelivered, escalated },
  };
}
