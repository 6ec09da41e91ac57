import { RefusedAddressError } from '../../protection/address-guard';

/**
 * Errors of one HTTP call. Messages name the call by method and path template, never by URL: a query string may hold
 * the certificate token, a path a document.
 */

/** Whether bytes of the request may have reached the service. `no` is certain. */
export type Sent = 'no' | 'maybe';

/** The call without host, query and values. */
export interface CallName {
  method: string;
  pathTemplate: string;
}

/** A foreign error without anything that may quote a value. */
export interface SafeCause {
  name: string;
  code: string | null;
  syscall: string | null;
}

export function safeCause(error: unknown): SafeCause {
  const fields = (error ?? {}) as { name?: unknown; code?: unknown; syscall?: unknown };
  const word = (value: unknown): string | null =>
    typeof value === 'string' && /^[\w.-]{1,60}$/.test(value) ? value : null;
  return {
    name: word(fields.name) ?? 'Error',
    code: word(fields.code),
    syscall: word(fields.syscall),
  };
}

/** No response: refused, reset, DNS, TLS, or a socket closed during the response. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  readonly call: CallName;
  readonly sent: Sent;
  readonly safeCause: SafeCause;
  /** Location of a 2xx whose body did not come whole. May hold a token: never printed. */
  readonly #location: string | null;

  constructor(call: CallName, sent: Sent, cause: SafeCause, location: string | null = null) {
    const reason = [cause.code ?? cause.name, cause.syscall].filter(Boolean).join(' ');
    super(`${call.method} ${call.pathTemplate}: no answer (${reason}), ${sentWords(sent)}`);
    this.call = nameOf(call);
    this.sent = sent;
    this.safeCause = cause;
    this.#location = location;
  }

  get location(): string | null {
    return this.#location;
  }
}

/** The call timed out. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
  readonly call: CallName;
  readonly sent: Sent;
  readonly timeoutMs: number;
  /** As of a `ConnectionError`. */
  readonly #location: string | null;

  constructor(call: CallName, sent: Sent, timeoutMs: number, location: string | null = null) {
    super(
      `${call.method} ${call.pathTemplate}: no answer within ${timeoutMs} ms, ${sentWords(sent)}`,
    );
    this.call = nameOf(call);
    this.sent = sent;
    this.timeoutMs = timeoutMs;
    this.#location = location;
  }

  get location(): string | null {
    return this.#location;
  }
}

/** A response other than 2xx. */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly call: CallName;
  readonly status: number;
  /** The service's own code (`code` of a problem, `erro.codigo` of the profile), null without one. */
  readonly code: string | null;
  readonly requestId: string | null;
  readonly retryable: boolean | null;
  /** Milliseconds of Retry-After, at most an hour; null when absent or unreadable. */
  readonly retryAfterMs: number | null;
  /** True when the body was an error document of a known shape, not a page of some proxy. */
  readonly hasProblem: boolean;
  /** True for a response of another origin, such as a file server of a PDF. */
  readonly elsewhere: boolean;
  /** True when the response proves that the request was not processed. */
  readonly wasNotProcessed: boolean;
  /** Location of a redirect. May hold a signature: never printed. */
  readonly #location: string | null;
  readonly #detail: string | null;

  constructor(
    call: CallName,
    answer: {
      status: number;
      code: string | null;
      requestId: string | null;
      retryable: boolean | null;
      retryAfterMs: number | null;
      hasProblem: boolean;
      detail?: string | null;
      location: string | null;
      elsewhere: boolean;
      wasNotProcessed: boolean;
    },
  ) {
    const code = answer.code === null ? '' : ` ${answer.code}`;
    const request = answer.requestId === null ? '' : ` (request ${answer.requestId})`;
    super(`${call.method} ${call.pathTemplate}: answered ${answer.status}${code}${request}`);
    this.call = nameOf(call);
    this.status = answer.status;
    this.code = answer.code;
    this.requestId = answer.requestId;
    this.retryable = answer.retryable;
    this.retryAfterMs = answer.retryAfterMs;
    this.hasProblem = answer.hasProblem;
    this.#detail = answer.detail ?? null;
    this.elsewhere = answer.elsewhere;
    this.wasNotProcessed = answer.wasNotProcessed;
    this.#location = answer.location;
  }

  get location(): string | null {
    return this.#location;
  }

  /**
   * Text of the service, redacted and bounded. It may quote names: shown to the requester, and in no message, log or
   * inspection of the error.
   */
  get detail(): string | null {
    return this.#detail;
  }

  /** 401, and 403 `unauthorized`: about the credentials, never the item. */
  get meansCredentials(): boolean {
    if (this.elsewhere) return false;
    const word = this.code?.toLowerCase() ?? '';
    return (
      this.status === 401 ||
      (this.status === 403 && ['unauthorized', 'invalid_token', 'token_expired'].includes(word))
    );
  }
}

/** Code of a response whose fields are in `attributes`: where the specification has them, all are missing. */
export const jsonApiDocument = 'json_api_document';

/** A 2xx response that is unreadable. Holds the invalid paths, never the values. */
export class ContractError extends Error {
  override readonly name = 'ContractError';
  readonly call: CallName;
  readonly issues: readonly { path: string; code: string }[];
  /** Its beginning, for the store only: never printed. */
  readonly #answer: Buffer | null;

  /** @param answer of a purchase, in case a person must read it */
  constructor(
    call: CallName,
    issues: readonly { path: string; code: string }[],
    answer: Buffer | null = null,
  ) {
    const places = issues.map((issue) => `${issue.path || 'body'}: ${issue.code}`).join(', ');
    super(`${call.method} ${call.pathTemplate}: the answer cannot be read (${places})`);
    this.call = nameOf(call);
    this.issues = issues;
    this.#answer = answer?.subarray(0, 65_536) ?? null;
  }

  get answer(): Buffer | null {
    return this.#answer;
  }

  /** Reading it again is no use: the service writes all of its responses like this. */
  get isJsonApi(): boolean {
    return this.issues.some(({ code }) => code === jsonApiDocument);
  }
}

export type HttpError =
  ConnectionError | TimeoutError | RefusedAddressError | StatusError | ContractError;

export function isHttpError(error: unknown): error is HttpError {
  return (
    error instanceof ConnectionError ||
    error instanceof TimeoutError ||
    error instanceof RefusedAddressError ||
    error instanceof StatusError ||
    error instanceof ContractError
  );
}

/** Only the name: a call may hold a body, and an address with a signature. */
function nameOf({ method, pathTemplate }: CallName): CallName {
  return { method, pathTemplate };
}

function sentWords(sent: Sent): string {
  return sent === 'no' ? 'nothing was sent' : 'the request may have arrived';
}
