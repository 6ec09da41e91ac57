/** The monitors that the service holds, with their changes: those of the scenario, and what became of them. */

import { draw, pick, seededUuid } from '../core/chance';
import type { SandboxClock } from '../core/clock';
import { withCheckDigits } from '../core/document-digits';
import { createShelf } from '../core/shelf';
import { Refusal, sandboxFull, type JsonObject } from '../http/answer';
import {
  changeLimit,
  changeScript,
  monitorFields,
  type ChangeScript,
  type MonitorFields,
  type MonitorScenario,
} from './monitor-scenario';

export interface HeldChange extends Pick<ChangeScript, 'answer' | 'ack'> {
  id: string;
  monitorId: string;
  severity: 'info' | 'warn' | 'critical';
  type: string;
  /** Null: drawn when it is shown. */
  before: JsonObject | null;
  after: JsonObject | null;
  /** Milliseconds since 1970. From then on it is listed. */
  detectedAt: number;
  acknowledgedAt: number | null;
  acknowledgedBy: 'client' | 'other' | null;
  /** Acknowledgements by the client that were acted on, repeated ones too. */
  acks: number;
}

export interface HeldMonitor {
  id: string;
  fields: MonitorFields & {
    status: NonNullable<MonitorFields['status']>;
    identifier: string;
    frequency_hours: number;
  };
  createdAt: number;
  updatedAt: number;
  /** By id, in order of detection. */
  changes: Map<string, HeldChange>;
}

export const changeStatus = ({ acknowledgedAt }: HeldChange) =>
  acknowledgedAt === null ? 'open' : 'acknowledged';

/** @returns whether it moved: an acknowledged change keeps its first instant */
export function acknowledge(change: HeldChange, at: number, by: 'client' | 'other'): boolean {
  if (by === 'client') change.acks += 1;
  if (change.acknowledgedAt !== null) return false;
  change.acknowledgedAt = at;
  change.acknowledgedBy = by;
  return true;
}

/** The types of changes that are drawn, each by what the monitor listens to. */
const changeTypes = [
  'company.address_changed',
  'debts.registered',
  'processes.new_process',
  'partners.partner_added',
] as const;

/** Id of the nth seeded monitor, from 1. */
export function seededMonitorId(number: number): string {
  return `4d4f4e49-544f-4000-8000-${String(number).padStart(12, '0')}`;
}

const plainChange = changeScript.parse({});

type MonitorScript = MonitorFields &
  Pick<MonitorScenario['held'][string], 'changes' | 'seededChanges' | 'overMs'>;

export function createMonitorShelf(
  seed: number,
  clock: SandboxClock,
  scenario: () => MonitorScenario,
) {
  const shelf = createShelf<MonitorScript, HeldMonitor>({
    stock() {
      const { held, seeded } = scenario();
      const { changes: seededChanges, overMs } = seeded;
      return { held, seeded: seeded.monitors, pattern: { changes: [], seededChanges, overMs } };
    },
    seededId: seededMonitorId,
    make,
    missing: () => new Refusal(404, 'monitor_not_found', 'No such monitor.'),
  });

  function make(id: string, script: MonitorScript): HeldMonitor {
    const named = Object.entries(script).filter(([name]) => Object.hasOwn(monitorFields, name));
    const digits = String(Math.floor(draw(seed, 'identifier', id) * 1e8)).padStart(8, '0');
    const now = clock.now();
    // Monitors are older than the sandbox: a month.
    const createdAt = now - 30 * 86_400_000;
    const monitor: HeldMonitor = {
      id,
      fields: {
        status: 'active',
        identifier: withCheckDigits(`${digits}0001`),
        frequency_hours: 24,
        ...Object.fromEntries(named),
      },
      createdAt,
      updatedAt: createdAt,
      changes: new Map(),
    };
    const drawn = Array.from({ length: script.seededChanges }, (_, index) => {
      const changeId = seededUuid(`change|${seed}|${id}|${index}`);
      const afterMs = Math.floor(draw(seed, 'appears', changeId) * script.overMs);
      return { ...plainChange, id: changeId, afterMs };
    });
    add(monitor, [...script.changes, ...drawn]);
    return monitor;
  }

  /** @returns their ids. @throws Refusal 409 */
  function add(monitor: HeldMonitor, scripts: readonly ChangeScript[]): string[] {
    const before = [...monitor.changes.values()];
    const changes = scripts.map((script, index) =>
      changeOf(monitor.id, script, before.length + index),
    );
    if (changes.some(({ id }) => monitor.changes.has(id))) {
      throw new Refusal(409, 'change_exists', 'A change of this id is held already.');
    }
    // Equal instants stay in the order of their entry.
    const all = [...before, ...changes].sort((a, b) => a.detectedAt - b.detectedAt);
    monitor.changes = new Map(all.map((change) => [change.id, change]));
    return changes.map(({ id }) => id);
  }

  function changeOf(monitorId: string, script: ChangeScript, index: number): HeldChange {
    const { acknowledged, afterMs, answer, ack } = script;
    const id = script.id ?? seededUuid(`change|${seed}|${monitorId}|scripted|${index}`);
    const detectedAt = clock.now() + afterMs;
    const chance = draw(seed, 'severity', id);
    return {
      id,
      monitorId,
      severity: script.severity ?? (chance < 0.6 ? 'info' : chance < 0.9 ? 'warn' : 'critical'),
      type: script.type ?? pick(changeTypes, seed, 'type', id),
      before: script.before ?? null,
      after: script.after ?? null,
      detectedAt,
      acknowledgedAt: acknowledged ? detectedAt : null,
      acknowledgedBy: acknowledged ? 'other' : null,
      acks: 0,
      answer,
      ack,
    };
  }

  return {
    ...shelf,
    /** A change that has appeared. @throws Refusal 404 */
    change({ changes }: HeldMonitor, id: string): HeldChange {
      const change = changes.get(id.toLowerCase());
      if (change !== undefined && change.detectedAt <= clock.now()) return change;
      throw new Refusal(404, 'change_not_found', `No change ${id} has appeared.`);
    },
    appeared({ changes }: HeldMonitor): HeldChange[] {
      const now = clock.now();
      return [...changes.values()].filter(({ detectedAt }) => detectedAt <= now);
    },
    /** @returns the ids of the new changes. @throws Refusal 404, 409, 507 */
    addChanges(monitorId: string, scripts: readonly ChangeScript[]): string[] {
      const held = shelf.all().reduce((sum, { changes }) => sum + changes.size, 0);
      if (held + scripts.length > changeLimit) throw sandboxFull(changeLimit);
      return add(shelf.get(monitorId), scripts);
    },
    set(monitor: HeldMonitor, fields: MonitorFields): void {
      Object.assign(monitor.fields, fields);
      monitor.updatedAt = clock.now();
    },
  };
}
