/** One request from its arrival to its answer: log, route, credentials, limits, faults, delivery. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { drawDuration } from '../chance';
import type { SandboxClock } from '../clock';
import { whenItStrikes, type FaultPlan } from '../faults/fault-plan';
import type { Scenario } from '../scenario';
import type { Credentials } from './credentials';
import { answerWith, refuse, spurn, type Exchange } from './faulty-answer';
import { Refusal } from './problem';
import type { RateLimit } from './rate-limit';
import { readBody } from './request-body';
import type { ReceivedRequest, RequestLog } from './request-log';
import {
  refuseUnknownQuery,
  type PreparedCall,
  type Route,
  type Router,
  type ServiceRequest,
} from './router';

export interface ServiceParts {
  seed: number;
  clock: SandboxClock;
  scenario(): Scenario;
  router: Router;
  credentials: Credentials;
  rateLimit: RateLimit;
  faults: FaultPlan;
  log: RequestLog;
}

/** So much of a body that is not JSON is kept in the log. */
const keptTextLength = 2000;

export function createService(parts: ServiceParts) {
  const { clock, credentials, faults, log, rateLimit, router } = parts;

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { path, query } = addressOf(incoming);
    const method = incoming.method ?? '';
    const instance = credentials.mask(path);
    const entry = log.open({
      at: clock.isoNow(),
      method,
      path: instance,
      query: maskedQuery(query, credentials),
    });
    const requestId = `req_${parts.seed}_${entry.number}`;
    const exchange: Exchange = {
      request: incoming,
      response,
      clock,
      requestId,
      instance,
      brokenOff: false,
    };
    response.once('close', () => {
      entry.abandoned = !response.writableFinished && !exchange.brokenOff;
    });
    const body = await readBody(incoming);
    if (body === 'aborted') return;
    try {
      if (body === 'too_large') {
        throw new Refusal(413, 'body_too_large', 'The body is larger than 1 MiB.');
      }
      entry.body = readable(body, credentials);
      const { route, params } = router.find(method, path);
      const contentType = incoming.headers['content-type'] ?? '';
      const request: ServiceRequest = { method, path, params, query, contentType, body };
      const call = admit(route, request, incoming.headers.authorization, entry);
      entry.status = await answer(call, exchange, entry);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { status, code, message, retryable, headers } = error;
      const masked = new Refusal(status, code, credentials.mask(message), { retryable, headers });
      entry.status = refuse(exchange, masked);
    }
  }

  /** @throws Refusal */
  function admit(
    route: Route,
    request: ServiceRequest,
    authorization: string | undefined,
    entry: ReceivedRequest,
  ): PreparedCall {
    // The arrival is counted before anything is refused: a duplicate must show, even an unwelcome one.
    const prepared = attempt(() => route.prepare(request));
    if (!(prepared instanceof Refusal)) {
      entry.document = prepared.subject.document;
      entry.tipo = prepared.subject.tipo;
      prepared.arrived();
    }
    credentials.check(route.auth, request.query, authorization);
    refuseUnknownQuery(route, request.query);
    if (prepared instanceof Refusal) throw prepared;
    rateLimit.take();
    return prepared;
  }

  async function answer(
    call: PreparedCall,
    exchange: Exchange,
    entry: ReceivedRequest,
  ): Promise<number | null> {
    const trouble = faults.nextTrouble(call.stage, call.subject);
    entry.fault = trouble?.kind ?? null;
    const latencyMs = drawDuration(
      parts.scenario().latencyMs,
      'uniform',
      parts.seed,
      'latency',
      entry.number,
    );
    const { before, after } = whenItStrikes(trouble);
    if (before !== null) {
      if (latencyMs > 0) await clock.sleep(latencyMs);
      return spurn(exchange, before);
    }
    const given = call.act();
    entry.accepted = true;
    if (latencyMs > 0) await clock.sleep(latencyMs);
    return answerWith(exchange, after, given);
  }

  return { serve };
}

function attempt<Result>(work: () => Result): Result | Refusal {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

export function addressOf(incoming: IncomingMessage): { path: string; query: URLSearchParams } {
  const target = incoming.url ?? '/';
  const mark = target.indexOf('?');
  return mark < 0
    ? { path: target, query: new URLSearchParams() }
    : { path: target.slice(0, mark), query: new URLSearchParams(target.slice(mark + 1)) };
}

function maskedQuery(query: URLSearchParams, credentials: Credentials): Record<string, string> {
  const masked: Record<string, string> = {};
  for (const [name, value] of query) {
    masked[credentials.mask(name)] = name === 'token' ? '***' : credentials.mask(value);
  }
  return masked;
}

function readable(body: Buffer, credentials: Credentials): unknown {
  if (body.length === 0) return null;
  const text = credentials.mask(body.toString('utf8'));
  try {
    return JSON.parse(text);
  } catch {
    return text.slice(0, keptTextLength);
  }
}
