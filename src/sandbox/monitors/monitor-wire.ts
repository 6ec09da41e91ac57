/** Monitors and changes as the service shows them. Absent means no value. */

import { seededUuid } from '../chance';
import { fictionalName } from '../certificates/fictional-subject';
import type { JsonObject } from '../engine/answer';
import type { HeldChange } from './held-changes';
import { listenWords } from './monitor-scenario';
import { statesOf, type HeldMonitor } from './monitor-shelf';

const iso = (at: number) => new Date(at).toISOString();

export function monitorOnWire(seed: number, monitor: HeldMonitor, now: number): JsonObject {
  const { fields, id } = monitor;
  const allowed = fields.execution_allowed ?? fields.status === 'active';
  const reason =
    fields.blocking_reason ??
    (fields.status === 'cancelled' ? 'monitor_cancelled' : 'monitor_paused');
  return {
    id,
    object: 'monitor',
    status: fields.status,
    identifier: fields.identifier,
    identifier_type: fields.identifier.length === 11 ? 'cpf' : 'cnpj',
    name: fields.name ?? fictionalName(seed, fields.identifier),
    listen_items: fields.listen_items ?? [...listenWords],
    emails: fields.emails ?? [],
    frequency_hours: fields.frequency_hours,
    ...(fields.health === null ? {} : { health: healthOf(monitor, allowed, now) }),
    ...(fields.subscription === null
      ? {}
      : {
          subscription: {
            status: 'included',
            id: seededUuid(`subscription|${seed}|${id}`),
            ...fields.subscription,
          },
        }),
    execution_allowed: allowed,
    ...(allowed ? {} : { blocking_reason: reason }),
    created_at: iso(monitor.createdAt),
    updated_at: iso(monitor.updatedAt),
  };
}

/** A cycle every `frequency_hours` since the monitor began; a blocked one has stopped. */
function healthOf({ fields, createdAt, updatedAt }: HeldMonitor, runs: boolean, now: number) {
  const cycleMs = fields.frequency_hours * 3_600_000;
  const until = runs ? now : updatedAt;
  return {
    status: 'unknown',
    consecutive_failures: 0,
    last_cycle_at: iso(createdAt + Math.floor((until - createdAt) / cycleMs) * cycleMs),
    ...fields.health,
  };
}

export function changeOnWire(seed: number, change: HeldChange): JsonObject {
  const drawn = statesOf(seed, change);
  const { acknowledgedAt } = change;
  const shown = {
    id: change.id,
    status: acknowledgedAt === null ? 'open' : 'acknowledged',
    severity: change.severity,
    type: change.type,
    before: change.before ?? drawn.before,
    after: change.after ?? drawn.after,
    detected_at: iso(change.detectedAt),
    ...(acknowledgedAt === null ? {} : { acknowledged_at: iso(acknowledgedAt) }),
  };
  if (change.answer === 'no_id') return { ...shown, id: null };
  return change.answer === 'unknown_words' ? withUnknownWords(shown) : shown;
}

/** Words that the specification does not list. */
export function withUnknownWords(shown: JsonObject): JsonObject {
  return { ...shown, status: 'em_revisao', ...('severity' in shown && { severity: 'gravissima' }) };
}
