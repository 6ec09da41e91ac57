import type { AuditEntry } from '../core/audit';
import type { AcknowledgementMark } from './kept';
import type { Standing, SweepRef } from './sweep';

/** The entries of the audit trail about changes of monitors: ids and words of ours alone. */

/** The service was told that we hold a change, or needs to be told no more. */
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
    work: sweep,
  };
}

/**
 * What a sweep left: a sink did not take it, or the service its acknowledgement. Which changes and why
 * stands with each of them.
 */
export function stuckEntry(
  { sweep, by }: SweepRef,
  { stuck, escalated }: Standing,
  now: number,
): AuditEntry {
  return {
    kind: 'delivery',
    id: `stuck/${sweep}`,
    result: 'refused',
    by,
    happenedAt: new Date(now).toISOString(),
    work: sweep,
    details: { stuck, escalated },
  };
}

/** What a person asked of the sweeps of monitors. */
export function watchEntry(
  order: string,
  { name, by }: { name: string; by: string },
  details: Record<string, string | number | boolean | null>,
  now: number,
): AuditEntry {
  const happenedAt = new Date(now).toISOString();
  const work = `monitor-watch/${name}`;
  return {
    kind: 'decision',
    id: `decision/${work}/${order}/${happenedAt}`,
    result: order,
    by,
    happenedAt,
    work,
    details,
  };
}
