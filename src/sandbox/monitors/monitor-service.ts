/** One monitor call from its arrival to its answer: route, token, limits, faults, delivery. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { drawDuration } from '../chance';
import type { SandboxClock } from '../clock';
import type { Credentials } from '../engine/credentials';
import { answerWith, refuse, spurn, type Exchange } from '../engine/faulty-answer';
import { Refusal } from '../engine/problem';
import type { RateLimit } from '../engine/rate-limit';
import { readBody } from '../engine/request-body';
import type { Router } from '../engine/router';
import { whenItStrikes, type CallTrouble } from '../faults/fault-plan';
import type { MonitorFaultPlan, MonitorTrouble } from './monitor-fault-plan';
import { isWireFault } from './monitor-fault-words';
import type { MonitorCounts, MonitorLog, MonitorReceived } from './monitor-log';
import type { MonitorRoute, PreparedMonitorCall } from './monitor-routes';

export interface MonitorServiceParts {
  seed: number;
  clock: SandboxClock;
  latencyMs(): readonly [number, number];
  router: Router<MonitorRoute>;
  credentials: Credentials;
  rateLimit: RateLimit;
  faults: MonitorFaultPlan;
  log: MonitorLog;
  counts(): MonitorCounts;
}

export function createMonitorService(parts: MonitorServiceParts) {
  const { clock, credentials, faults, log, rateLimit, router, seed } = parts;

  async function serve(
    incoming: IncomingMessage,
    response: ServerResponse,
    path: string,
    query: URLSearchParams,
  ): Promise<void> {
    const method = incoming.method ?? '';
    const instance = credentials.mask(path);
    const entry = log.open({
      at: clock.isoNow(),
      method,
      path: instance,
      query: masked(query, credentials),
    });
    const exchange: Exchange = {
      request: incoming,
      response,
      clock,
      requestId: `monitor_${seed}_${entry.number}`,
      instance,
      brokenOff: false,
    };
    response.once('close', () => {
      entry.abandoned = !response.writableFinished && !exchange.brokenOff;
    });
    const body = await readBody(incoming);
    if (body === 'aborted') return;
    try {
      credentials.check('bearer', query, incoming.headers.authorization);
      if (body === 'too_large') {
        throw new Refusal(413, 'body_too_large', 'The body is larger than 1 MiB.');
      }
      const { route, params } = router.find(method, path);
      const contentType = incoming.headers['content-type'] ?? '';
      const call = route.prepare({ params, query, contentType, body });
      const { stage, monitorId, changeId } = call;
      Object.assign(entry, { stage, monitorId, changeId, body: call.body });
      parts.counts()[stage] += 1;
      rateLimit.take();
      entry.status = await answer(call, exchange, entry);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { status, code, message, retryable, headers } = error;
      entry.status = refuse(
        exchange,
        new Refusal(status, code, credentials.mask(message), { retryable, headers }),
      );
    }
  }

  async function answer(
    call: PreparedMonitorCall,
    exchange: Exchange,
    entry: MonitorReceived,
  ): Promise<number | null> {
    const trouble = faults.next(call.stage, call.monitorId);
    entry.fault = trouble?.kind ?? null;
    const latencyMs = drawDuration(
      parts.latencyMs(),
      'uniform',
      seed,
      'monitor latency',
      entry.number,
    );
    const refused = refusalOf(trouble);
    const { before, after } = whenItStrikes(onTheWire(trouble));
    if (refused !== null || before !== null) {
      if (latencyMs > 0) await clock.sleep(latencyMs);
      if (refused !== null) throw refused;
      return before === null ? null : spurn(exchange, before);
    }
    const given = call.act(trouble);
    entry.accepted = true;
    if (latencyMs > 0) await clock.sleep(latencyMs);
    return answerWith(exchange, after, given);
  }

  return { serve };
}

const refusals: Partial<Record<string, Refusal>> = {
  '404': new Refusal(404, 'not_found', 'There is no such thing.'),
  '405': new Refusal(405, 'method_not_allowed', 'This is not allowed here.'),
  '409': new Refusal(409, 'conflict', 'The state does not allow it.'),
};

function refusalOf(trouble: MonitorTrouble | null): Refusal | null {
  return refusals[trouble?.kind ?? ''] ?? null;
}

/** Trouble that the answer itself holds is none for the wire. */
function onTheWire(trouble: MonitorTrouble | null): CallTrouble | null {
  if (trouble === null || trouble.kind === 'extra_fields') return null;
  return isWireFault(trouble.kind) ? { ...trouble, kind: trouble.kind } : null;
}

function masked(query: URLSearchParams, credentials: Credentials): Record<string, string> {
  return Object.fromEntries(
    [...query].map(([name, value]) => [credentials.mask(name), credentials.mask(value)]),
  );
}
