/** What a call answers, before and after it is put into bytes. */

export type JsonObject = Record<string, unknown>;
type Headers = Readonly<Record<string, string>>;

/** JSON, bytes, or nothing. */
export type Answer = { status: number; headers?: Headers } & (
  { json: object } | { bytes: Buffer; contentType: string } | object
);

/** An answer ready for the wire. */
export interface RawAnswer {
  status: number;
  headers: Headers;
  body: Buffer;
}

export function rawAnswer(answer: Answer): RawAnswer {
  const { status, headers = {} } = answer;
  if ('json' in answer) return jsonAnswer(status, answer.json, headers);
  if ('bytes' in answer) return typed(status, answer.contentType, answer.bytes, headers);
  return { status, headers, body: Buffer.alloc(0) };
}

function typed(
  status: number,
  contentType: string,
  body: Buffer,
  headers: Headers = {},
): RawAnswer {
  const own = { 'content-type': contentType, 'content-length': String(body.length) };
  return { status, headers: { ...headers, ...own }, body };
}

export function jsonAnswer(
  status: number,
  json: object,
  headers?: Headers,
  contentType = 'application/json; charset=utf-8',
): RawAnswer {
  return typed(status, contentType, Buffer.from(JSON.stringify(json)), headers);
}

export function textAnswer(
  status: number,
  contentType: string,
  text: string,
  headers?: Headers,
): RawAnswer {
  return typed(status, contentType, Buffer.from(`${text}\n`), headers);
}

export function htmlAnswer(status: number, heading: string, headers?: Headers): RawAnswer {
  const page = `<!DOCTYPE html><html><head><title>${heading}</title></head><body><h1>${heading}</h1></body></html>`;
  return textAnswer(status, 'text/html; charset=utf-8', page, headers);
}

export const iso = (at: number): string => new Date(at).toISOString();
