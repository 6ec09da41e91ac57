/** Monitors: their routes, what they hold, and what a test turns. */

import type { z } from 'zod';
import type { SandboxClock } from '../clock';
import type { JsonObject } from '../engine/answer';
import type { Credentials } from '../engine/credentials';
import { Refusal } from '../engine/problem';
import { RateLimit } from '../engine/rate-limit';
import { Router } from '../engine/router';
import type { Scenario } from '../scenario';
import type { HeldChange } from './held-changes';
import { MonitorFaultPlan } from './monitor-fault-plan';
import {
  MonitorLog,
  noMonitorCounts,
  type MonitorCounts,
  type MonitorReceived,
} from './monitor-log';
import { monitorRoutes } from './monitor-routes';
import type { acknowledgeBody, monitorBody } from './monitor-control';
import { changeScript, type ChangeScriptInput } from './monitor-scenario';
import { createMonitorService } from './monitor-service';
import { MonitorShelf } from './monitor-shelf';
import { monitorOnWire } from './monitor-wire';

export interface MonitorParts {
  seed: number;
  clock: SandboxClock;
  scenario(): Scenario;
  credentials: Credentials;
  /** Changes held at most, over all monitors. */
  changeCapacity: number;
  receivedCapacity: number;
}

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

export function createMonitors(parts: MonitorParts) {
  const { clock, credentials, seed } = parts;
  const scenario = () => parts.scenario().monitors;
  const shelf = new MonitorShelf({ seed, clock, scenario, capacity: parts.changeCapacity });
  const faults = new MonitorFaultPlan(seed, scenario);
  const log = new MonitorLog(parts.receivedCapacity);
  const rateLimit = new RateLimit(clock, () => scenario().rateLimitPerSecond);
  let counts = noMonitorCounts();
  const countsNow = () => counts;
  const service = createMonitorService({
    seed,
    clock,
    latencyMs: () => parts.scenario().latencyMs,
    router: new Router(monitorRoutes({ seed, clock, scenario, shelf, counts: countsNow })),
    credentials,
    rateLimit,
    faults,
    log,
    counts: countsNow,
  });

  function acknowledgeElsewhere({ monitorId, changeIds }: z.output<typeof acknowledgeBody>) {
    const { changes } = shelf.get(monitorId);
    const now = clock.now();
    const named =
      changeIds === undefined
        ? changes.all().filter(({ detectedAt }) => detectedAt <= now)
        : changeIds.map((id) => changes.find(id, now) ?? missing(id));
    const moved = named.filter((change) => changes.acknowledge(change, now, 'other'));
    return { acknowledged: moved.map(({ id }) => id) };
  }

  const told = (change: HeldChange): ChangeHeld => ({
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

  return {
    serve: service.serve,
    received: (): MonitorReceived[] => log.received(),
    clearReceived: () => log.clear(),
    counts: (): MonitorCounts => ({ ...counts }),
    state: (): MonitorHeld[] =>
      shelf.all().map((monitor) => {
        const appeared = monitor.changes.countAppeared(clock.now());
        return {
          monitor: monitorOnWire(seed, monitor, clock.now()),
          appeared,
          open: monitor.changes.countOpen(clock.now()),
          toCome: monitor.changes.size - appeared,
        };
      }),
    /** Every change of one monitor, or of all. @throws Refusal 404 */
    changes: (monitorId?: string): ChangeHeld[] =>
      (monitorId === undefined ? shelf.all() : [shelf.get(monitorId)]).flatMap(({ changes }) =>
        changes.all().map(told),
      ),
    addChanges: (monitorId: string, scripts: readonly ChangeScriptInput[]): string[] =>
      shelf.addChanges(
        monitorId,
        scripts.map((script) => changeScript.parse(script)),
      ),
    acknowledgeElsewhere,
    set({ monitorId, set }: z.output<typeof monitorBody>): JsonObject {
      const monitor = shelf.get(monitorId);
      shelf.change(monitor, set);
      return monitorOnWire(seed, monitor, clock.now());
    },
    /** Steps begin again; so do the monitors that the patch names, all of them by `seeded`. */
    patched({ held, seeded }: { held?: object | undefined; seeded?: unknown }): void {
      faults.restart();
      if (seeded === undefined) shelf.restart(Object.keys(held ?? {}));
      else shelf.restock();
    },
    reset(): void {
      counts = noMonitorCounts();
      shelf.restock();
      log.clear();
      faults.restart();
      rateLimit.reset();
    },
  };
}

const iso = (at: number) => new Date(at).toISOString();

/** @throws Refusal 404 */
function missing(id: string): never {
  throw new Refusal(404, 'change_not_found', `No change ${id} has appeared.`);
}
