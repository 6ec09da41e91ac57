/** What a call answers, before and after it is put into bytes; refusals, and the four bodies that they have. */

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

export const iso = (at: number): string => new Date(at).toISOString();

export function rawAnswer(answer: Answer): RawAnswer {
  const { status, headers = {} } = answer;
  if ('json' in answer) return jsonAnswer(status, answer.json, headers);
  if ('bytes' in answer) return typed(status, answer.contentType, answer.bytes, headers);
  return { status, headers, body: Buffer.alloc(0) };
}

function typed(
  status: number,
  contentType: string,
  text: string | Buffer,
  headers: Headers = {},
): RawAnswer {
  const body = typeof text === 'string' ? Buffer.from(text) : text;
  const own = { 'content-type': contentType, 'content-length': String(body.length) };
  return { status, headers: { ...headers, ...own }, body };
}

export const jsonAnswer = (
  status: number,
  json: object,
  headers?: Headers,
  contentType = 'application/json; charset=utf-8',
) => typed(status, contentType, JSON.stringify(json), headers);

export const textAnswer = (status: number, type: string, text: string, headers?: Headers) =>
  typed(status, type, `${text}\n`, headers);

export function htmlAnswer(status: number, heading: string, headers?: Headers): RawAnswer {
  const page = `<!DOCTYPE html><html><head><title>${heading}</title></head><body><h1>${heading}</h1></body></html>`;
  return textAnswer(status, 'text/html; charset=utf-8', page, headers);
}

/** Thrown by what refuses a request; the service turns it into an answer. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly retryable: boolean;
  readonly headers: Headers;

  constructor(
    status: number,
    code: string,
    detail: string,
    { retryable = false, headers = {} }: { retryable?: boolean; headers?: Headers } = {},
  ) {
    super(detail);
    this.name = 'Refusal';
    this.status = status;
    this.code = code;
    this.retryable = retryable;
    this.headers = headers;
  }
}

/** With the seconds after which a call will be let through. */
export function retryLater(seconds: number, status: 429 | 503 = 429): Refusal {
  const extra = { retryable: true, headers: { 'retry-after': String(seconds) } };
  return status === 429
    ? new Refusal(429, 'rate_limited', 'Too many requests.', extra)
    : new Refusal(503, 'service_unavailable', 'The service is busy.', extra);
}

export const expiredLink = () => new Refusal(403, 'AccessDenied', 'Request has expired.');

export const sandboxFull = (capacity: number) =>
  new Refusal(507, 'sandbox_full', `The sandbox holds ${capacity} already.`);

/** How a service words its refusals. `instance` is the path of the request, without its query. */
export type RefusalBody = (
  refusal: Refusal,
  occasion: { requestId: string; instance: string },
) => RawAnswer;

const problemType = 'application/problem+json; charset=utf-8';

/** The problem of the investigation service (section Errors). */
export const problem: RefusalBody = (refusal, { requestId, instance }) => {
  const { code, headers, message, retryable, status } = refusal;
  const body = {
    status,
    code,
    detail: message,
    request_id: requestId,
    retryable,
    type: `https://problems.sandbox.invalid/${code}`,
    title: code.replaceAll('_', ' '),
    instance,
  };
  return jsonAnswer(status, body, headers, problemType);
};

/** RFC 7807 and nothing besides, as the credit service has it. */
export const plainProblem: RefusalBody = ({ code, headers, message, status }, { instance }) => {
  const type = `https://problems.sandbox.invalid/credit/${code}`;
  const body = { type, title: code.replaceAll('_', ' '), status, detail: message, instance };
  return jsonAnswer(status, body, headers, problemType);
};

/** Storages speak XML. */
export const storageError: RefusalBody = ({ status, code, message, headers }) => {
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`;
  return textAnswer(status, 'application/xml', text, headers);
};

const profileCodes: Partial<Record<number, string>> = {
  401: 'UNAUTHORIZED',
  403: 'UNAUTHORIZED',
  404: 'NOT_FOUND',
  429: 'RATE_LIMITED',
};

/** `{ success, erro }` of the profile (section Errors). */
export const profileError: RefusalBody = ({ status, message, headers }) => {
  const codigo = profileCodes[status] ?? (status < 500 ? 'VALIDATION_ERROR' : 'INTERNAL_ERROR');
  return jsonAnswer(status, { success: false, erro: { codigo, mensagem: message } }, headers);
};
