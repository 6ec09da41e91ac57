import { StatusError, type CallName } from '../../src/apis/http/errors';

type Fields = ConstructorParameters<typeof StatusError>[1];

/** An answer of the service with a problem body; 429 and 503 say that nothing was processed. */
export function answeredStatus(
  call: CallName,
  status: number,
  fields: Partial<Fields> = {},
): StatusError {
  return new StatusError(call, {
    status,
    code: null,
    requestId: null,
    retryable: null,
    retryAfterMs: null,
    hasProblem: true,
    location: null,
    elsewhere: false,
    wasNotProcessed: status === 429 || status === 503,
    ...fields,
  });
}
