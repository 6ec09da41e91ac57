/** Monitors: the calls about them, and what a test turns. */

import { z } from 'zod';
import { section } from '../core/scenario-parts';
import { iso, Refusal, type JsonObject } from '../http/answer';
import type { ControlRoutes } from '../http/control';
import { readPage } from '../http/list-pages';
import { readBodyAs, refuseRoute, uuidIn, type Request } from '../http/request';
import { createService, type PreparedCall, type ResourceParts } from '../http/service';
import {
  changeScript,
  listenWords,
  monitorFields,
  monitorRoles,
  severityWords,
  type ChangeScriptInput,
  type MonitorFields,
  type MonitorStage,
} from './monitor-scenario';
import {
  acknowledge,
  changeStatus,
  createMonitorShelf,
  type HeldChange,
  type HeldMonitor,
} from './monitor-shelf';
import { changeOnWire, monitorOnWire } from './monitor-wire';

const monitorsPath = '/api/v1/monitors';

const updateBody = z.strictObject({
  name: z.string().optional(),
  listen_items: z.array(z.enum(listenWords)).optional(),
  emails: z
    .array(
      z.string().refine((email) => /^[^\s@]+@[^\s@]+$/.test(email), 'expected an e-mail address'),
    )
    .optional(),
  frequency_hours: z.int().min(1).max(720).optional(),
});
const monitorId = z.string();
const changesBody = z.strictObject({ monitorId, changes: z.array(changeScript).min(1) });
const acknowledgeBody = z.strictObject({ monitorId, changeIds: z.array(z.string()).optional() });
const monitorBody = z.strictObject({ monitorId, set: section(monitorFields) });

