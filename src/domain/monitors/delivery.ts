import type { Change } from './change';
import type { StoredChange } from './stored';

export const sinkNames = ['file', 'webhook'] as const;

export type Delivery =
  | { kind: 'change'; id: string; stored: StoredChange }
  | { kind: 'digest'; id: string; digest: Digest };

export interface Digest {
  monitorId: string;
  type: string | null;
  severity: Change['severity'];
  from: string;
  to: string;
  changes: readonly StoredChange[];
}

/** Body of a delivery, the same in a file, in a webhook and on standard output. */
export function deliveryBody(delivery: Delivery): Record<string, unknown> {
  if (delivery.kind === 'change') return changeBody(delivery);
  const { monitorId, type, severity, from, to, changes } = delivery.digest;
  return {
    digest_id: delivery.id,
    monitor_id: monitorId,
    type,
    severity,
    from,
    to,
    count: changes.length,
    changes: changes.map((stored) => changeBody({ id: stored.change.changeId, stored })),
  };
}

function changeBody({
  id,
  stored,
}: Pick<Extract<Delivery, { kind: 'change' }>, 'id' | 'stored'>): Record<string, unknown> {
  return {
    change_id: id,
    monitor_id: stored.monitorId,
    severity: stored.change.severity,
    type: stored.change.type,
    detected_at: stored.change.detectedAt,
    seen_at: stored.seenAt,
    found_as: stored.foundAs,
    change: stored.answer,
    // It was erased before a sink had it.
    ...(stored.erased === true && stored.answer === null && { erased: true }),
  };
}
