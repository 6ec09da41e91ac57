/** The monitors that the service holds: those of the scenario, and what became of them. */

import { draw, pick, seededUuid } from '../core/chance';
import type { SandboxClock } from '../core/clock';
import { withCheckDigits } from '../core/document-digits';
import { Refusal, sandboxFull } from '../http/refusal';
import { HeldChanges, type HeldChange } from './held-changes';
import {
  monitorFields,
  type ChangeScript,
  type MonitorScenario,
  type MonitorScript,
  type MonitorStage,
  type SeverityWord,
} from './monitor-scenario';

/** What a monitor is, without its changes and its trouble. */
export type MonitorFields = Omit<
  MonitorScript,
  'changes' | 'seededChanges' | 'overMs' | MonitorStage
>;

export interface HeldMonitor {
  id: string;
  fields: MonitorFields & {
    status: NonNullable<MonitorFields['status']>;
    identifier: string;
    frequency_hours: number;
  };
  createdAt: number;
  updatedAt: number;
  changes: HeldChanges;
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

export interface ShelfParts {
  seed: number;
  clock: SandboxClock;
  scenario(): MonitorScenario;
}

/** Over all monitors. */
const changeLimit = 1_000_000;

export class MonitorShelf {
  readonly #parts: ShelfParts;
  readonly #monitors = new Map<string, HeldMonitor>();
  #startedAt: number;
  #ordinal = 0;
  #held = 0;

  constructor(parts: ShelfParts) {
    this.#parts = parts;
    this.#startedAt = parts.clock.now();
    this.restock();
  }

  /** Begins anew with the monitors of the scenario. */
  restock(): void {
    const { held, seeded } = this.#parts.scenario();
    this.#monitors.clear();
    this.#startedAt = this.#parts.clock.now();
    this.#ordinal = 0;
    this.#held = 0;
    for (let number = 1; number <= seeded.monitors; number += 1) {
      this.#put(seededMonitorId(number), seededScript(seeded));
    }
    for (const [id, script] of Object.entries(held)) this.#put(id, script);
  }

  /** These monitors begin anew, as the scenario has them; those it no longer has are gone. */
  restart(ids: readonly string[]): void {
    const { held } = this.#parts.scenario();
    this.#startedAt = this.#parts.clock.now();
    for (const id of ids) {
      const script = held[id];
      if (script === undefined) this.#monitors.delete(id);
      else this.#put(id, script);
    }
  }

  all(): HeldMonitor[] {
    return [...this.#monitors.values()];
  }

  /** @throws Refusal 404 */
  get(id: string): HeldMonitor {
    const monitor = this.#monitors.get(id.toLowerCase());
    if (monitor === undefined) throw new Refusal(404, 'monitor_not_found', 'No such monitor.');
    return monitor;
  }

  /** @returns the ids of the new changes. @throws Refusal 404, 409, 507 */
  addChanges(monitorId: string, scripts: readonly ChangeScript[]): string[] {
    const monitor = this.get(monitorId);
    const now = this.#parts.clock.now();
    const changes = scripts.map((script) => this.#changeOf(monitor, script, now + script.afterMs));
    if (changes.some(({ id }) => monitor.changes.has(id))) {
      throw new Refusal(409, 'change_exists', 'A change of this id is held already.');
    }
    this.#add(monitor, changes);
    return changes.map(({ id }) => id);
  }

  change(monitor: HeldMonitor, fields: MonitorFields): void {
    Object.assign(monitor.fields, fields);
    monitor.updatedAt = this.#parts.clock.now();
  }

  #put(id: string, script: MonitorScript): void {
    const { seed } = this.#parts;
    const { changes, seededChanges, overMs } = script;
    const fields = fieldsOf(script);
    const monitor: HeldMonitor = {
      id,
      fields: {
        ...fields,
        status: fields.status ?? 'active',
        identifier: fields.identifier ?? fictionalIdentifier(seed, id),
        frequency_hours: fields.frequency_hours ?? 24,
      },
      // Monitors are older than the sandbox: a month.
      createdAt: this.#startedAt - 30 * 86_400_000,
      updatedAt: this.#startedAt - 30 * 86_400_000,
      changes: new HeldChanges(),
    };
    this.#monitors.set(id, monitor);
    const scripted = changes.map((one) =>
      this.#changeOf(monitor, one, this.#startedAt + one.afterMs),
    );
    const drawn = Array.from({ length: seededChanges }, (_, index) =>
      this.#seededChange(monitor, index, overMs),
    );
    this.#add(monitor, [...scripted, ...drawn]);
  }

  #add(monitor: HeldMonitor, changes: readonly HeldChange[]): void {
    if (this.#held + changes.length > changeLimit) throw sandboxFull(changeLimit);
    this.#held += changes.length;
    monitor.changes.add(changes);
  }

  #changeOf(monitor: HeldMonitor, script: ChangeScript, detectedAt: number): HeldChange {
    const { seed } = this.#parts;
    this.#ordinal += 1;
    const id = script.id ?? seededUuid(`change|${seed}|${monitor.id}|scripted|${this.#ordinal}`);
    return {
      id: id.toLowerCase(),
      monitorId: monitor.id,
      ordinal: this.#ordinal,
      severity: script.severity ?? drawSeverity(seed, id),
      type: script.type ?? pick(changeTypes, seed, 'type', id),
      before: script.before ?? null,
      after: script.after ?? null,
      detectedAt,
      acknowledgedAt: script.acknowledged ? detectedAt : null,
      acknowledgedBy: script.acknowledged ? 'other' : null,
      acks: 0,
      answer: script.answer,
      ack: script.ack,
    };
  }

  #seededChange(monitor: HeldMonitor, index: number, overMs: number): HeldChange {
    const { seed } = this.#parts;
    const id = seededUuid(`change|${seed}|${monitor.id}|${index}`);
    const afterMs = Math.floor(draw(seed, 'appears', id) * overMs);
    return this.#changeOf(
      monitor,
      { id, afterMs, acknowledged: false, answer: 'plain', ack: 'accepted' },
      this.#startedAt + afterMs,
    );
  }
}

function fieldsOf(script: MonitorScript): MonitorFields {
  const named = Object.entries(script).filter(([name]) => Object.hasOwn(monitorFields, name));
  return Object.fromEntries(named);
}

function seededScript({ changes, overMs }: MonitorScenario['seeded']): MonitorScript {
  return { changes: [], seededChanges: changes, overMs, list: [], ack: [], read: [], update: [] };
}

function drawSeverity(seed: number, id: string): SeverityWord {
  const chance = draw(seed, 'severity', id);
  if (chance < 0.6) return 'info';
  return chance < 0.9 ? 'warn' : 'critical';
}

function fictionalIdentifier(seed: number, id: string): string {
  const digits = String(Math.floor(draw(seed, 'identifier', id) * 1e8)).padStart(8, '0');
  return withCheckDigits(`${digits}0001`);
}
