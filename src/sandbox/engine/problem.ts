/** Refusals, in the body the specification gives them (section Errors). */

export interface ProblemBody {
  status: number;
  code: string;
  detail: string;
  request_id: string;
  retryable: boolean;
  type: string;
  title: string;
  instance: string;
}

/** Thrown by whatever refuses a request; the engine alone turns it into an answer. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly retryable: boolean;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: string,
    detail: string,
    extra: { retryable?: boolean; headers?: Record<string, string> } = {},
  ) {
    super(detail);
    this.name = 'Refusal';
    this.status = status;
    this.code = code;
    this.retryable = extra.retryable ?? false;
    this.headers = extra.headers ?? {};
  }
}

export function problemBody(refusal: Refusal, requestId: string, instance: string): ProblemBody {
  return {
    status: refusal.status,
    code: refusal.code,
    detail: refusal.message,
    request_id: requestId,
    retryable: refusal.retryable,
    type: `https://problems.sandbox.invalid/${refusal.code}`,
    title: refusal.code.replaceAll('_', ' '),
    instance,
  };
}

export function tooManyRequests(retryAfterSeconds: number): Refusal {
  return new Refusal(429, 'rate_limited', 'Too many requests.', {
    retryable: true,
    headers: { 'retry-after': String(retryAfterSeconds) },
  });
}
