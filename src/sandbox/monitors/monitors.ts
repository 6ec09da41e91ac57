/** Monitors: their routes, what they hold, and what a test turns. */

import { z } from 'zod';
import { section } from '../core/scenario-parts';
import { firstSteps } from '../faults/fault-scenario';
import { iso, type JsonObject } from '../http/answer';
import { Refusal } from '../http/refusal';
import type { ControlRoutes } from '../http/control';
import { createService, type ResourceParts, type SectionPatch } from '../http/service';
import { acknowledge, changeStatus, type HeldChange } from './held-changes';
import { monitorRoutes, monitorsPath } from './monitor-routes';
import {
  changeScript,
  monitorFields,
  monitorRoles,
  type ChangeScriptInput,
  type MonitorStage,
} from './monitor-scenario';
import { MonitorShelf, type MonitorFields } from './monitor-shelf';
import { monitorOnWire } from './monitor-wire';

/** Calls that named a monitor, since the start or the last reset; `DELETE` of the log keeps them. */
export type MonitorCounts = Record<MonitorStage, number> & {
  /** Changes shown in lists, over all pages. */
  shown: number;
  /** Acknowledgements that moved a change. */
  acknowledged: number;
};

/** A monitor as a read would show it now, and what it holds. */
export interface MonitorHeld {
  monitor: JsonObject;
  /** Changes that have appeared; those to come are not counted. */
  appeared: number;
  open: number;
  /** Scripted or drawn, and still to appear. */
  toCome: number;
}

/** One change and what became of it. Instants on the sandbox's clock. */
export interface ChangeHeld {
  monitorId: string;
  changeId: string;
  severity: string;
  type: string;
  detectedAt: string;
  /** Whether it is listed already. */
  appeared: boolean;
  acknowledgedAt: string | null;
  acknowledgedBy: 'client' | 'other' | null;
  /** Acknowledgements by the client that were acted on, repeated ones too. */
  acks: number;
}

const changesBody = z.strictObject({
  monitorId: z.string(),
  changes: z.array(changeScript).min(1),
});
const acknowledgeBody = z.strictObject({
  monitorId: z.string(),
  changeIds: z.array(z.string()).optional(),
});
const monitorBody = z.strictObject({ monitorId: z.string(), set: section(monitorFields) });

export function createMonitors(parts: ResourceParts) {
  const { clock, seed } = parts;
  const scenario = () => parts.scenario().monitors;
  const shelf = new MonitorShelf({ seed, clock, scenario });
  let counted = { shown: 0, acknowledged: 0 };
  const count = (what: keyof typeof counted, changes: number) => {
    counted[what] += changes;
  };
  const { reset, restartFaults, ...service } = createService<MonitorStage>({
    ...parts,
    name: 'monitor',
    roles: monitorRoles,
    section: scenario,
    stepsOf: (stage, { subject }) => {
      const { calls, held } = scenario();
      return firstSteps(held[subject]?.[stage], calls[stage]);
    },
    routes: () => monitorRoutes({ seed, clock, scenario, shelf, count }),
  });

  /** By another client: all that are open when none is named. @returns ids of those that moved */
  function acknowledgeElsewhere(monitorId: string, changeIds?: readonly string[]): string[] {
    const { changes } = shelf.get(monitorId);
    const now = clock.now();
    const named = changeIds?.map((id) => changes.find(id, now) ?? missing(id));
    const moved = (named ?? changes.appeared(now)).filter((one) => acknowledge(one, now, 'other'));
    return moved.map(({ id }) => id);
  }

  /** What a read shows: status, health, subscription, `execution_allowed`, `blocking_reason`. */
  function set(monitorId: string, fields: MonitorFields): JsonObject {
    const monitor = shelf.get(monitorId);
    shelf.change(monitor, fields);
    return monitorOnWire(seed, monitor, clock.now());
  }

  /** @returns their ids */
  const addChanges = (monitorId: string, scripts: readonly ChangeScriptInput[]): string[] =>
    shelf.addChanges(monitorId, z.array(changeScript).parse(scripts));

  const shown = (change: HeldChange): ChangeHeld => ({
    monitorId: change.monitorId,
    changeId: change.id,
    severity: change.severity,
    type: change.type,
    detectedAt: iso(change.detectedAt),
    appeared: change.detectedAt <= clock.now(),
    acknowledgedAt: change.acknowledgedAt === null ? null : iso(change.acknowledgedAt),
    acknowledgedBy: change.acknowledgedBy,
    acks: change.acks,
  });

  /** Every change of one monitor, or of all. @throws Refusal 404 */
  const changes = (monitorId?: string): ChangeHeld[] =>
    (monitorId === undefined ? shelf.all() : [shelf.get(monitorId)]).flatMap((monitor) =>
      monitor.changes.all().map(shown),
    );

  const controls: ControlRoutes = {
    'PUT state': (body) => {
      const { monitorId, set: fields } = body.as(monitorBody);
      return set(monitorId, fields);
    },
    'GET changes': () => changes(),
    'POST changes': (body) => {
      const { monitorId, changes: scripts } = body.as(changesBody);
      return { added: shelf.addChanges(monitorId, scripts) };
    },
    'POST acknowledge': (body) => {
      const { monitorId, changeIds } = body.as(acknowledgeBody);
      return { acknowledged: acknowledgeElsewhere(monitorId, changeIds) };
    },
  };

  return {
    ...service,
    paths: [monitorsPath],
    controls,
    counts: (): MonitorCounts => ({ ...service.calls(), ...counted }),
    state: (): MonitorHeld[] =>
      shelf.all().map((monitor) => {
        const appeared = monitor.changes.appeared(clock.now());
        return {
          monitor: monitorOnWire(seed, monitor, clock.now()),
          appeared: appeared.length,
          open: appeared.filter((change) => changeStatus(change) === 'open').length,
          toCome: monitor.changes.all().length - appeared.length,
        };
      }),
    changes,
    addChanges,
    acknowledgeElsewhere,
    set,
    /** Steps begin again; so do the monitors that the patch names, all of them by `seeded`. */
    patched({ held, seeded }: SectionPatch): void {
      restartFaults();
      if (seeded === undefined) shelf.restart(Object.keys(held ?? {}));
      else shelf.restock();
    },
    reset(): void {
      reset();
      counted = { shown: 0, acknowledged: 0 };
      shelf.restock();
    },
  };
}

/** @throws Refusal 404 */
function missing(id: string): never {
  throw new Refusal(404, 'change_not_found', `No change ${id} has appeared.`);
}
