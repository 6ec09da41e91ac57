/** Puts answers on the wire, well or badly. Each way returns the status sent, null when none was. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SandboxClock } from '../core/clock';
import type { RawAnswer, Refusal, RefusalBody } from './answer';

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

type Sent = number | null;
/** A way of a fault, with what it is about: an answer, or seconds. */
export type Deliver<About> = (
  exchange: Exchange,
  about: About,
  delayMs: number,
) => Sent | Promise<Sent>;

const trickles = 16;

function writeHead({ response, requestId }: Exchange, { headers, status }: RawAnswer): void {
  response.writeHead(status, { 'x-request-id': requestId, ...headers });
}

/** Whole. */
export function send(exchange: Exchange, answer: RawAnswer): Sent {
  const { response } = exchange;
  if (response.destroyed) return null;
  writeHead(exchange, answer);
  response.end(answer.body);
  return answer.status;
}

export const refuse = (exchange: Exchange, refusal: Refusal): Sent =>
  send(exchange, exchange.refusal(refusal, exchange));

export function reset(exchange: Exchange): null {
  exchange.brokenOff = true;
  exchange.request.socket.resetAndDestroy();
  return null;
}

/** Half of the body, then the end of the connection. */
export function cut(exchange: Exchange, answer: RawAnswer): number {
  const { request, response } = exchange;
  exchange.brokenOff = true;
  writeHead(exchange, answer);
  const half = answer.body.subarray(0, Math.floor(answer.body.length / 2));
  response.write(half, () => request.socket.destroy());
  return answer.status;
}

export const trickle: Deliver<RawAnswer> = async (exchange, answer, delayMs) => {
  const { response, clock } = exchange;
  writeHead(exchange, answer);
  const { body: bytes } = answer;
  const step = Math.ceil(bytes.length / trickles);
  for (let start = 0; start < bytes.length && !response.destroyed; start += step) {
    response.write(bytes.subarray(start, start + step));
    await clock.sleep(delayMs / trickles);
  }
  response.end();
  return answer.status;
};
