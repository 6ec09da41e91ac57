/** The calls about monitors. */

import { z } from 'zod';
import type { SandboxClock } from '../clock';
import type { Answer, JsonObject } from '../engine/answer';
import { Refusal } from '../engine/problem';
import { readBodyAs } from '../engine/request-body';
import { withExtraFields } from '../engine/spoilt-answer';
import { pageOf, readPageWish, type PageWish } from './change-pages';
import type { HeldChange } from './held-changes';
import type { MonitorTrouble } from './monitor-fault-plan';
import type { MonitorStage } from './monitor-fault-words';
import type { MonitorCounts } from './monitor-log';
import { listenWords, type MonitorScenario } from './monitor-scenario';
import type { HeldMonitor, MonitorShelf } from './monitor-shelf';
import { changeOnWire, monitorOnWire, withUnknownWords } from './monitor-wire';

export const monitorsPath = '/api/v1/monitors';

export interface MonitorRequest {
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  contentType: string;
  body: Buffer;
}

/** A call that was understood. */
export interface PreparedMonitorCall {
  stage: MonitorStage;
  monitorId: string;
  changeId: string | null;
  /** What was sent, where it could be read; null without a body. */
  body: unknown;
  /** Does what was asked; a trouble may spoil what is told of it. Never refuses. */
  act(trouble: MonitorTrouble | null): Answer;
}

export interface MonitorRoute {
  method: string;
  path: string;
  /** Changes nothing. @throws Refusal */
  prepare(request: MonitorRequest): PreparedMonitorCall;
}

export interface MonitorRouteParts {
  seed: number;
  clock: SandboxClock;
  scenario: () => MonitorScenario;
  shelf: MonitorShelf;
  counts: () => MonitorCounts;
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

export function monitorRoutes(parts: MonitorRouteParts): MonitorRoute[] {
  const { clock, counts, scenario, seed, shelf } = parts;

  /** @throws Refusal 404, 400 */
  function find({ params }: MonitorRequest): HeldMonitor {
    const monitor = shelf.get(uuidOf(params, 'monitor_id'));
    if (monitor.fields.status === 'cancelled' && scenario().cancelled === 'gone') {
      throw new Refusal(404, 'monitor_not_found', 'The monitor is cancelled.');
    }
    return monitor;
  }

  function prepareList(request: MonitorRequest): PreparedMonitorCall {
    const monitor = find(request);
    const wish = readPageWish(request.query, scenario());
    return {
      stage: 'list',
      monitorId: monitor.id,
      changeId: null,
      body: null,
      act: (trouble) => ({ status: 200, json: listed(monitor, wish, trouble) }),
    };
  }

  function listed(
    monitor: HeldMonitor,
    wish: PageWish,
    trouble: MonitorTrouble | null,
  ): JsonObject {
    const { changes, nextCursor } = pageOf(monitor.changes, wish, scenario(), clock.now());
    counts().shown += changes.length;
    const data = changes.map((change) => toldAs(changeOnWire(seed, change), trouble));
    const repeated = trouble?.kind === 'repeated_cursor' ? (wish.cursor ?? nextCursor) : null;
    const cursor = repeated ?? nextCursor;
    return {
      data: trouble?.kind === 'bad_item' ? [{ status: 'open', id: 7 }, ...data] : data,
      page: { next_cursor: cursor, has_more: cursor !== null },
    };
  }

  function prepareAck(request: MonitorRequest): PreparedMonitorCall {
    const monitor = find(request);
    const change = monitor.changes.find(uuidOf(request.params, 'change_id'), clock.now());
    if (change === undefined || change.answer === 'no_id' || change.ack === 'gone') {
      throw new Refusal(404, 'change_not_found', 'No such change.');
    }
    refuseAck(monitor, change, scenario());
    return {
      stage: 'ack',
      monitorId: monitor.id,
      changeId: change.id,
      body: null,
      act: (trouble) => {
        const moved = monitor.changes.acknowledge(change, clock.now(), 'client');
        counts().acknowledged += moved ? 1 : 0;
        return { status: 200, json: toldAs(changeOnWire(seed, change), trouble) };
      },
    };
  }

  function prepareRead(request: MonitorRequest): PreparedMonitorCall {
    if (!scenario().readRoute) {
      throw new Refusal(404, 'unknown_route', 'The sandbox has no route to read a monitor.');
    }
    const monitor = find(request);
    return {
      stage: 'read',
      monitorId: monitor.id,
      changeId: null,
      body: null,
      act: (trouble) => ({
        status: 200,
        json: toldAs(monitorOnWire(seed, monitor, clock.now()), trouble),
      }),
    };
  }

  function prepareUpdate(request: MonitorRequest): PreparedMonitorCall {
    const monitor = find(request);
    const body = readBodyAs(update, request);
    if (monitor.fields.status === 'cancelled') {
      throw new Refusal(409, 'monitor_cancelled', 'A cancelled monitor cannot be changed.');
    }
    return {
      stage: 'update',
      monitorId: monitor.id,
      changeId: null,
      body,
      act: (trouble) => {
        const frozen: readonly string[] = scenario().frozenFields;
        const moved = Object.entries(body).filter(([name]) => !frozen.includes(name));
        shelf.change(monitor, Object.fromEntries(moved));
        return { status: 200, json: toldAs(monitorOnWire(seed, monitor, clock.now()), trouble) };
      },
    };
  }

  const one = `${monitorsPath}/:monitor_id`;
  return [
    { method: 'GET', path: one, prepare: prepareRead },
    { method: 'PATCH', path: one, prepare: prepareUpdate },
    { method: 'GET', path: `${one}/changes`, prepare: prepareList },
    { method: 'POST', path: `${one}/changes/:change_id/ack`, prepare: prepareAck },
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

function toldAs(json: JsonObject, trouble: MonitorTrouble | null): JsonObject {
  if (trouble?.kind === 'extra_fields') return withExtraFields(json);
  return trouble?.kind === 'unknown_words' ? withUnknownWords(json) : json;
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** @throws Refusal 400 */
function uuidOf(params: Readonly<Record<string, string>>, name: string): string {
  const id = params[name] ?? '';
  if (!uuid.test(id)) throw new Refusal(400, 'invalid_id', `${name} is no UUID.`);
  return id.toLowerCase();
}
