/** What a route reads of a request: its body up to a bound, JSON, an id, its query. */

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { z } from 'zod';
import { Refusal } from './answer';
import type { Received } from './request-log';

export interface Request {
  path: string;
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  contentType: string;
  body: Buffer;
  /** Entry of the call, to be completed while it is served. */
  entry: Pick<Received, 'key' | 'parts' | 'id'>;
}

const mebibyte = 1024 * 1024;
/** So much of an oversized body is swallowed, so that the client lives to read the 413. */
const swallowedBytes = 16 * mebibyte;

/** @returns the bytes; `aborted` when the client went away meanwhile. @throws Refusal 413 */
export async function readBody(
  request: IncomingMessage,
  limitBytes = mebibyte,
): Promise<Buffer | 'aborted'> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length <= limitBytes) chunks.push(chunk);
      if (length > limitBytes + swallowedBytes) request.socket.destroy();
    }
  } catch {
    return 'aborted';
  }
  if (length <= limitBytes) return Buffer.concat(chunks);
  const detail = `The body is larger than ${limitBytes / mebibyte} MiB.`;
  throw new Refusal(413, 'body_too_large', detail);
}

/**
 * A JSON body of the given shape. A value of the right type that breaks a pattern is 422, anything
 * else that does not fit is 400.
 * @throws Refusal
 */
export function readBodyAs<Shape extends z.ZodType>(
  schema: Shape,
  { contentType, body }: Pick<Request, 'contentType' | 'body'>,
): z.output<Shape> {
  if (!/^application\/json\s*(;|$)/i.test(contentType)) {
    throw new Refusal(415, 'unsupported_media_type', 'Expected content-type application/json.');
  }
  let json: unknown;
  try {
    json = JSON.parse(body.toString('utf8'));
  } catch {
    throw new Refusal(400, 'malformed_json', 'The body is not JSON.');
  }
  const { data, error } = schema.safeParse(json);
  if (error === undefined) return data;
  const detail = error.issues
    .map((issue) => `${issue.path.join('.') || 'body'}: ${issue.message}`)
    .join('; ');
  throw error.issues.every((issue) => issue.code === 'invalid_format')
    ? new Refusal(422, 'invalid_document', detail)
    : new Refusal(400, 'invalid_body', detail);
}

/** Of a POST that takes none. @throws Refusal 400 */
export function refuseBody({ body }: Request): void {
  if (body.length > 0) throw new Refusal(400, 'unexpected_body', 'This call takes no body.');
}

/** @param ignored whether unknown ones pass without effect. @throws Refusal 400 */
export function refuseParameters(
  query: URLSearchParams,
  known: readonly string[],
  ignored = false,
): void {
  for (const name of query.keys()) {
    if (!known.includes(name)) {
      if (ignored) continue;
      throw new Refusal(400, 'unknown_parameter', `Unknown query parameter ${name}.`);
    }
    if (query.getAll(name).length > 1) {
      throw new Refusal(400, 'repeated_parameter', `${name} came twice.`);
    }
  }
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** In lower case. @throws Refusal 400 */
export function uuidIn({ params }: Pick<Request, 'params'>, name: string): string {
  const id = params[name] ?? '';
  if (!uuid.test(id)) throw new Refusal(400, 'invalid_id', `${name} is no UUID.`);
  return id.toLowerCase();
}

/** @throws Refusal 404 or 405 where the scenario does not serve a route that the document does not show */
export function refuseRoute(presence: 'served' | 'unknown' | 'not_allowed'): void {
  if (presence === 'unknown') {
    throw new Refusal(404, 'unknown_route', 'The sandbox has no such route.');
  }
  if (presence === 'not_allowed') {
    throw new Refusal(405, 'method_not_allowed', 'This is not allowed here.');
  }
}
