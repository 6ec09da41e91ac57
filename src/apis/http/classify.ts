import { answerTooLarge } from './exchange';
import { ConnectionError, ContractError, StatusError, isHttpError, type HttpError } from './errors';
import { RefusedAddressError } from '../../protection/address-guard';
import { TokenUnavailableError } from './token';

/** A failed call. Any other error is ours. */
export type CallFailure = HttpError | TokenUnavailableError;

/** `keyless`: a POST whose repetition the service cannot detect. */
export type Repetition = 'repeatable' | 'keyless';

export type FailureClass =
  /** The same call would be refused again. */
  | 'permanent'
  /** The same call may be repeated: a keyless one certainly was not processed. */
  | 'transient'
  /** Our token is refused or missing: not an error of the item. */
  | 'credentials'
  /** The result is unknown: a keyless call may have taken effect. */
  | 'unknown';

export function isCallFailure(error: unknown): error is CallFailure {
  return isHttpError(error) || error instanceof TokenUnavailableError;
}

/** Decides what a failed call means for the next one. */
export function classifyFailure(
  error: CallFailure,
  repetition: Repetition = 'repeatable',
): FailureClass {
  if (error instanceof TokenUnavailableError) return 'credentials';
  if (error instanceof RefusedAddressError) return 'permanent';
  if (error instanceof StatusError) return classOfStatus(error, repetition);
  if (error instanceof ContractError || isTooLarge(error)) return 'unknown';
  return repetition === 'repeatable' || error.sent === 'no' ? 'transient' : 'unknown';
}

/** The service refuses the call permanently. */
export function isPermanent(error: unknown): error is StatusError {
  return error instanceof StatusError && classifyFailure(error) === 'permanent';
}

/** The response is larger than the call allows. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof ConnectionError && error.safeCause.code === answerTooLarge;
}

function classOfStatus(error: StatusError, repetition: Repetition): FailureClass {
  const { status } = error;
  if (error.meansCredentials) return 'credentials';
  const isRepeatable = repetition === 'repeatable';
  if (status < 400) return 'unknown';
  if (status === 429 || status === 425) return 'transient';
  if (status === 408) return isRepeatable ? 'transient' : 'unknown';
  if (status < 500) return isRepeatable && error.retryable === true ? 'transient' : 'permanent';
  // A read goes on: what it is about was paid for.
  if (isRepeatable && error.retryable === false && error.call.method !== 'GET') return 'permanent';
  return isRepeatable || error.wasNotProcessed ? 'transient' : 'unknown';
}
