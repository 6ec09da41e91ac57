/** Refusals, and the four bodies that they are told in. */

import { jsonAnswer, textAnswer, type RawAnswer } from './answer';

/** Thrown by whatever refuses a request; the service alone turns it into an answer. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly retryable: boolean;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: string,
    detail: string,
    extra: { retryable?: boolean; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(detail);
    this.name = 'Refusal';
    this.status = status;
    this.code = code;
    this.retryable = extra.retryable ?? false;
    this.headers = extra.headers ?? {};
  }
}

export function tooManyRequests(retryAfterSeconds: number): Refusal {
  return new Refusal(429, 'rate_limited', 'Too many requests.', {
    retryable: true,
    headers: { 'retry-after': String(retryAfterSeconds) },
  });
}

/** The one refusal that the document shows with its code (section Errors). */
export function customNotEnabled(): Refusal {
  const detail = 'Modular and provided-data dossiers are not enabled for this workspace.';
  return new Refusal(403, 'dossie_custom_not_enabled', detail);
}

export function expiredLink(): Refusal {
  return new Refusal(403, 'AccessDenied', 'Request has expired.');
}

export function sandboxFull(capacity: number): Refusal {
  return new Refusal(507, 'sandbox_full', `The sandbox holds ${capacity} already.`);
}

/** Where a refusal happens. `instance` is the path of the request, without its query. */
interface Occasion {
  requestId: string;
  instance: string;
}

/** How a service words its refusals. */
export type RefusalBody = (refusal: Refusal, occasion: Occasion) => RawAnswer;

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
  const body = {
    type: `https://problems.sandbox.invalid/credit/${code}`,
    title: code.replaceAll('_', ' '),
    status,
    detail: message,
    instance,
  };
  return jsonAnswer(status, body, headers, problemType);
};

/** Storages speak XML. */
export const storageError: RefusalBody = ({ status, code, message, headers }) => {
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`;
  return textAnswer(status, 'application/xml', text, headers);
};

/** `{ success, erro }` of the profile (section Errors). */
export const profileError: RefusalBody = ({ status, message, headers }) => {
  const codigo = profileCodes[status] ?? (status < 500 ? 'VALIDATION_ERROR' : 'INTERNAL_ERROR');
  return jsonAnswer(status, { success: false, erro: { codigo, mensagem: message } }, headers);
};

const profileCodes: Partial<Record<number, string>> = {
  401: 'UNAUTHORIZED',
  403: 'UNAUTHORIZED',
  404: 'NOT_FOUND',
  429: 'RATE_LIMITED',
};
