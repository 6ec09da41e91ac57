/** What a route answers, before and after it is put into bytes. */

import type { ServerResponse } from 'node:http';

export type JsonObject = Record<string, unknown>;

export type Answer =
  { status: number; json: JsonObject } | { status: number; bytes: Buffer; contentType: string };

/** An answer ready for the wire. */
export interface RawAnswer {
  status: number;
  contentType: string;
  body: Buffer;
  headers: Readonly<Record<string, string>>;
}

export function rawAnswer(answer: Answer): RawAnswer {
  return 'json' in answer
    ? jsonAnswer(answer.status, answer.json)
    : {
        status: answer.status,
        contentType: answer.contentType,
        body: answer.bytes,
        headers: {},
      };
}

export function jsonAnswer(
  status: number,
  json: object,
  headers: Readonly<Record<string, string>> = {},
  contentType = 'application/json; charset=utf-8',
): RawAnswer {
  return { status, contentType, body: Buffer.from(JSON.stringify(json)), headers };
}

export function plainAnswer(status: number, text: string): RawAnswer {
  return { status, contentType: 'text/plain', body: Buffer.from(`${text}\n`), headers: {} };
}

export function htmlAnswer(status: number, heading: string): RawAnswer {
  const page = `<!DOCTYPE html><html><head><title>${heading}</title></head><body><h1>${heading}</h1></body></html>\n`;
  return {
    status,
    contentType: 'text/html; charset=utf-8',
    body: Buffer.from(page),
    headers: {},
  };
}

export function writeHead(response: ServerResponse, answer: RawAnswer): void {
  response.writeHead(answer.status, {
    ...answer.headers,
    'content-type': answer.contentType,
    'content-length': answer.body.length,
  });
}

export function writeAnswer(response: ServerResponse, answer: RawAnswer): void {
  writeHead(response, answer);
  response.end(answer.body);
}
