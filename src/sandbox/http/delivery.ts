/** Puts answers on the wire, well or badly. Each way returns the status sent, null when none was. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SandboxClock } from '../core/clock';
import type { Trouble } from '../faults/fault-plan';
import type { FaultKind } from '../faults/fault-words';
import { htmlAnswer, textAnswer, type RawAnswer } from './answer';
import {
  customNotEnabled,
  expiredLink,
  Refusal,
  tooManyRequests,
  type RefusalBody,
} from './refusal';

export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  clock: SandboxClock;
  requestId: string;
  /** Path of the request, without its query. */
  instance: string;
  refusal: RefusalBody;
  /** Set when a fault breaks the connection off, so that nobody takes it for the client's doing. */
  brokenOff: boolean;
}

type Sent = number | null | Promise<number | null>;

const defaultDelayMs = 5000;
const trickles = 16;

/** Whole. */
export function send(exchange: Exchange, answer: RawAnswer): number | null {
  const { response } = exchange;
  if (response.destroyed) return null;
  writeHead(exchange, answer);
  response.end(answer.body);
  return answer.status;
}

function writeHead({ response, requestId }: Exchange, { headers, status }: RawAnswer): void {
  response.writeHead(status, { 'x-request-id': requestId, ...headers });
}

function reset(exchange: Exchange): null {
  exchange.brokenOff = true;
  exchange.request.socket.resetAndDestroy();
  return null;
}

/** Half of the body, then the end of the connection. */
function cut(exchange: Exchange, answer: RawAnswer): number {
  const { request, response } = exchange;
  exchange.brokenOff = true;
  writeHead(exchange, answer);
  const half = answer.body.subarray(0, Math.floor(answer.body.length / 2));
  response.write(half, () => request.socket.destroy());
  return answer.status;
}

async function trickle(exchange: Exchange, answer: RawAnswer, delayMs: number): Promise<number> {
  const { response, clock } = exchange;
  writeHead(exchange, answer);
  const bytes = answer.body;
  const step = Math.ceil(bytes.length / trickles);
  for (let start = 0; start < bytes.length && !response.destroyed; start += step) {
    response.write(bytes.subarray(start, start + step));
    await clock.sleep(delayMs / trickles);
  }
  response.end();
  return answer.status;
}

/** The same head over another body. */
function sendAs(exchange: Exchange, { status, headers }: RawAnswer, body: Buffer): Sent {
  const length = { 'content-length': String(body.length) };
  return send(exchange, { status, headers: { ...headers, ...length }, body });
}

/** Faults of the wire after the service has acted; others stand in the answer already. */
const acted: Partial<
  Record<FaultKind, (exchange: Exchange, answer: RawAnswer, delayMs: number) => Sent>
> = {
  '500_html_after': (exchange) => send(exchange, htmlAnswer(500, 'Internal Server Error')),
  '504_after': (exchange) => send(exchange, htmlAnswer(504, 'Gateway Time-out')),
  reset_after: reset,
  no_answer: () => null,
  cut_answer: cut,
  slow: async (exchange, answer, delayMs) => {
    await exchange.clock.sleep(delayMs);
    return send(exchange, answer);
  },
  slow_pdf: trickle,
  unreadable_2xx: (exchange, answer) => sendAs(exchange, answer, Buffer.from('{"id": "')),
  not_a_pdf: (exchange) => send(exchange, htmlAnswer(200, 'Documento em processamento')),
  // A comment after the end: readers still open the file, its sum is another.
  wrong_sha256: (exchange, answer) =>
    sendAs(exchange, answer, Buffer.concat([answer.body, Buffer.from('% another copy\n')])),
  empty_pdf: (exchange, answer) => sendAs(exchange, answer, Buffer.alloc(0)),
};

export function answerWith(exchange: Exchange, trouble: Trouble, answer: RawAnswer): Sent {
  const deliver = acted[trouble.kind] ?? send;
  return deliver(exchange, answer, trouble.delayMs ?? defaultDelayMs);
}

/** Refusals that strike although nothing is wrong with the request. */
const refusals: Partial<Record<FaultKind, (retryAfterSeconds: number) => Refusal>> = {
  '429': tooManyRequests,
  '503': (seconds) =>
    new Refusal(503, 'service_unavailable', 'The service is busy.', {
      retryable: true,
      headers: { 'retry-after': String(seconds) },
    }),
  '401': () => new Refusal(401, 'unauthorized', 'The token is not valid.'),
  '403_unauthorized': () => new Refusal(403, 'unauthorized', 'The token may not do this.'),
  '400_refused': () => new Refusal(400, 'request_refused', 'The request is refused.'),
  '404': () => new Refusal(404, 'not_found', 'There is no such thing.'),
  '405': () => new Refusal(405, 'method_not_allowed', 'This is not allowed here.'),
  '409': () => new Refusal(409, 'conflict', 'The state does not allow it.'),
  '409_retryable': () =>
    new Refusal(409, 'not_yet', 'The state does not allow it yet.', { retryable: true }),
  '413': () => new Refusal(413, 'file_too_large', 'The file is too large.'),
  '403_custom_not_enabled': customNotEnabled,
  expired_link: expiredLink,
};

const bare: Partial<Record<FaultKind, RawAnswer>> = {
  '429_bare': textAnswer(429, 'text/plain', 'Too Many Requests'),
  '503_bare': textAnswer(503, 'text/plain', 'Service Unavailable'),
  '500_html': htmlAnswer(500, 'Internal Server Error'),
  '502': htmlAnswer(502, 'Bad Gateway'),
  redirect: htmlAnswer(302, 'Found', { location: '/manutencao' }),
};

/** Answers, or does not, without the request having been acted on. */
export function spurn(exchange: Exchange, trouble: Trouble): number | null {
  const { kind, retryAfterSeconds = 1 } = trouble;
  const refusal = refusals[kind]?.(retryAfterSeconds);
  if (refusal !== undefined) return refuse(exchange, refusal);
  const answer = bare[kind];
  if (answer !== undefined) return send(exchange, answer);
  return kind === 'reset_before' ? reset(exchange) : null;
}

export function refuse(exchange: Exchange, refusal: Refusal): number | null {
  return send(exchange, exchange.refusal(refusal, exchange));
}
