/** What the routes of the credit service have in common. */

import type { z } from 'zod';
import type { JsonObject } from '../engine/answer';
import { Refusal } from '../engine/problem';
import { readBody, readBodyAs } from '../engine/request-body';
import { withExtraFields } from '../engine/spoilt-answer';
import type { CreditAnswer } from './credit-answer';
import type { CreditTrouble } from './credit-fault-plan';
import type { CreditRequest } from './credit-service';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** @throws Refusal 400, 413, 415 */
export async function jsonBody<Shape extends z.ZodType>(
  { incoming, entry }: CreditRequest,
  schema: Shape,
): Promise<z.output<Shape> | 'aborted'> {
  const body = await readBody(incoming);
  if (body === 'aborted') return body;
  if (body === 'too_large') {
    throw new Refusal(413, 'body_too_large', 'The body is larger than 1 MiB.');
  }
  const contentType = incoming.headers['content-type'] ?? '';
  const read = readBodyAs(schema, { contentType, body });
  entry.body = read;
  return read;
}

/** @throws Refusal 400 */
export function readId(params: Readonly<Record<string, string>>): string {
  const id = params['id'] ?? '';
  if (!uuid.test(id)) throw new Refusal(400, 'invalid_id', 'The id is no UUID.');
  return id.toLowerCase();
}

/** A JSON answer, with fields nobody knows where the trouble is `extra_fields`. */
export function answerOf(
  status: number,
  json: JsonObject,
  trouble: CreditTrouble | null = null,
): CreditAnswer {
  return {
    status,
    body: { json: trouble?.kind === 'extra_fields' ? withExtraFields(json) : json },
  };
}

/** The object without a key; null leaves it whole. */
export function without(json: JsonObject, key: string | null): JsonObject {
  return Object.fromEntries(Object.entries(json).filter(([name]) => name !== key));
}
