/** The monitors that the service holds, with their changes: those of the scenario, and what became of them. */

import { draw, pick, seededUuid } from '../core/chance';
import type { SandboxClock } from '../core/clock';
import { withCheckDigits } from '../core/document-digits';
import type { JsonObject } from '../http/answer';
import { Refusal, sandboxFull } from '../http/refusal';
import {
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

/** Over all monitors. */
const changeLimit = 1_000_000;

export class MonitorShelf {
  readonly #seed: number;
  readonly #clock: SandboxClock;
  readonly #scenario: () => MonitorScenario;
  readonly #monitors = new Map<string, HeldMonitor>();
  #held = 0;
  #scripted = 0;

  constructor(seed: number, clock: SandboxClock, scenario: () => MonitorScenario) {
    this.#seed = seed;
    this.#clock = clock;
    this.#scenario = scenario;
    this.restock();
  }

  /** Begins anew with the monitors of the scenario. */
  restock(): void {
    const { held, seeded } = this.#scenario();
    this.#monitors.clear();
    this.#held = 0;
    this.#scripted = 0;
    const drawn = { changes: [], seededChanges: seeded.changes, overMs: seeded.overMs };
    for (let number = 1; number <= seeded.monitors; number += 1) {
      this.#put(seededMonitorId(number), drawn);
    }
    this.restart(Object.keys(held));
  }

  /** These monitors begin anew, as the scenario has them; those it no longer has are gone. */
  restart(ids: readonly string[]): void {
    const { held } = this.#scenario();
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

  /** A change that has appeared. @throws Refusal 404 */
  change({ changes }: HeldMonitor, id: string): HeldChange {
    const change = changes.get(id.toLowerCase());
    if (change !== undefined && change.detectedAt <= this.#clock.now()) return change;
    throw new Refusal(404, 'change_not_found', `No change ${id} has appeared.`);
  }

  appeared({ changes }: HeldMonitor): HeldChange[] {
    const now = this.#clock.now();
    return [...changes.values()].filter(({ detectedAt }) => detectedAt <= now);
  }

  /** @returns the ids of the new changes. @throws Refusal 404, 409, 507 */
  addChanges(monitorId: string, scripts: readonly ChangeScript[]): string[] {
    const monitor = this.get(monitorId);
    const changes = scripts.map((script) => this.#changeOf(monitor, script, this.#clock.now()));
    if (changes.some(({ id }) => monitor.changes.has(id))) {
      throw new Refusal(409, 'change_exists', 'A change of this id is held already.');
    }
    this.#add(monitor, changes);
    return changes.map(({ id }) => id);
  }

  set(monitor: HeldMonitor, fields: MonitorFields): void {
    Object.assign(monitor.fields, fields);
    monitor.updatedAt = this.#clock.now();
  }

  #put(
    id: string,
    script: MonitorFields & { changes: ChangeScript[]; seededChanges: number; overMs: number },
  ): void {
    const named = Object.entries(script).filter(([name]) => Object.hasOwn(monitorFields, name));
    const digits = String(Math.floor(draw(this.#seed, 'identifier', id) * 1e8)).padStart(8, '0');
    const now = this.#clock.now();
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
    this.#monitors.set(id, monitor);
    const drawn = Array.from({ length: script.seededChanges }, (_, index) => {
      const changeId = seededUuid(`change|${this.#seed}|${id}|${index}`);
      const afterMs = Math.floor(draw(this.#seed, 'appears', changeId) * script.overMs);
      return { ...plainChange, id: changeId, afterMs };
    });
    const scripts = [...script.changes, ...drawn];
    this.#add(
      monitor,
      scripts.map((one) => this.#changeOf(monitor, one, now)),
    );
  }

  #add(monitor: HeldMonitor, changes: readonly HeldChange[]): void {
    if (this.#held + changes.length > changeLimit) throw sandboxFull(changeLimit);
    this.#held += changes.length;
    // Equal instants stay in the order of their entry.
    const all = [...monitor.changes.values(), ...changes];
    all.sort((a, b) => a.detectedAt - b.detectedAt);
    monitor.changes = new Map(all.map((change) => [change.id, change]));
  }

  #changeOf(monitor: HeldMonitor, script: ChangeScript, from: number): HeldChange {
    const seed = this.#seed;
    this.#scripted += 1;
    const id = script.id ?? seededUuid(`change|${seed}|${monitor.id}|scripted|${this.#scripted}`);
    const detectedAt = from + script.afterMs;
    const chance = draw(seed, 'severity', id);
    return {
      id,
      monitorId: monitor.id,
      severity: script.severity ?? (chance < 0.6 ? 'info' : chance < 0.9 ? 'warn' : 'critical'),
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
}

const plainChange = changeScript.parse({});
