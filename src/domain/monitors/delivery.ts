import type { Change } from './change';
import type { FiledChange } from './kept';

/** Of every sink there is, in use or not: as they stand in keys of the store. */
export const sinkNames = ['file', 'webhook'] as const;

/** What a sink is handed. Its id stays the same however often it is handed over. */
export type Delivery =
  | { kind: 'change'; id: string; filed: FiledChange }
  | { kind: 'digest'; id: string; digest: Digest };

/** Repeats that a cooldown held back, told together. */
export interface Digest {
  monitorId: string;
  type: string | null;
  severity: Change['severity'];
  /** Instants between which its changes came. */
  from: string;
  to: string;
  changes: readonly FiledChange[];
}

/** What a delivery tells, the same in a file, in a webhook and on standard output. */
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
    changes: changes.map((filed) => changeBody({ id: filed.change.changeId, filed })),
  };
}

function changeBody({
  id,
  filed,
}: Pick<Extract<Delivery, { kind: 'change' }>, 'id' | 'filed'>): Record<string, unknown> {
  return {
    change_id: id,
    monitor_id: filed.monitorId,
    severity: filed.change.severity,
    type: filed.change.type,
    detected_at: filed.change.detectedAt,
    seen_at: filed.seenAt,
    found_as: filed.foundAs,
    change: filed.answer,
    // What it told was erased before a sink had it.
    ...(filed.erased === true && filed.answer === null && { erased: true }),
  };
}
