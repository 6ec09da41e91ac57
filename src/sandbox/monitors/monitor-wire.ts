/** Monitors and changes as the service shows them. Absent means no value. */

import { draw, pick, seededUuid } from '../core/chance';
import { fictionalName } from '../core/fictional-name';
import { iso, type JsonObject } from '../http/answer';
import { underReview } from '../http/corruptions';
import { listenWords } from './monitor-scenario';
import { changeStatus, type HeldChange, type HeldMonitor } from './monitor-shelf';

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
  const { acknowledgedAt, id, type } = change;
  const fonte = `${pick(listenWords, seed, 'listened', id)} (simulada)`;
  const number = (word: string) => Math.floor(draw(seed, word, id) * 9_000) + 1_000;
  const shown = {
    id,
    status: changeStatus(change),
    severity: change.severity,
    type,
    before: change.before ?? { fonte, valor: number('before') },
    after: change.after ?? { fonte, valor: number('after'), tipo: type },
    detected_at: iso(change.detectedAt),
    ...(acknowledgedAt === null ? {} : { acknowledged_at: iso(acknowledgedAt) }),
  };
  if (change.answer === 'no_id') return { ...shown, id: null };
  return change.answer === 'unknown_status' ? underReview(shown) : shown;
}