export function createMonitors(parts: ResourceParts) {
  const { clock, seed } = parts;
  const scenario = () => parts.scenario().monitors;
  const shelf = createMonitorShelf(seed, clock, scenario);
  const counted = { shown: 0, acknowledged: 0 };

  /** @throws Refusal 404, 400 */
  function find(request: Request): HeldMonitor {
    const monitor = shelf.get(uuidIn(request, 'monitor_id'));
    if (monitor.fields.status === 'cancelled' && scenario().cancelled === 'gone') {
      throw new Refusal(404, 'monitor_not_found', 'The monitor is cancelled.');
    }
    return monitor;
  }

  const onWire = (monitor: HeldMonitor) => monitorOnWire(seed, monitor, clock.now());

  function prepareList(request: Request): PreparedCall {
    const monitor = find(request);
    const { severityName, statusName } = scenario();
    const page = readPage<HeldChange>(request.query, scenario(), [
      { name: statusName, words: ['open', 'acknowledged'], wordOf: changeStatus },
      { name: severityName, words: severityWords, wordOf: ({ severity }) => severity },
    ]);
    return {
      subject: monitor.id,
      id: null,
      act: () => {
        const json = page(shelf.appeared(monitor), (change) => changeOnWire(seed, change));
        counted.shown += (json['data'] as object[]).length;
        return { status: 200, json };
      },
    };
  }

  function prepareAck(request: Request): PreparedCall {
    const monitor = find(request);
    const change = shelf.change(monitor, uuidIn(request, 'change_id'));
    refuseAck(monitor, change);
    return {
      subject: monitor.id,
      id: change.id,
      act: () => {
        if (acknowledge(change, clock.now(), 'client')) counted.acknowledged += 1;
        return { status: 200, json: changeOnWire(seed, change) };
      },
    };
  }

  /** @throws Refusal 404, 409 */
  function refuseAck(monitor: HeldMonitor, change: HeldChange): void {
    if (change.answer === 'no_id' || change.ack === 'gone') {
      throw new Refusal(404, 'change_not_found', 'No such change.');
    }
    if (change.ack === 'refused') {
      throw new Refusal(409, 'change_locked', 'The change cannot be acknowledged.');
    }
    if (monitor.fields.status === 'cancelled' && scenario().cancelled === 'closed') {
      throw new Refusal(409, 'monitor_cancelled', 'The monitor is cancelled.');
    }
    if (change.acknowledgedAt !== null && scenario().repeatedAck === 'conflict') {
      throw new Refusal(409, 'change_acknowledged', 'The change is acknowledged already.');
    }
  }

  function prepareRead(request: Request): PreparedCall {
    refuseRoute(scenario().readRoute);
    const monitor = find(request);
    const act = () => ({ status: 200, json: onWire(monitor) });
    return { subject: monitor.id, id: null, act };
  }

  function prepareUpdate(request: Request): PreparedCall {
    const monitor = find(request);
    const body = readBodyAs(updateBody, request);
    if (monitor.fields.status === 'cancelled') {
      throw new Refusal(409, 'monitor_cancelled', 'A cancelled monitor cannot be changed.');
    }
    return {
      subject: monitor.id,
      id: null,
      act: () => {
        const frozen: readonly string[] = scenario().frozenFields;
        const moved = Object.entries(body).filter(([name]) => !frozen.includes(name));
        shelf.set(monitor, Object.fromEntries(moved));
        return { status: 200, json: onWire(monitor) };
      },
    };
  }

  const one = `${monitorsPath}/:monitor_id`;
  const service = createService<MonitorStage>({
    ...parts,
    name: 'monitor',
    paths: [monitorsPath],
    roles: monitorRoles,
    section: scenario,
    scriptOf: ({ subject }) => scenario().held[subject],
    shelf,
    routes: () => [
      ['GET', one, 'read', prepareRead],
      ['PATCH', one, 'update', prepareUpdate],
      ['GET', `${one}/changes`, 'list', prepareList, { query: 'any' }],
      ['POST', `${one}/changes/:change_id/ack`, 'ack', prepareAck],
    ],
  });

  /** By another client: all that are open when none is named. @returns ids of those that moved */
  function acknowledgeElsewhere(id: string, changeIds?: readonly string[]): string[] {
    const monitor = shelf.get(id);
    const named = changeIds?.map((changeId) => shelf.change(monitor, changeId));
    return (named ?? shelf.appeared(monitor))
      .filter((change) => acknowledge(change, clock.now(), 'other'))
      .map((change) => change.id);
  }

  /** What a read shows: status, health, subscription, `execution_allowed`, `blocking_reason`. */
  function set(id: string, fields: MonitorFields): JsonObject {
    const monitor = shelf.get(id);
    shelf.set(monitor, fields);
    return onWire(monitor);
  }

  /** @returns their ids */
  const addChanges = (id: string, scripts: readonly ChangeScriptInput[]): string[] =>
    shelf.addChanges(id, z.array(changeScript).parse(scripts));

  /** A change and what became of it. Instants on the sandbox's clock. */
  const shown = (change: HeldChange) => ({
    monitorId: change.monitorId,
    changeId: change.id,
    severity: change.severity,
    type: change.type,
    detectedAt: iso(change.detectedAt),
    /** Whether it is listed already. */
    appeared: change.detectedAt <= clock.now(),
    acknowledgedAt: change.acknowledgedAt === null ? null : iso(change.acknowledgedAt),
    acknowledgedBy: change.acknowledgedBy,
    acks: change.acks,
  });

  /** Every change of one monitor, or of all. @throws Refusal 404 */
  const changes = (id?: string) =>
    (id === undefined ? shelf.all() : [shelf.get(id)]).flatMap((monitor) =>
      [...monitor.changes.values()].map(shown),
    );

  const controls: ControlRoutes = {
    'PUT state': (body) => {
      const { monitorId: id, set: fields } = body.as(monitorBody);
      return set(id, fields);
    },
    'GET changes': () => changes(),
    'POST changes': (body) => {
      const { monitorId: id, changes: scripts } = body.as(changesBody);
      return { added: shelf.addChanges(id, scripts) };
    },
    'POST acknowledge': (body) => {
      const { monitorId: id, changeIds } = body.as(acknowledgeBody);
      return { acknowledged: acknowledgeElsewhere(id, changeIds) };
    },
  };

  return {
    ...service,
    controls,
    /** Changes `shown` in lists, over all pages; acknowledgements that moved a change. */
    counts: () => ({ ...service.calls(), ...counted }),
    /** As a read would show each now. */
    state: () => shelf.all().map((monitor) => ({ monitor: onWire(monitor) })),
    changes,
    addChanges,
    acknowledgeElsewhere,
    set,
  };
}
