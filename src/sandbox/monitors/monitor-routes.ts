/** The calls about monitors. */

import { z } from 'zod';
import type { SandboxClock } from '../core/clock';
import { listPage, readListWish } from '../http/list-pages';
import { Refusal } from '../http/refusal';
import { readBodyAs } from '../http/request-body';
import { refuseRoute, uuidIn } from '../http/router';
import type { PreparedCall, Request, Route } from '../http/service';
import { acknowledge, changeStatus, placeOf, type HeldChange } from './held-changes';
import {
  listenWords,
  severityWords,
  type MonitorScenario,
  type MonitorStage,
} from './monitor-scenario';
import type { HeldMonitor, MonitorShelf } from './monitor-shelf';
import { changeOnWire, monitorOnWire } from './monitor-wire';

export const monitorsPath = '/api/v1/monitors';

export interface MonitorRouteParts {
  seed: number;
  clock: SandboxClock;
  scenario: () => MonitorScenario;
  shelf: MonitorShelf;
  /** Told of changes that a page showed, and of those that an acknowledgement moved. */
  count: (what: 'shown' | 'acknowledged', changes: number) => void;
}

const text = z.string();
const update = z.strictObject({
  name: text.optional(),
  listen_items: z.array(z.enum(listenWords)).optional(),
  emails: z
    .array(text.refine((email) => /^[^\s@]+@[^\s@]+$/.test(email), 'expected an e-mail address'))
    .optional(),
  frequency_hours: z.int().min(1).max(720).optional(),
});

export function monitorRoutes(parts: MonitorRouteParts): Route<MonitorStage>[] {
  const { clock, count, scenario, seed, shelf } = parts;

  /** @throws Refusal 404, 400 */
  function find({ params }: Request): HeldMonitor {
    const monitor = shelf.get(uuidIn(params, 'monitor_id'));
    if (monitor.fields.status === 'cancelled' && scenario().cancelled === 'gone') {
      throw new Refusal(404, 'monitor_not_found', 'The monitor is cancelled.');
    }
    return monitor;
  }

  const shown = (monitor: HeldMonitor) => ({
    status: 200,
    json: monitorOnWire(seed, monitor, clock.now()),
  });

  const view = {
    placeOf,
    wordOf: (change: HeldChange, field: string) =>
      field === 'severity' ? change.severity : changeStatus(change),
    show: (change: HeldChange) => changeOnWire(seed, change),
  };

  function prepareList(request: Request): PreparedCall {
    const monitor = find(request);
    const { severityName, statusName } = scenario();
    const wish = readListWish(request.query, scenario(), [
      { name: statusName, words: ['open', 'acknowledged'], field: 'status' },
      { name: severityName, words: severityWords, field: 'severity' },
    ]);
    return {
      subject: monitor.id,
      id: null,
      act: () => {
        const json = listPage(monitor.changes.appeared(clock.now()), view, wish, scenario());
        count('shown', (json['data'] as object[]).length);
        return { status: 200, json };
      },
    };
  }

  function prepareAck(request: Request): PreparedCall {
    const monitor = find(request);
    const change = monitor.changes.find(uuidIn(request.params, 'change_id'), clock.now());
    if (change === undefined || change.answer === 'no_id' || change.ack === 'gone') {
      throw new Refusal(404, 'change_not_found', 'No such change.');
    }
    refuseAck(monitor, change, scenario());
    return {
      subject: monitor.id,
      id: change.id,
      act: () => {
        if (acknowledge(change, clock.now(), 'client')) count('acknowledged', 1);
        return { status: 200, json: changeOnWire(seed, change) };
      },
    };
  }

  function prepareRead(request: Request): PreparedCall {
    refuseRoute(scenario().readRoute);
    const monitor = find(request);
    return { subject: monitor.id, id: null, act: () => shown(monitor) };
  }

  function prepareUpdate(request: Request): PreparedCall {
    const monitor = find(request);
    const body = readBodyAs(update, request);
    if (monitor.fields.status === 'cancelled') {
      throw new Refusal(409, 'monitor_cancelled', 'A cancelled monitor cannot be changed.');
    }
    return {
      subject: monitor.id,
      id: null,
      act: () => {
        const frozen: readonly string[] = scenario().frozenFields;
        const moved = Object.entries(body).filter(([name]) => !frozen.includes(name));
        shelf.change(monitor, Object.fromEntries(moved));
        return shown(monitor);
      },
    };
  }

  const one = `${monitorsPath}/:monitor_id`;
  return [
    { method: 'GET', path: one, stage: 'read', prepare: prepareRead },
    { method: 'PATCH', path: one, stage: 'update', prepare: prepareUpdate },
    { method: 'GET', path: `${one}/changes`, stage: 'list', query: 'any', prepare: prepareList },
    { method: 'POST', path: `${one}/changes/:change_id/ack`, stage: 'ack', prepare: prepareAck },
  ];
}

/** @throws Refusal 409 */
function refuseAck(
  monitor: HeldMonitor,
  change: HeldChange,
  { cancelled, repeatedAck }: MonitorScenario,
): void {
  if (change.ack === 'refused') {
    throw new Refusal(409, 'change_locked', 'The change cannot be acknowledged.');
  }
  if (monitor.fields.status === 'cancelled' && cancelled === 'closed') {
    throw new Refusal(409, 'monitor_cancelled', 'The monitor is cancelled.');
  }
  if (change.acknowledgedAt !== null && repeatedAck === 'conflict') {
    throw new Refusal(409, 'change_acknowledged', 'The change is acknowledged already.');
  }
}
