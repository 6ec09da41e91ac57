/** What a route of the credit service answers, and how it gets on the wire, well or badly. */

import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { htmlAnswer, jsonAnswer, type RawAnswer } from '../engine/answer';
import {
  cut,
  defaultDelayMs,
  defaultRetryAfterSeconds,
  refuse,
  reset,
  send,
  spurned,
  type Exchange,
} from '../engine/faulty-answer';
import { Refusal } from '../engine/problem';
import type { CreditTrouble } from './credit-fault-plan';
import { creditFaults, type CreditFaultKind, type SpurningCreditFault } from './credit-fault-words';

export interface CreditAnswer {
  status: number;
  headers?: Readonly<Record<string, string>>;
  /** A JSON value, JSON text in pieces, a problem, or nothing. */
  body: { json: object } | { pieces: Iterable<string> } | { refusal: Refusal } | null;
}

/** Body of a refusal: RFC 7807 and nothing besides. */
export function plainProblem(refusal: Refusal, { instance }: { instance: string }): object {
  return {
    type: `https://problems.sandbox.invalid/credit/${refusal.code}`,
    title: refusal.code.replaceAll('_', ' '),
    status: refusal.status,
    detail: refusal.message,
    instance,
  };
}

export function keepsFromActing(
  trouble: CreditTrouble | null,
): trouble is CreditTrouble & { kind: SpurningCreditFault } {
  return trouble !== null && !creditFaults[trouble.kind].acts;
}

/** What only this service does besides. */
const spurnedHere: Record<
  Exclude<SpurningCreditFault, 'not_ready'>,
  (exchange: Exchange, retryAfterSeconds: number) => number | null
> = {
  ...spurned,
  '413': (exchange) =>
    refuse(exchange, new Refusal(413, 'file_too_large', 'The file is too large.')),
};

/** @returns the status put on the wire, null when there was none. */
export function spurnCall(
  exchange: Exchange,
  { kind, retryAfterSeconds }: CreditTrouble & { kind: SpurningCreditFault },
  notReady: CreditAnswer | undefined,
): number | null | Promise<number | null> {
  if (kind === 'not_ready') {
    if (notReady === undefined) throw new Error('not_ready struck a call that is always ready');
    return deliver(exchange, notReady, null);
  }
  return spurnedHere[kind](exchange, retryAfterSeconds ?? defaultRetryAfterSeconds);
}

type Delivery = (
  exchange: Exchange,
  answer: CreditAnswer,
  trouble: CreditTrouble,
) => number | null | Promise<number | null>;

/** Faults of the wire; what a fault makes untrue stands in the answer already. */
const spoiltDelivery: Partial<Record<CreditFaultKind, Delivery>> = {
  '500_html_after': (exchange) => send(exchange, htmlAnswer(500, 'Internal Server Error')),
  '504_after': (exchange) => send(exchange, htmlAnswer(504, 'Gateway Time-out')),
  reset_after: reset,
  no_answer: () => null,
  cut_answer: (exchange, answer) => cut(exchange, beginningOf(answer)),
  unreadable_2xx: (exchange, answer) =>
    send(exchange, { ...beginningOf(answer), body: Buffer.from('{"id": "') }),
  slow: async (exchange, answer, { delayMs }) => {
    await exchange.clock.sleep(delayMs ?? defaultDelayMs);
    return put(exchange, answer);
  },
};

/** @returns the status put on the wire, null when there was none. */
export async function deliver(
  exchange: Exchange,
  answer: CreditAnswer,
  trouble: CreditTrouble | null,
): Promise<number | null> {
  const spoilt = trouble === null ? undefined : spoiltDelivery[trouble.kind];
  return trouble === null || spoilt === undefined
    ? put(exchange, answer)
    : spoilt(exchange, answer, trouble);
}

async function put(exchange: Exchange, answer: CreditAnswer): Promise<number | null> {
  const { body, status, headers = {} } = answer;
  if (body === null) return sendEmpty(exchange, status, headers);
  if ('refusal' in body) return refuse(exchange, body.refusal);
  if ('json' in body) return send(exchange, jsonAnswer(status, body.json, headers));
  const { response, requestId } = exchange;
  if (response.destroyed) return null;
  response.writeHead(status, { 'content-type': jsonType, 'x-request-id': requestId, ...headers });
  try {
    await pipeline(Readable.from(body.pieces), response);
  } catch (error) {
    // The client went away; its log entry says so.
    if (!response.destroyed) throw error;
  }
  return status;
}

const jsonType = 'application/json; charset=utf-8';

function sendEmpty(
  { response, requestId }: Exchange,
  status: number,
  headers: Readonly<Record<string, string>>,
): number | null {
  if (response.destroyed) return null;
  response.writeHead(status, { 'x-request-id': requestId, ...headers }).end();
  return status;
}

/** The whole of a small answer, the first piece of a large one. */
function beginningOf({ status, body, headers = {} }: CreditAnswer): RawAnswer {
  if (body !== null && 'json' in body) return jsonAnswer(status, body.json, headers);
  const [first = ' '] = body !== null && 'pieces' in body ? body.pieces : [];
  return { status, contentType: jsonType, body: Buffer.from(first), headers };
}
