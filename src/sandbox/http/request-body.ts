/** Reads bodies up to a bound, and JSON out of them. */

import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';
import { Refusal } from './refusal';

const mebibyte = 1024 * 1024;
/** So much of an oversized body is swallowed, so that the client lives to read the 413. */
const swallowedBytes = 16 * mebibyte;

/** @returns the bytes; `aborted` when the client went away meanwhile. @throws Refusal 413 */
export function readBody(
  request: IncomingMessage,
  limitBytes = mebibyte,
): Promise<Buffer | 'aborted'> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= limitBytes) chunks.push(chunk);
      else chunks.length = 0;
      if (length > limitBytes + swallowedBytes) request.socket.destroy();
    });
    request.on('end', () => {
      if (length <= limitBytes) return resolve(Buffer.concat(chunks));
      const detail = `The body is larger than ${limitBytes / mebibyte} MiB.`;
      reject(new Refusal(413, 'body_too_large', detail));
    });
    request.on('error', () => resolve('aborted'));
    request.on('close', () => resolve('aborted'));
  });
}

/** @throws Refusal 415 or 400 */
function readJson(contentType: string, body: Buffer): unknown {
  if (!/^application\/json\s*(;|$)/i.test(contentType)) {
    throw new Refusal(415, 'unsupported_media_type', 'Expected content-type application/json.');
  }
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new Refusal(400, 'malformed_json', 'The body is not JSON.');
  }
}

/**
 * A JSON body of the given shape. A value of the right type that breaks a pattern is 422, anything
 * else that does not fit is 400.
 * @throws Refusal
 */
export function readBodyAs<Shape extends z.ZodType>(
  schema: Shape,
  request: { contentType: string; body: Buffer },
): z.output<Shape> {
  const parsed = schema.safeParse(readJson(request.contentType, request.body));
  if (parsed.success) return parsed.data;
  const detail = parsed.error.issues
    .map((issue) => `${issue.path.join('.') || 'body'}: ${issue.message}`)
    .join('; ');
  const onlyPatterns = parsed.error.issues.every((issue) => issue.code === 'invalid_format');
  throw onlyPatterns
    ? new Refusal(422, 'invalid_document', detail)
    : new Refusal(400, 'invalid_body', detail);
}
