/** One call from its arrival to its answer: route, token, limits, body, faults, delivery. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { drawDuration } from '../chance';
import type { SandboxClock } from '../clock';
import type { Credentials } from '../engine/credentials';
import { refuse, type Exchange } from '../engine/faulty-answer';
import { Refusal } from '../engine/problem';
import type { RateLimit } from '../engine/rate-limit';
import type { Router } from '../engine/router';
import {
  deliver,
  keepsFromActing,
  plainProblem,
  spurnCall,
  type CreditAnswer,
} from './credit-answer';
import type { CreditTrouble } from './credit-fault-plan';
import type { CreditLog, CreditReceived } from './credit-log';

export interface CreditRequest {
  incoming: IncomingMessage;
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  /** Entry of the call, to be completed while it is served. */
  entry: CreditReceived;
}

/** A call that was understood. */
export interface PreparedCreditCall {
  /** What strikes it, drawn once. */
  trouble(): CreditTrouble | null;
  /** Does what was asked; a trouble may spoil what is told of it. Never refuses. */
  act(trouble: CreditTrouble | null): CreditAnswer;
  /** What the call is told while its matter is not ready; only where that can be. */
  notReady?(): CreditAnswer;
}

export interface CreditRoute {
  method: string;
  path: string;
  /** Served without a token. */
  isOpen?: boolean;
  query: readonly string[];
  /** Changes nothing. `aborted`: the client went away. @throws Refusal */
  prepare(request: CreditRequest): Promise<PreparedCreditCall | 'aborted'>;
}

export interface CreditServiceParts {
  seed: number;
  clock: SandboxClock;
  latencyMs(): readonly [number, number];
  router: Router<CreditRoute>;
  credentials: Credentials;
  rateLimit: RateLimit;
  log: CreditLog;
}

export function createCreditService(parts: CreditServiceParts) {
  const { clock, credentials, log, rateLimit, router, seed } = parts;

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
      hasAuthorization: incoming.headers.authorization !== undefined,
    });
    const exchange: Exchange = {
      request: incoming,
      response,
      clock,
      requestId: `credit_${seed}_${entry.number}`,
      instance,
      problem: plainProblem,
      brokenOff: false,
    };
    response.once('close', () => {
      entry.abandoned = !response.writableFinished && !exchange.brokenOff;
    });
    try {
      const { route, params } = router.find(method, path);
      admit(route, incoming, query);
      const call = await route.prepare({ incoming, params, query, entry });
      if (call !== 'aborted') entry.status = await answer(call, exchange, entry);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { status, code, message, headers } = error;
      entry.status = refuse(
        exchange,
        new Refusal(status, code, credentials.mask(message), { headers }),
      );
    }
  }

  /** @throws Refusal 400, 401, 429 */
  function admit(route: CreditRoute, { headers }: IncomingMessage, query: URLSearchParams): void {
    if (route.isOpen !== true) credentials.check('bearer', query, headers.authorization);
    for (const name of query.keys()) {
      if (!route.query.includes(name)) {
        throw new Refusal(400, 'unknown_parameter', `Unknown query parameter ${name}.`);
      }
      if (query.getAll(name).length > 1) {
        throw new Refusal(400, 'repeated_parameter', `${name} came twice.`);
      }
    }
    rateLimit.take();
  }

  async function answer(
    call: PreparedCreditCall,
    exchange: Exchange,
    entry: CreditReceived,
  ): Promise<number | null> {
    const trouble = call.trouble();
    entry.fault = trouble?.kind ?? null;
    const [shortest, longest] = parts.latencyMs();
    const words = [seed, 'credit latency', entry.number];
    const latencyMs = drawDuration([shortest, longest], 'uniform', ...words);
    if (keepsFromActing(trouble)) {
      await clock.sleep(latencyMs);
      return spurnCall(exchange, trouble, call.notReady?.());
    }
    const given = call.act(trouble);
    entry.accepted = true;
    await clock.sleep(latencyMs);
    return deliver(exchange, given, trouble);
  }

  return { serve };
}

function masked(query: URLSearchParams, credentials: Credentials): Record<string, string> {
  return Object.fromEntries(
    [...query].map(([name, value]) => [credentials.mask(name), credentials.mask(value)]),
  );
}
