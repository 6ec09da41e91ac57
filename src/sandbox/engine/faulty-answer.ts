/** Puts answers on the wire, well or badly. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SandboxClock } from '../clock';
import type { CallTrouble } from '../faults/fault-plan';
import type { ActingFaultKind, SpurningFaultKind } from '../faults/fault-words';
import {
  htmlAnswer,
  jsonAnswer,
  plainAnswer,
  rawAnswer,
  writeAnswer,
  writeHead,
  type Answer,
  type RawAnswer,
} from './answer';
import { problemBody, Refusal, tooManyRequests } from './problem';
import { spoil } from './spoilt-answer';

export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  clock: SandboxClock;
  requestId: string;
  /** Path of the request, without its query. */
  instance: string;
  /** The body of a refusal; the certificate service's problem when left out. */
  problem?: (refusal: Refusal, exchange: Exchange) => object;
  /** The whole of a refusal, where it is no problem at all. */
  refusal?: ((refusal: Refusal) => RawAnswer) | undefined;
  /** Set when a fault breaks the connection off, so that nobody takes it for the client's doing. */
  brokenOff: boolean;
}

export const defaultDelayMs = 5000;
export const defaultRetryAfterSeconds = 1;
const trickles = 16;

/** @returns the status put on the wire, null when there was none. */
export function refuse(exchange: Exchange, refusal: Refusal): number | null {
  if (exchange.refusal !== undefined) return send(exchange, exchange.refusal(refusal));
  const body =
    exchange.problem?.(refusal, exchange) ??
    problemBody(refusal, exchange.requestId, exchange.instance);
  const contentType = 'application/problem+json; charset=utf-8';
  return send(exchange, jsonAnswer(refusal.status, body, refusal.headers, contentType));
}

type Outcome = number | null | Promise<number | null>;

/** How each fault that lets the service act looks on the wire. */
const acted: Record<
  ActingFaultKind,
  (exchange: Exchange, answer: Answer, trouble: CallTrouble<ActingFaultKind>) => Outcome
> = {
  '500_html_after': (exchange) => send(exchange, htmlAnswer(500, 'Internal Server Error')),
  '504_after': (exchange) => send(exchange, htmlAnswer(504, 'Gateway Time-out')),
  reset_after: reset,
  no_answer: () => null,
  cut_answer: (exchange, answer) => cut(exchange, rawAnswer(answer)),
  slow: async (exchange, answer, { delayMs }) => {
    await exchange.clock.sleep(delayMs ?? defaultDelayMs);
    return send(exchange, rawAnswer(answer));
  },
  slow_pdf: (exchange, answer, { delayMs }) =>
    trickle(exchange, rawAnswer(answer), delayMs ?? defaultDelayMs),
  unreadable_2xx: (exchange, answer) =>
    send(exchange, { ...rawAnswer(answer), body: Buffer.from('{"certidao_id": "') }),
  not_a_pdf: (exchange) => send(exchange, htmlAnswer(200, 'Documento em processamento')),
  missing_id: sendSpoilt,
  extra_fields: sendSpoilt,
  unknown_status: sendSpoilt,
  unknown_status_forever: sendSpoilt,
  wrong_sha256: sendSpoilt,
  empty_pdf: sendSpoilt,
};

/** How each fault that keeps a service from acting looks on the wire. */
export const spurned: Record<
  SpurningFaultKind,
  (exchange: Exchange, retryAfterSeconds: number) => number | null
> = {
  '429': (exchange, seconds) => refuse(exchange, tooManyRequests(seconds)),
  '429_bare': (exchange) => send(exchange, plainAnswer(429, 'Too Many Requests')),
  '503': (exchange, seconds) => refuse(exchange, busy(seconds)),
  '503_bare': (exchange) => send(exchange, plainAnswer(503, 'Service Unavailable')),
  '500_html': (exchange) => send(exchange, htmlAnswer(500, 'Internal Server Error')),
  '502': (exchange) => send(exchange, htmlAnswer(502, 'Bad Gateway')),
  '401': (exchange) =>
    refuse(exchange, new Refusal(401, 'unauthorized', 'The token is not valid.')),
  '403_unauthorized': (exchange) =>
    refuse(exchange, new Refusal(403, 'unauthorized', 'The token may not do this.')),
  '400_refused': (exchange) =>
    refuse(exchange, new Refusal(400, 'request_refused', 'The request is refused.')),
  redirect: (exchange) =>
    send(exchange, { ...htmlAnswer(302, 'Found'), headers: { location: '/manutencao' } }),
  reset_before: reset,
  no_answer_before: () => null,
};

/** @returns the status put on the wire, null when there was none. */
export async function answerWith(
  exchange: Exchange,
  trouble: CallTrouble<ActingFaultKind> | null,
  answer: Answer,
): Promise<number | null> {
  return trouble === null
    ? send(exchange, rawAnswer(answer))
    : acted[trouble.kind](exchange, answer, trouble);
}

/**
 * Answers, or does not, without the request having been acted on.
 * @returns the status put on the wire, null when there was none.
 */
export function spurn(exchange: Exchange, trouble: CallTrouble<SpurningFaultKind>): number | null {
  return spurned[trouble.kind](exchange, trouble.retryAfterSeconds ?? defaultRetryAfterSeconds);
}

function busy(retryAfterSeconds: number): Refusal {
  return new Refusal(503, 'service_unavailable', 'The service is busy.', {
    retryable: true,
    headers: { 'retry-after': String(retryAfterSeconds) },
  });
}

export function reset(exchange: Exchange): null {
  exchange.brokenOff = true;
  exchange.request.socket.resetAndDestroy();
  return null;
}

function sendSpoilt(
  exchange: Exchange,
  answer: Answer,
  { kind }: CallTrouble<ActingFaultKind>,
): number | null {
  return send(exchange, rawAnswer(spoil(kind, answer)));
}

/** @returns the status put on the wire, null when the client has gone. */
export function send({ response, requestId }: Exchange, answer: RawAnswer): number | null {
  if (response.destroyed) return null;
  response.setHeader('x-request-id', requestId);
  writeAnswer(response, answer);
  return answer.status;
}

/** Half of the body, then the end of the connection. */
export function cut(exchange: Exchange, answer: RawAnswer): number {
  const { request, response, requestId } = exchange;
  exchange.brokenOff = true;
  response.setHeader('x-request-id', requestId);
  writeHead(response, answer);
  const half = answer.body.subarray(0, Math.floor(answer.body.length / 2));
  response.write(half, () => request.socket.destroy());
  return answer.status;
}

async function trickle(exchange: Exchange, answer: RawAnswer, delayMs: number): Promise<number> {
  const { response, clock } = exchange;
  response.setHeader('x-request-id', exchange.requestId);
  writeHead(response, answer);
  const step = Math.ceil(answer.body.length / trickles);
  for (let start = 0; start < answer.body.length && !response.destroyed; start += step) {
    response.write(answer.body.subarray(start, start + step));
    await clock.sleep(delayMs / trickles);
  }
  response.end();
  return answer.status;
}
